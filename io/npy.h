// npy: one tensor in numpy's own format.
//
//   save_npy("x.npy", x);                 // numpy.load("x.npy")
//   const Tensor y = read_npy("x.npy");   // numpy.save("x.npy", array)
#pragma once

#include <string>

#include "../autograd/tensor.h"

namespace tapehead::io {

/// The tensor of a file of version 1.0, 2.0 or 3.0, of either byte order. Bool and floats of 4 and
/// 8 bytes keep their dtype, those of 2 become Float32, whole numbers Int64 (unsigned ones of 8
/// bytes are refused). One that was saved in Fortran's order comes as a transposed view. IoError,
/// naming path and reason, for anything else: text, records, and Python objects, which are never
/// unpickled.
Tensor read_npy(const std::string& path);

/// Writes all of it, or nothing, in version 1.0 and row-major order. IoError where that fails,
/// Error for an undefined tensor.
void save_npy(const std::string& path, const Tensor& tensor);

}  // namespace tapehead::io
