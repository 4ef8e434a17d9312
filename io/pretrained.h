// Models that others have trained, built from their files.
//
//   const auto gpt = load_gpt("model.json");            // minGPT's JSON
//   const auto llama = load_llama("stories260K.bin");   // llama2.c's checkpoint
//   Tensor logits = (*llama)(tokens);
#pragma once

#include <memory>
#include <string>

#include "../nn/gpt.h"
#include "../nn/llama.h"

namespace tapehead::io {

/// Of the sizes that the file says, with its weights, and evaluating. IoError, naming path and
/// reason, for what read_mingpt() refuses and for tensors that are not those of such a GPT.
std::unique_ptr<nn::GPT> load_gpt(const std::string& path);
/// The tensors but for the causal masks that minGPT saves with each layer ("….attn.bias").
NamedTensors without_masks(const NamedTensors& tensors);
/// The same for read_llama2c().
std::unique_ptr<nn::Llama> load_llama(const std::string& path);

}  // namespace tapehead::io
