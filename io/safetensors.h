// safetensors: named tensors in a file that many programs read.
//
//   save_safetensors("model.safetensors", model.state_dict());
//
// The format (https://github.com/huggingface/safetensors): eight bytes that give the length of a
// JSON header, little endian; the header, padded with spaces to a multiple of eight, which gives
// each tensor's dtype, shape and place; then the values, row-major, without gaps.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../autograd/tensor.h"

namespace tapehead::io {

/// Free text that goes along: the header's `__metadata__`. Some readers want to be told that
/// tensors are as PyTorch has them.
using Metadata = std::map<std::string, std::string>;
inline const Metadata as_pytorch{{"format", "pt"}};

/// Writes all of them, or nothing: a file of that name is replaced when the new one is complete.
/// IoError, naming path and reason, where that fails. Error for a name that occurs twice, is
/// "__metadata__" or not UTF-8, ShapeError for more bytes than 64 bits can count. The largest dtype
/// comes first, so that each value is aligned, and within a dtype the order is that of names: the
/// same tensors give the same bytes.
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata = as_pytorch);

}  // namespace tapehead::io
