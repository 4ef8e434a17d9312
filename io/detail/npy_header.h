// The header of a .npy file, and the text of a new one.
//
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html: the magic bytes
// \x93NUMPY, the version, the length of the rest (two bytes, little endian, in version 1.0, four in
// 2.0 and 3.0), and a Python dictionary of 'descr', 'fortran_order' and 'shape'.
#pragma once

#include "element.h"

namespace tapehead::io {

struct NpyHeader {
  Layout layout;
  std::uint64_t bytes;  // of the header itself: where the values begin
};

/// Reads the header that comes next, and holds it against `size`, the bytes of the whole. IoError,
/// about `subject`, for anything but a tensor that fills the rest exactly.
NpyHeader read_npy_header(const Subject& subject, const ByteSource& next, std::uint64_t size);

/// What numpy would write before the values of an array in row-major order.
std::string npy_header(DType dtype, const Shape& shape);

}  // namespace tapehead::io
