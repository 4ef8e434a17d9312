// Checkpoints: a run in a file, from which it goes on in another process, bit for bit as if it had
// never stopped.
//
//   save_checkpoint("run.safetensors", trainer, batches);
//   load_checkpoint("run.safetensors", trainer, batches);   // of the same model and options
//
// It is a safetensors file: model, optimisers, averages and counts are tensors (Trainer's
// state_dict()); options, schedule among them, random state and the place in the data are metadata,
// with a checksum of everything. docs/training.md lists them.
#pragma once

#include "../io/safetensors.h"
#include "batches.h"
#include "trainer.h"

namespace tapehead::train {

/// Writes all or nothing, and what is written stays: a file of that name is replaced when the new
/// one is on the disk. `more` goes along as metadata. IoError, naming path and reason, where that
/// fails; Error for a word of `more` that is taken ("options", "random", "batches", "checksum",
/// "format").
void save_checkpoint(const std::string& path, const Trainer& trainer, const Batches& batches,
                     const io::Metadata& more = {});

/// Puts trainer, batches and the default generator where they were, and returns `more`. IoError,
/// naming path and reason, and nothing changed, for a file that is damaged or no checkpoint, or one
/// of another model or other options.
io::Metadata load_checkpoint(const std::string& path, Trainer& trainer, Batches& batches);

}  // namespace tapehead::train
