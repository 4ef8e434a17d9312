#include "create.h"

#include "../core/creation.h"
#include "../core/elementwise.h"
#include "../core/random.h"
#include "ops/check_defined.h"

namespace tapehead {
namespace {

// The shape, unless a size is negative.
const Shape& checked(const char* op, const Shape& shape) {
  for (const Index size : shape)
    if (size < 0)
      fail<ShapeError>(op, ": sizes cannot be negative, got ", shape,
                       "; -1 is for view, reshape and expand");
  return shape;
}

// Draws from the default generator while nobody else does.
template <class Draw>
Tensor drawn(Draw draw) {
  const std::lock_guard lock(core::default_generator_mutex());
  return Tensor(draw(core::default_generator()));
}

DType dtype_of_range(Scalar a, Scalar b, Scalar c) {
  return a.is_whole() && b.is_whole() && c.is_whole() ? Int64 : Float32;
}

}  // namespace

NestedList::NestedList(std::initializer_list<NestedList> elements)
    : dtype_(elements.size() ? elements.begin()->dtype_ : Float32) {
  shape_.push_back(static_cast<Index>(elements.size()));
  if (elements.size() == 0) return;
  for (const Index size : elements.begin()->shape_) shape_.push_back(size);
  for (const NestedList& element : elements) {
    if (element.shape_ != elements.begin()->shape_)
      fail<ShapeError>("tensor: elements of one list must have one shape, got ",
                       elements.begin()->shape_, " and ", element.shape_);
    dtype_ = core::wider(dtype_, element.dtype_);
    values_.insert(values_.end(), element.values_.begin(), element.values_.end());
    whole_.insert(whole_.end(), element.whole_.begin(), element.whole_.end());
  }
}

Tensor tensor(const NestedList& values) { return tensor(values, values.dtype()); }
Tensor tensor(const NestedList& values, DType dtype) {
  if (values.dtype() == Int64 && dtype == Int64 && values.whole().size() == values.values().size())
    return tensor(values.whole(), values.shape());
  return tensor(values.values(), values.shape(), dtype);
}
static void check_fills(std::size_t values, const Shape& shape) {
  if (static_cast<Index>(values) != core::numel(checked("tensor", shape)))
    fail<ShapeError>("tensor: ", values, " values do not fill ", shape, "; give ",
                     core::numel(shape));
}
Tensor tensor(const std::vector<double>& values, const Shape& shape, DType dtype) {
  check_fills(values.size(), shape);
  return Tensor(NDArray::of(values, shape, dtype, "tensor"));
}
Tensor tensor(const std::vector<Index>& values, const Shape& shape) {
  check_fills(values.size(), shape);
  NDArray array = NDArray::empty(shape, Int64);
  std::copy(values.begin(), values.end(), array.mutable_data<Index>());
  return Tensor(std::move(array));
}

Tensor zeros(const Shape& shape, DType dtype) { return full(checked("zeros", shape), 0, dtype); }
Tensor ones(const Shape& shape, DType dtype) { return full(checked("ones", shape), 1, dtype); }
Tensor full(const Shape& shape, Scalar value) { return full(shape, value, value.dtype()); }
Tensor full(const Shape& shape, Scalar value, DType dtype) {
  return Tensor(NDArray::full(checked("full", shape), value, dtype));
}
Tensor empty(const Shape& shape, DType dtype) {
  return Tensor(NDArray::empty(checked("empty", shape), dtype));
}
Tensor zeros_like(const Tensor& x) {
  check_defined("zeros_like", x);
  return zeros(x.shape(), x.dtype());
}
Tensor ones_like(const Tensor& x) {
  check_defined("ones_like", x);
  return ones(x.shape(), x.dtype());
}
Tensor full_like(const Tensor& x, Scalar value) {
  check_defined("full_like", x);
  NDArray array = NDArray::empty(x.shape(), x.dtype());
  core::fill_(array, value, "full_like");
  return Tensor(std::move(array));
}
Tensor empty_like(const Tensor& x) {
  check_defined("empty_like", x);
  return empty(x.shape(), x.dtype());
}

Tensor arange(Scalar end) { return arange(0, end, 1); }
Tensor arange(Scalar end, DType dtype) { return arange(0, end, 1, dtype); }
Tensor arange(Scalar start, Scalar end, Scalar step) {
  return arange(start, end, step, dtype_of_range(start, end, step));
}
Tensor arange(Scalar start, Scalar end, Scalar step, DType dtype) {
  return Tensor(core::arange(start, end, step, dtype));
}
Tensor linspace(double start, double end, Index steps, DType dtype) {
  return Tensor(core::linspace(start, end, steps, dtype));
}
Tensor eye(Index n, DType dtype) { return eye(n, n, dtype); }
Tensor eye(Index n, Index m, DType dtype) {
  checked("eye", {n, m});
  return Tensor(core::eye(n, m, dtype));
}

void manual_seed(std::uint64_t seed) {
  const std::lock_guard lock(core::default_generator_mutex());
  core::default_generator().manual_seed(seed);
}
Tensor rand(const Shape& shape, DType dtype) {
  return drawn([&](core::Generator& g) { return core::rand(g, checked("rand", shape), dtype); });
}
Tensor randn(const Shape& shape, DType dtype) {
  return drawn([&](core::Generator& g) { return core::randn(g, checked("randn", shape), dtype); });
}
Tensor randint(Index low, Index high, const Shape& shape, DType dtype) {
  return drawn([&](core::Generator& g) {
    return core::randint(g, low, high, checked("randint", shape), dtype);
  });
}
Tensor randperm(Index n) {
  return drawn([&](core::Generator& g) { return core::randperm(g, n); });
}
Tensor rand_like(const Tensor& x) {
  check_defined("rand_like", x);
  return drawn([&](core::Generator& g) {
    NDArray array = core::empty_in_order_of(x.array());
    core::uniform_(g, array, 0, 1, "rand_like");
    return array;
  });
}
Tensor randn_like(const Tensor& x) {
  check_defined("randn_like", x);
  return drawn([&](core::Generator& g) {
    NDArray array = core::empty_in_order_of(x.array());
    core::normal_(g, array, 0, 1, "randn_like");
    return array;
  });
}
Tensor randint_like(const Tensor& x, Index low, Index high) {
  check_defined("randint_like", x);
  return drawn([&](core::Generator& g) {
    NDArray array = core::empty_in_order_of(x.array());
    core::randint_(g, array, low, high, "randint_like");
    return array;
  });
}
Tensor bernoulli(const Tensor& p) {
  check_defined("bernoulli", p);
  return drawn([&](core::Generator& g) { return core::bernoulli(g, p.array()); });
}
Tensor bernoulli(const Tensor& x, double p) {
  check_defined("bernoulli", x);
  return drawn([&](core::Generator& g) { return core::bernoulli(g, p, x.shape(), x.dtype()); });
}

}  // namespace tapehead
