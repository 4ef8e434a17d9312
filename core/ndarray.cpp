#include "ndarray.h"

#include <new>
#include <optional>

#include "elementwise.h"
#include "text.h"

namespace tapehead::core {
namespace {

constexpr std::uint64_t header = 64;
static_assert(sizeof(Storage) <= header);

bool row_major_already(const Shape& shape, const Strides& strides) {
  Index expected = 1;
  bool row_major = true;
  for (int d = shape.rank(); d-- > 0;) {
    if (shape[d] == 0) return true;
    row_major &= shape[d] == 1 || strides[d] == expected;
    expected = wrapping_product(expected, shape[d]);
  }
  return row_major;
}

// PyTorch's rule: walk the old dimensions from the last; a maximal run of them that lies evenly in
// memory is a chunk, and the new dimensions must tile each chunk exactly.
std::optional<Strides> view_strides(const Shape& from, const Strides& strides, const Shape& to) {
  if (numel(from) == 0) return from == to ? strides : row_major(to);
  if (from.rank() == 0) return Strides::filled(to.rank(), 1);
  Strides result = Strides::filled(to.rank(), 0);
  int v = to.rank() - 1;
  Index stride = strides[-1], chunk = 1, tiled = 1;
  for (int d = from.rank() - 1; d >= 0; --d) {
    chunk *= from[d];
    const bool ends = d == 0 || (from[d - 1] != 1 && strides[d - 1] != chunk * stride);
    if (!ends) continue;
    for (; v >= 0 && (tiled < chunk || to[v] == 1); --v) {
      result[v] = tiled * stride;
      tiled *= to[v];
    }
    if (tiled != chunk) return std::nullopt;
    if (d > 0) stride = strides[d - 1], chunk = tiled = 1;
  }
  if (v != -1) return std::nullopt;
  return result;
}

// Fills in the one size that may be -1.
Shape inferred(const char* op, const Shape& shape, const Shape& from, Index size) {
  Shape result = shape;
  Index known = 1;
  int free = -1;
  bool overflows = false;
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape[d] < -1)
      fail<ShapeError>(op, ": sizes cannot be negative, got ", shape,
                       "; one may be -1, to be worked out");
    if (shape[d] != -1) {
      overflows |= __builtin_mul_overflow(known, shape[d], &known);
    } else if (free >= 0) {
      fail<ShapeError>(op, ": only one size may be -1, got ", shape, "; write out the others");
    } else {
      free = d;
    }
  }
  if (overflows)
    fail<ShapeError>(op, ": ", shape, " holds more elements than 64 bits can count; use smaller ",
                     "sizes, or one -1 for what is left");
  if (free >= 0 && known == 0)
    fail<ShapeError>(op, ": the -1 in ", shape, " is ambiguous, since another size is 0; ",
                     "write out every size");
  if (free >= 0) result[free] = size / known;
  if (numel(result) != size)
    fail<ShapeError>(op, ": ", shape, free >= 0 ? " cannot hold the " : " does not hold the ", size,
                     size == 1 ? " element of " : " elements of ", from,
                     free >= 0 ? "; the sizes must divide " : "; make their product ", size);
  return result;
}

// "an Int64 tensor of shape (2, 3)"
std::string described(DType dtype, const Shape& shape) {
  return to_text(dtype == DType::Int64 ? "an " : "a ", name(dtype), " tensor of shape ", shape);
}

