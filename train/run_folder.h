// RunFolder: where a run leaves what it has done, and goes on from.
//
//   const RunFolder folder = RunFolder::create("runs/1", config);   // or RunFolder::open("runs/1")
//   resume(folder, trainer, batches);                               // a no-op for a new one
//   run(folder, trainer, batches, {.held_out = [&] { return score_tokens(model, windows, 64); }});
//
//   config.ini               as resolved
//   log.jsonl                an object a line: {"step":1,"loss":…,"accuracy":…} and so on, or
//                            {"step":1,"held_out_loss":…,"held_out_accuracy":…}
//   checkpoint.safetensors   the run (checkpoint.h)
//   best.safetensors         weights with the lowest held-out loss
//   final.safetensors        weights after the last step, or the best after early stopping
//
// Nothing in the log depends on the clock: that of a run that was stopped, or killed, and resumed
// is the same, byte for byte, as that of one that was not.
#pragma once

#include "checkpoint.h"
#include "evaluate.h"

namespace tapehead::train {

class RunFolder {
 public:
  /// IoError, naming the path, where create() would find a file in its way or a run.
  static void check_free(const std::string& path);
  /// A new run: makes the folder, where it is not there, and its config.ini. IoError, naming the
  /// path, if that fails or the folder has one already.
  static RunFolder create(const std::string& path, const std::string& config);
  /// One that was created before; what a killed process has left half written is removed. IoError
  /// if there is none.
  static RunFolder open(const std::string& path);

  const std::string& path() const { return path_; }
  std::string config() const;

  std::string log() const { return path_ + "/log.jsonl"; }
  std::string checkpoint() const { return path_ + "/checkpoint.safetensors"; }
  std::string best() const { return path_ + "/best.safetensors"; }
  std::string final_weights() const { return path_ + "/final.safetensors"; }

 private:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  std::string config_file() const { return path_ + "/config.ini"; }

  std::string path_;
};

struct RunOptions {
  Index log_every = 1;         // steps; 0: never, here and below
  Index evaluate_every = 100;  // steps; always after the last
  Index save_every = 100;      // steps; always when it stops
  /// What becomes of what is not trained on, for the log; its loss, for best weights and early
  /// stopping. None if empty.
  std::function<TokenScore()> held_out = {};
  Report report = {};
  /// Of weights, and all but "format" of it of checkpoints.
  io::Metadata weights_metadata = io::as_pytorch;
};

/// Trains as fit(), leaving all that in the folder, until all steps are done, the held-out loss
/// stops falling, or `report` says to stop: then the step is finished and saved. The model has its
/// averaged weights, if there are any, where it is evaluated and where weights are saved. Where the
/// held-out loss has stopped falling, the model, and its average, have the best weights again, once
/// the checkpoint, from which it went on, is saved.
Progress run(const RunFolder& folder, Trainer& trainer, Batches& batches,
             const RunOptions& options = {});

/// Goes back to the folder's checkpoint, if it has one, or else stays at the beginning; what the
/// log says of later steps is removed. Returns at which step that is. Errors as load_checkpoint().
Index resume(const RunFolder& folder, Trainer& trainer, Batches& batches);

}  // namespace tapehead::train
