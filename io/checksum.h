// Checked files: safetensors that carry a checksum of all that they say.
//
//   save_checked("run.safetensors", state, {{"step", "400"}});
//   read_checked("run.safetensors").metadata.at("step");
//
// Any reader of safetensors reads them; only read_checked() looks at the checksum.
#pragma once

#include <cstdint>
#include <string_view>

#include "safetensors.h"

namespace tapehead::io {

/// The CRC-32 of all names, dtypes, shapes, values and metadata, in eight digits, whatever order
/// the tensors come in.
std::string checksum(const NamedTensors& tensors, const Metadata& metadata);

/// The CRC-32 of these bytes alone.
std::uint32_t crc32_of(std::string_view bytes);

/// save_safetensors() with the checksum as metadata "checksum".
void save_checked(const std::string& path, const NamedTensors& tensors, const Metadata& metadata);

/// read_safetensors(), without the metadata "checksum". IoError where that is not the checksum of
/// the rest: no single bit of the file can change unnoticed.
Safetensors read_checked(const std::string& path);

}  // namespace tapehead::io
