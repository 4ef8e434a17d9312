// NDArray: a strided view of shared memory, with no history. Copying one copies the handle.
//
//   NDArray a = NDArray::of({1, 2, 3, 4}, {2, 2}, DType::Float64);
//   a.transpose(0, 1).contiguous().data<double>()[1] == 3
#pragma once

#include <span>

#include "dtype.h"
#include "storage.h"

namespace tapehead::core {

class NDArray {
 public:
  /// An undefined array; only defined() may be asked of it.
  NDArray() = default;
  /// Uninitialised. ShapeError for a negative or overflowing shape, MemoryError beyond the limit.
  static NDArray empty(const Shape& shape, DType dtype);
  /// Every element `value`.
  static NDArray full(const Shape& shape, Scalar value, DType dtype);
  /// `values` in row-major order, whole in Int64. ShapeError unless they fill `shape`, DTypeError
  /// where Int64 cannot hold one.
  static NDArray of(std::span<const double> values, const Shape& shape, DType dtype,
                    const char* op = "of");
  static NDArray of(std::initializer_list<double> values, const Shape& shape, DType dtype) {
    return of(std::span<const double>(values.begin(), values.size()), shape, dtype);
  }

  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  DType dtype() const { return dtype_; }
  /// The number of elements.
  Index size() const { return size_; }
  int rank() const { return shape_.rank(); }
  /// Where the first element lies in the storage, counted in elements.
  Index offset() const { return offset_; }
  bool defined() const { return static_cast<bool>(storage_); }
  bool is_contiguous() const { return contiguous_; }
  /// Whether two indices may name one element (a stride 0, or strides that overlap).
  bool overlaps_itself() const;
  /// Whether nobody else can see a write to it: the only view, and no element shown twice.
  bool exclusive() const;
  bool shares_storage_with(const NDArray& other) const {
    return storage_.raw() == other.storage_.raw();
  }
  std::uint32_t version() const { return storage_->version; }
  const char* writer() const { return storage_->writer; }
  Storage* storage() const { return storage_.raw(); }

  /// The first element. Reading needs no permission; asking to write counts as a change, made by
  /// `writer`.
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(storage_->data) + offset_;
  }
  template <class T>
  T* mutable_data(const char* writer = "mutable_data") {
    ++storage_->version;
    storage_->writer = writer;
    return reinterpret_cast<T*>(storage_->data) + offset_;
  }
  /// The value of a one-element array; ShapeError for any other. DTypeError where T cannot hold it.
  template <class T = double>
  T item() const {
    return dispatch(dtype_, [&]<class U>() { return converted<T>("item", *one_element<U>()); });
  }

  // These share memory.

  /// The same elements in row-major order under another shape; one size may be -1. Possible exactly
  /// where PyTorch's view is; ShapeError otherwise, with the reason and the way out.
  NDArray view(const Shape& shape) const;
  NDArray transpose(int d0, int d1) const;
  /// Dimension d of the result is dimension order[d] of this.
  NDArray permute(const Dims& order) const;
  /// Repeats dimensions of size 1, and new leading ones, without a copy; -1 keeps a size.
  NDArray expand(const Shape& shape) const;
  /// `length` elements of dimension d from `start`.
  NDArray narrow(int d, Index start, Index length) const;
  /// Every `step`-th element of dimension d from `start` up to `end`, both clamped as in Python.
  NDArray slice(int d, Index start, Index end, Index step = 1) const;
  /// Element `index` of dimension d, which disappears.
  NDArray select(int d, Index index) const;
  /// Elements (i, i + offset) of dimensions d0 and d1, as a new last dimension.
  NDArray diagonal(Index offset, int d0, int d1) const;
  /// Without dimension d if its size is 1; without every dimension of size 1.
  NDArray squeeze(int d) const;
  NDArray squeeze() const;
  /// With a new dimension of size 1 before dimension d.
  NDArray unsqueeze(int d) const;

  /// Itself if row-major already, else a row-major copy.
  NDArray contiguous() const { return contiguous_ ? *this : clone(); }
  /// A row-major copy.
  NDArray clone() const;
  /// Whether `view(shape)` would succeed; ShapeError for a shape of another size, in the name of
  /// `op`.
  bool viewable_as(const Shape& shape, const char* op = "view") const;

 private:
  NDArray restrided(const Shape& shape, const Strides& strides, Index offset) const;
  Index offset_of(int d, Index i) const;  // of element i of dimension d
  template <class T>
  const T* one_element() const {
    if (size_ != 1) [[unlikely]]
      fail<ShapeError>("item: expected one element, got shape ", shape_,
                       "; select one first, or reduce with sum() or mean()");
    return data<T>();
  }

  Ref<Storage> storage_;
  Index offset_ = 0, size_ = 0;
  Shape shape_;
  Strides strides_;
  DType dtype_ = DType::Float32;
  bool contiguous_ = true;
};

}  // namespace tapehead::core
