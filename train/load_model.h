// load_model: a model that was trained, here or elsewhere, ready to be used.
//
//   train::LoadedModel loaded = train::load_model("runs/1");   // or a file of weights
//   const Tensor logits = (*loaded.model)(tokens);
//
// Weights alone are no model: its sizes must be known too. A file that was saved with
// model_words(options) as its metadata says them.
#pragma once

#include <memory>
#include <string>

#include "../io/safetensors.h"
#include "model.h"

namespace tapehead::train {

struct LoadedModel {
  std::unique_ptr<SequenceModel> model;  // evaluating
  std::string weights;                   // the file that they are from
  io::Metadata words;                    // the metadata of that file
};

/// From a run folder (its final weights, or else its best, or else those of its checkpoint); from
/// weights or a checkpoint of ours; from minGPT's JSON or a checkpoint of llama2.c. IoError, naming
/// path and reason, for a file that cannot be read, says no sizes, or has other tensors than a
/// model of these sizes; nothing is allocated for sizes that the file's tensors do not bear out (of
/// sines for positions, 2^21 numbers beyond them).
LoadedModel load_model(const std::string& path);

/// The options as metadata: "arch", "vocabulary", "context", "d_model" and so on, as far as they
/// matter to that architecture.
io::Metadata model_words(const ModelOptions& options);
/// The options that they are of. Error for one that is missing, or is no such number or name.
ModelOptions options_of(const io::Metadata& words);

}  // namespace tapehead::train