std::uint64_t bytes_of(const Shape& shape, Index size, DType dtype) {
  Index bytes = 0;
  if (__builtin_mul_overflow(size, size_of(dtype), &bytes)) [[unlikely]]
    fail<ShapeError>("shape: ", described(dtype, shape),
                     " has more bytes than 64 bits can count; use smaller dimensions");
  if (static_cast<std::uint64_t>(bytes) > largest_pooled) [[unlikely]]
    check_budget(static_cast<std::uint64_t>(bytes),
                 [&](std::ostream& out) { out << described(dtype, shape); });
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace

Storage* make_storage(std::uint64_t bytes) {
  auto* block = static_cast<std::byte*>(allocate(header + bytes));
  auto* storage = new (block) Storage;
  storage->data = block + header;
  storage->bytes = bytes;
  return storage;
}
void destroy(Storage* storage) noexcept { deallocate(storage, header + storage->bytes); }

NDArray NDArray::empty(const Shape& shape, DType dtype) {
  NDArray result;
  result.size_ = numel(shape);
  result.storage_ = Ref<Storage>(make_storage(bytes_of(shape, result.size_, dtype)));
  result.shape_ = shape;
  result.strides_ = row_major(shape);
  result.dtype_ = dtype;
  return result;
}

NDArray NDArray::full(const Shape& shape, Scalar value, DType dtype) {
  return dispatch(dtype, [&]<class T>() {
    const T number = value.stored<T>("full");
    NDArray result = empty(shape, dtype);
    std::fill_n(reinterpret_cast<T*>(result.storage_->data), result.size(), number);
    return result;
  });
}

NDArray NDArray::of(std::span<const double> values, const Shape& shape, DType dtype,
                    const char* op) {
  if (static_cast<Index>(values.size()) != numel(shape))
    fail<ShapeError>(op, ": ", values.size(), " values do not fill ", shape, "; give ",
                     numel(shape));
  NDArray result = empty(shape, dtype);
  dispatch(dtype, [&]<class T>() {
    std::transform(values.begin(), values.end(), result.mutable_data<T>(),
                   [op](double v) { return converted<T>(op, v); });
  });
  return result;
}

bool NDArray::overlaps_itself() const {
  if (contiguous_) return false;
  // By growing stride, each dimension must step over all that lies below it.
  Index reach = 0;
  std::array<bool, Dims::max_rank> done{};
  for (int round = 0; round < rank(); ++round) {
    int least = -1;
    for (int d = 0; d < rank(); ++d)
      if (!done.at(static_cast<std::size_t>(d)) && shape_[d] > 1 &&
          (least < 0 || strides_[d] < strides_[least]))
        least = d;
    if (least < 0) return false;
    if (strides_[least] <= reach) return true;
    reach += strides_[least] * (shape_[least] - 1);
    done.at(static_cast<std::size_t>(least)) = true;
  }
  return false;
}

bool NDArray::exclusive() const { return storage_.unique() && !overlaps_itself(); }

NDArray NDArray::restrided(const Shape& shape, const Strides& strides, Index offset) const {
  NDArray result = *this;
  result.shape_ = shape;
  result.strides_ = strides;
  result.offset_ = offset;
  result.size_ = numel(shape);
  result.contiguous_ = row_major_already(shape, strides);
  return result;
}

// Without elements, strides may be any numbers: nothing is to be reached with them.
Index NDArray::offset_of(int d, Index i) const {
  return size_ == 0 ? offset_ : offset_ + i * strides_[d];
}

bool NDArray::viewable_as(const Shape& shape, const char* op) const {
  return view_strides(shape_, strides_, inferred(op, shape, shape_, size_)).has_value();
}

NDArray NDArray::view(const Shape& asked) const {
  const Shape shape = inferred("view", asked, shape_, size_);
  const std::optional<Strides> strides = view_strides(shape_, strides_, shape);
  if (!strides)
    fail<ShapeError>("view: ", shape_, " with strides ", strides_, " cannot be seen as ", shape,
                     " without a copy; call contiguous() first, or use reshape");
  return restrided(shape, *strides, offset_);
}

NDArray NDArray::transpose(int d0, int d1) const {
  Shape shape = shape_;
  Strides strides = strides_;
  d0 = dim_if_any("transpose", d0, rank()), d1 = dim_if_any("transpose", d1, rank());
  if (d0 == d1) return *this;
  std::swap(shape[d0], shape[d1]);
  std::swap(strides[d0], strides[d1]);
  return restrided(shape, strides, offset_);
}

NDArray NDArray::permute(const Dims& order) const {
  if (order.rank() != rank())
    fail<ShapeError>("permute: ", order, " must name each of the ", rank(), " dimensions of ",
                     shape_, " once");
  Shape shape = shape_;
  Strides strides = strides_;
  std::array<bool, Dims::max_rank> seen{};
  for (int d = 0; d < rank(); ++d) {
    const int from = dim("permute", order[d], rank());
    if (std::exchange(seen.at(static_cast<std::size_t>(from)), true))
      fail<ShapeError>("permute: ", order, " names dimension ", from, " twice; name each of the ",
                       rank(), " dimensions once");
    shape[d] = shape_[from];
    strides[d] = strides_[from];
  }
  return restrided(shape, strides, offset_);
}

NDArray NDArray::expand(const Shape& asked) const {
  Shape shape = asked;
  for (int d = 1; d <= std::min(rank(), shape.rank()); ++d)
    if (shape[-d] == -1) shape[-d] = shape_[-d];
  for (const Index size : shape)
    if (size < 0)
      fail<ShapeError>("expand: sizes cannot be negative, got ", asked, " for ", shape_,
                       "; -1 keeps a size, and a new dimension has none");
  Strides strides = expanded("expand", shape_, strides_, shape);
  if (rank() > 0)  // as PyTorch has it where nothing is repeated; the view rule looks at it
    for (int d = shape.rank() - rank(); d-- > 0;)
      if (shape[d] == 1) strides[d] = wrapping_product(shape[d + 1], strides[d + 1]);
  return restrided(shape, strides, offset_);
}

NDArray NDArray::narrow(int d, Index start, Index length) const {
  d = dim("narrow", d, rank());
  const Index size = shape_[d], from = start < 0 ? start + size : start;
  if (length < 0 || from < 0 || from > size || length > size - from)
    fail<ShapeError>("narrow: start ", start, " and length ", length, " reach outside dimension ",
                     d, " of ", shape_, "; its size is ", size);
  Shape shape = shape_;
  shape[d] = length;
  return restrided(shape, strides_, offset_of(d, from));
}

NDArray NDArray::slice(int d, Index start, Index end, Index step) const {
  d = dim("slice", d, rank());
  if (step <= 0)
    fail<ShapeError>("slice: step must be positive, got ", step,
                     "; to reverse a dimension, use index_select");
  const Index size = shape_[d];
  const auto clamped = [size](Index i) { return std::clamp<Index>(i < 0 ? i + size : i, 0, size); };
  const Index from = clamped(start), to = std::max(clamped(end), from);
  Shape shape = shape_;
  Strides strides = strides_;
  shape[d] = (to - from) / step + ((to - from) % step != 0);
  if (__builtin_mul_overflow(strides[d], step, &strides[d])) strides[d] = strides_[d];
  return restrided(shape, strides, offset_of(d, from));
}

NDArray NDArray::select(int d, Index index) const {
  d = dim("select", d, rank());
  const Index size = shape_[d], at = index < 0 ? index + size : index;
  if (size == 0)
    fail<ShapeError>("select: index ", index, " is out of range for dimension ", d, " of ", shape_,
                     ", which is empty");
  if (at < 0 || at >= size)
    fail<ShapeError>("select: index ", index, " is out of range for dimension ", d, " of ", shape_,
                     "; use ", -size, " to ", size - 1);
  return restrided(without(shape_, d), without(strides_, d), offset_of(d, at));
}

NDArray NDArray::diagonal(Index offset, int d0, int d1) const {
  d0 = dim("diagonal", d0, rank()), d1 = dim("diagonal", d1, rank());
  if (d0 == d1) fail<ShapeError>("diagonal: expected two different dimensions, got ", d0, " twice");
  const Index rows = shape_[d0], columns = shape_[d1];
  const Index right = std::clamp<Index>(offset, 0, columns),
              down = -std::clamp<Index>(offset, -rows, 0);
  Shape shape = without(without(shape_, std::max(d0, d1)), std::min(d0, d1));
  Strides strides = without(without(strides_, std::max(d0, d1)), std::min(d0, d1));
  shape.push_back(std::min(rows - down, columns - right));
  strides.push_back(strides_[d0] + strides_[d1]);
  const Index first = numel(shape) == 0 ? 0 : down * strides_[d0] + right * strides_[d1];
  return restrided(shape, strides, offset_ + first);
}

NDArray NDArray::squeeze(int d) const {
  d = dim_if_any("squeeze", d, rank());
  if (rank() == 0 || shape_[d] != 1) return *this;
  return restrided(without(shape_, d), without(strides_, d), offset_);
}

NDArray NDArray::squeeze() const {
  Shape shape;
  Strides strides;
  for (int d = 0; d < rank(); ++d)
    if (shape_[d] != 1) shape.push_back(shape_[d]), strides.push_back(strides_[d]);
  return restrided(shape, strides, offset_);
}

NDArray NDArray::unsqueeze(int d) const {
  d = dim("unsqueeze", d, rank() + 1);
  const Index stride = d < rank() ? wrapping_product(shape_[d], strides_[d]) : 1;
  return restrided(with_inserted(shape_, d, 1), with_inserted(strides_, d, stride), offset_);
}

NDArray NDArray::clone() const { return copy(*this); }

}  // namespace tapehead::core
