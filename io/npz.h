// npz: named tensors in numpy's own format, a zip archive of .npy files.
//
//   save_npz("x.npz", {{"x", x}, {"y", y}});   // numpy.load("x.npz")["x"]
//   const NamedTensors both = read_npz("x.npz");
#pragma once

#include <string>

#include "../autograd/tensor.h"

namespace tapehead::io {

/// The tensors in the order of the archive, as read_npy() has them, deflated or not. All checksums
/// are looked at before the first tensor is made. IoError, naming path and reason, for an archive
/// that is damaged or encrypted, holds anything but .npy files, or has a name twice or one like
/// "../w"; MemoryError for tensors beyond the memory limit.
NamedTensors read_npz(const std::string& path);

/// Writes all of them, or nothing, uncompressed. IoError where that fails; Error for a name that
/// occurs twice, is not UTF-8 or would point out of a folder,
/// and for more than 4 GiB or 16384 tensors.
void save_npz(const std::string& path, const NamedTensors& tensors);

}  // namespace tapehead::io
