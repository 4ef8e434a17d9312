// safetensors: named tensors in a file that many programs read.
//
//   save_safetensors("model.safetensors", model.state_dict());
//   model.load_state_dict(read_safetensors("model.safetensors").tensors);
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

/// What the file calls the dtypes of those tensors that were widened: "BF16", "F16", "U8", "I32".
using StoredDTypes = std::map<std::string, std::string>;

/// Writes all of them, or nothing: a file of that name is replaced when the new one is complete.
/// IoError, naming path and reason, where that fails. Error for a name that occurs twice, is
/// "__metadata__" or not UTF-8, and for what read_safetensors() would not read back; ShapeError for
/// more bytes than 64 bits can count. The largest dtype comes first, so that each value is aligned,
/// and within a dtype the order is that of names: the same tensors give the same bytes.
void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata = as_pytorch);

struct Safetensors {
  NamedTensors tensors;
  Metadata metadata;
  StoredDTypes stored = {};
};

/// What a file holds, tensors in the order of their places. F32, F64, I64 and BOOL keep their
/// dtype; F16 and BF16 become Float32; I8, I16, I32, U8, U16 and U32 become Int64. IoError, naming
/// path and reason, for a file that breaks any of the format's rules (a header that is not JSON or
/// does not fit, a name twice, a size that its shape does not have, tensors that overlap or leave a
/// hole, values cut off), for other dtypes, and for more than 16384 tensors and words of metadata,
/// names of more than 512 bytes or texts of more than 1 MiB.
Safetensors read_safetensors(const std::string& path);

}  // namespace tapehead::io
