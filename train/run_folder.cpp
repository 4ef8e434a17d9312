#include "run_folder.h"

#include <cmath>
#include <filesystem>
#include <limits>

#include "../data/text_file.h"
#include "../io/atomic_file.h"
#include "../io/json.h"
#include "../io/line_file.h"

namespace tapehead::train {
namespace {

namespace fs = std::filesystem;

bool due(Index step, Index every) { return every > 0 && step % every == 0; }

Index step_of(const std::string& line) {
  return io::json_integer(line, "step").value_or(std::numeric_limits<Index>::max());
}

// The temporary files of AtomicFile.
void remove_leftovers(const std::string& path) {
  std::error_code none;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(path, none)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("tapehead-") && name.ends_with(".tmp")) leftovers.push_back(entry.path());
  }
  for (const fs::path& leftover : leftovers) fs::remove(leftover, none);
}

// What follows a step, in an order that a run which is killed in between can take up again: what
// the checkpoint is to be followed by is there before it.
class AfterStep {
 public:
  AfterStep(const RunFolder& folder, Trainer& trainer, const Batches& batches,
            const RunOptions& options)
      : folder_(folder),
        trainer_(trainer),
        batches_(batches),
        options_(options),
        words_(options.weights_metadata),
        log_(folder.log()) {
    words_.erase("format");  // a checkpoint's is its own
  }

  bool operator()(const Progress& p) {
    const bool last = p.step == p.steps;
    if (last || due(p.step, options_.log_every)) log_step(p);
    if (options_.held_out && (last || due(p.step, options_.evaluate_every))) evaluate(p.step);
    const bool go_on = !options_.report || options_.report(p);
    if (!go_on || trainer_.finished() || due(p.step, options_.save_every)) {
      log_.sync();
      save_checkpoint(folder_.checkpoint(), trainer_, batches_, words_);
    }
    return go_on;
  }

  void save_weights(const std::string& path) {
    io::save_safetensors(path, trainer_.model().state_dict(), options_.weights_metadata);
  }

 private:
  void log_step(const Progress& p) {
    log_.add(io::Json::object({{"step", p.step},
                               {"loss", p.loss},
                               {"accuracy", p.accuracy},
                               {"lr", p.lr},
                               {"grad_norm", p.grad_norm}})
                 .text());
  }

  void evaluate(Index step) {
    const Trainer::Averaged averaged(trainer_);
    const TokenScore score = options_.held_out();
    log_.add(
        io::Json::object(
            {{"step", step}, {"held_out_loss", score.loss}, {"held_out_accuracy", score.accuracy}})
            .text());
    if (trainer_.judge(score.loss)) save_weights(folder_.best());
  }

  const RunFolder& folder_;
  Trainer& trainer_;
  const Batches& batches_;
  const RunOptions& options_;
  io::Metadata words_;
  io::LineFile log_;
};

}  // namespace

void RunFolder::check_free(const std::string& path) {
  std::error_code error;
  fs::path there = path;  // the part of it that exists
  while (!there.empty() && !fs::exists(there, error)) there = there.parent_path();
  if (!there.empty() && !fs::is_directory(there, error))
    fail<IoError>("RunFolder: cannot make ", path, ": ", there.string(),
                  " is not a folder; choose another name");
  if (fs::exists(RunFolder(path).config_file(), error))
    fail<IoError>("RunFolder: ", path, " holds a run already; resume it, or choose another folder");
}

RunFolder RunFolder::create(const std::string& path, const std::string& config) {
  check_free(path);
  std::error_code error;
  fs::create_directories(path, error);
  if (error) fail<IoError>("RunFolder: cannot make ", path, ": ", error.message());
  const RunFolder folder(path);
  io::AtomicFile file(folder.config_file());
  file.write(std::as_bytes(std::span(config)));
  file.commit();
  return folder;
}

RunFolder RunFolder::open(const std::string& path) {
  std::error_code error;
  RunFolder folder(path);
  if (!fs::exists(folder.config_file(), error))
    fail<IoError>("RunFolder: ", path, " holds no run: it has no config.ini");
  remove_leftovers(path);
  return folder;
}

std::string RunFolder::config() const { return data::read_text_file("RunFolder", config_file()); }

Progress run(const RunFolder& folder, Trainer& trainer, Batches& batches,
             const RunOptions& options) {
  AfterStep after(folder, trainer, batches, options);
  const Progress progress = fit(trainer, batches.next, [&](const Progress& p) { return after(p); });
  if (trainer.finished()) {
    if (trainer.stopping().enough() && std::isfinite(trainer.stopping().best))
      trainer.take(io::read_safetensors(folder.best()).tensors);
    const Trainer::Averaged averaged(trainer);
    after.save_weights(folder.final_weights());
  }
  return progress;
}

Index resume(const RunFolder& folder, Trainer& trainer, Batches& batches) {
  std::error_code error;
  if (fs::exists(folder.checkpoint(), error))
    load_checkpoint(folder.checkpoint(), trainer, batches);
  io::keep_lines(folder.log(),
                 [&](const std::string& line) { return step_of(line) <= trainer.steps(); });
  return trainer.steps();
}

}  // namespace tapehead::train
