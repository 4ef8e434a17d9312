// Files of tensors, whatever their format.
//
//   const NamedTensors weights = read_tensors("model.safetensors");   // or .npz, .npy, .bin, .json
//   save_tensors("model.npz", weights);
#pragma once

#include <string>

#include "safetensors.h"

namespace tapehead::io {

struct TensorFile {
  std::string format;  // "safetensors", "npy", "npz", "llama2.c" or "minGPT"
  NamedTensors tensors;
  /// What else the file says, as text: safetensors' metadata, or the model's sizes by their names
  /// ("n_layers" is "5").
  Metadata metadata;
  /// Of tensors that were widened, the dtype in the file, by safetensors' names whatever the
  /// format.
  StoredDTypes stored = {};
};

/// Reads a file of any of the formats that read_safetensors(), read_npy(), read_npz(),
/// read_llama2c() and read_mingpt() know. What it is, its content says and not its name. The tensor
/// of a .npy file is named after the file: "x" for "x.npy". IoError as those have it, and for other
/// formats; PyTorch's pickles can run code, and are refused with what to do instead.
TensorFile read_tensor_file(const std::string& path);

/// The tensors alone.
NamedTensors read_tensors(const std::string& path);

/// Writes .safetensors, .npz or (one tensor) .npy, as the name ends. Error for other endings, and
/// for several tensors as .npy; otherwise as save_safetensors(), save_npz() and save_npy().
/// `metadata` goes where the format has a place for it, which is safetensors alone.
void save_tensors(const std::string& path, const NamedTensors& tensors,
                  const Metadata& metadata = as_pytorch);

}  // namespace tapehead::io
