// Elements: the number types of files, and how they become those of tensors.
//
// Whole numbers become Int64, half precision becomes Float32: our four dtypes hold each exactly.
#pragma once

#include <optional>

#include "../../autograd/tensor.h"
#include "input_file.h"

namespace tapehead::io {

enum class Element { Bool, U8, I8, U16, I16, U32, I32, I64, F16, BF16, F32, F64 };

/// Safetensors' name for one that becomes a wider dtype, "BF16" say; "" for the others.
const char* widened_name(Element element);

/// How many bytes one takes in a file, and what it is in a tensor.
std::uint64_t size_of(Element element);
DType dtype_of(Element element);

/// The same, or the largest number where they would not fit in 64 bits: no file is that long.
std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b);
std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b);

/// The number of bytes that a tensor of these sizes takes in a file.
std::uint64_t bytes_of(Element element, const Shape& shape);

/// `sizes` as a shape: IoError, about `subject`, where they are more than 8, or have more elements
/// than 64 bits can count.
Shape checked_shape(const Subject& subject, const std::vector<std::uint64_t>& sizes);

/// How elements lie in a file: row-major unless `fortran`, then column-major.
struct Layout {
  Element element = Element::F32;
  Shape shape{};
  bool big_endian = false, fortran = false;
};

/// The tensor that comes next. A Bool is true where its byte is not 0. What lies column-major
/// becomes a transposed view, as in numpy.
Tensor decode(const Layout& layout, const ByteSource& next);

}  // namespace tapehead::io
