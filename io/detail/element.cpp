#include "element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace tapehead::io {
namespace {

float from_bfloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Half precision: sign, 5 bits of exponent with a bias of 15, 10 bits of fraction.
float from_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31u,
                      fraction = bits & 1023u;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent == 0) {  // fraction 2^-24
    const float size = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -size : size;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

template <class T>
T reversed(T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

// Reads `count` elements of type From, and writes what `convert` makes of each.
template <class From, class To, class F>
void fill(To* to, Index count, bool big_endian, const ByteSource& next, F convert) {
  std::array<From, chunk_bytes / sizeof(From)> chunk;
  while (count > 0) {
    const Index some = std::min(count, static_cast<Index>(chunk.size()));
    next(std::as_writable_bytes(std::span(chunk).first(static_cast<std::size_t>(some))));
    for (const From value : std::span(chunk).first(static_cast<std::size_t>(some)))
      *to++ = convert(big_endian ? reversed(value) : value);
    count -= some;
  }
}

template <class From>
void fill_whole(NDArray& array, bool big_endian, const ByteSource& next) {
  fill<From>(array.mutable_data<Index>("decode"), array.size(), big_endian, next,
             [](From value) { return static_cast<Index>(value); });
}

template <class Bits, class To, class F>
void fill_bits(NDArray& array, bool big_endian, const ByteSource& next, F convert) {
  fill<Bits>(array.mutable_data<To>("decode"), array.size(), big_endian, next, convert);
}

void fill(NDArray& array, Element element, bool big_endian, const ByteSource& next) {
  switch (element) {
    case Element::Bool:
      return fill_bits<std::uint8_t, bool>(array, big_endian, next,
                                           [](std::uint8_t byte) { return byte != 0; });
    case Element::U8:
      return fill_whole<std::uint8_t>(array, big_endian, next);
    case Element::I8:
      return fill_whole<std::int8_t>(array, big_endian, next);
    case Element::U16:
      return fill_whole<std::uint16_t>(array, big_endian, next);
    case Element::I16:
      return fill_whole<std::int16_t>(array, big_endian, next);
    case Element::U32:
      return fill_whole<std::uint32_t>(array, big_endian, next);
    case Element::I32:
      return fill_whole<std::int32_t>(array, big_endian, next);
    case Element::I64:
      return fill_whole<std::int64_t>(array, big_endian, next);
    case Element::F16:
      return fill_bits<std::uint16_t, float>(array, big_endian, next, from_half);
    case Element::BF16:
      return fill_bits<std::uint16_t, float>(array, big_endian, next, from_bfloat);
    case Element::F32:
      return fill_bits<std::uint32_t, float>(
          array, big_endian, next, [](std::uint32_t bits) { return std::bit_cast<float>(bits); });
    default:
      return fill_bits<std::uint64_t, double>(
          array, big_endian, next, [](std::uint64_t bits) { return std::bit_cast<double>(bits); });
  }
}

Dims backwards(const Dims& dims) {
  Dims result;
  for (int d = dims.rank() - 1; d >= 0; --d) result.push_back(dims[d]);
  return result;
}

}  // namespace

const char* widened_name(Element element) {
  switch (element) {
    case Element::U8:
      return "U8";
    case Element::I8:
      return "I8";
    case Element::U16:
      return "U16";
    case Element::I16:
      return "I16";
    case Element::U32:
      return "U32";
    case Element::I32:
      return "I32";
    case Element::F16:
      return "F16";
    case Element::BF16:
      return "BF16";
    default:
      return "";
  }
}

std::uint64_t size_of(Element element) {
  switch (element) {
    case Element::Bool:
    case Element::U8:
    case Element::I8:
      return 1;
    case Element::U16:
    case Element::I16:
    case Element::F16:
    case Element::BF16:
      return 2;
    case Element::U32:
    case Element::I32:
    case Element::F32:
      return 4;
    default:
      return 8;
  }
}

DType dtype_of(Element element) {
  switch (element) {
    case Element::Bool:
      return Bool;
    case Element::F16:
    case Element::BF16:
    case Element::F32:
      return Float32;
    case Element::F64:
      return Float64;
    default:
      return Int64;
  }
}

std::uint64_t bounded_product(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_mul_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

std::uint64_t bounded_sum(std::uint64_t a, std::uint64_t b) {
  std::uint64_t result = 0;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<std::uint64_t>::max() : result;
}

std::uint64_t bytes_of(Element element, const Shape& shape) {
  return bounded_product(static_cast<std::uint64_t>(core::numel(shape)), size_of(element));
}

Shape checked_shape(const Subject& subject, const std::vector<std::uint64_t>& sizes) {
  if (sizes.size() > Shape::max_rank)
    subject.refuse("at most ", Shape::max_rank, " dimensions are supported, got ", sizes.size());
  Shape shape;
  Index count = 1;
  for (const std::uint64_t size : sizes) {
    if (__builtin_mul_overflow(count, size, &count) ||
        size > static_cast<std::uint64_t>(std::numeric_limits<Index>::max()))
      subject.refuse("its shape has more elements than 64 bits can count: dimension ", shape.rank(),
                     " is ", size);
    shape.push_back(static_cast<Index>(size));
  }
  return shape;
}

Tensor decode(const Layout& layout, const ByteSource& next) {
  NDArray array = NDArray::empty(layout.fortran ? backwards(layout.shape) : layout.shape,
                                 dtype_of(layout.element));
  fill(array, layout.element, layout.big_endian, next);
  if (!layout.fortran) return Tensor(std::move(array));
  Dims order;
  for (int d = array.rank() - 1; d >= 0; --d) order.push_back(d);
  return Tensor(array.permute(order));
}

}  // namespace tapehead::io
