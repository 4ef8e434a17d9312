#include "creation.h"

#include <cmath>

#include "detail/memory_order.h"

namespace tapehead::core {
namespace {

void check_range(double start, double end, double step) {
  if (step == 0 || !std::isfinite(step))
    fail<ShapeError>("arange: step must be finite and not 0, got ", step);
  if (!std::isfinite(start) || !std::isfinite(end))
    fail<ShapeError>("arange: bounds must be finite, got ", start, " and ", end);
  if ((end - start) / step >= 0x1p62)
    fail<ShapeError>("arange: ", start, " to ", end, " in steps of ", step,
                     " is more elements than 64 bits can count; use a larger step");
}

template <class T>
void check_direction(T start, T end, T step) {
  if (step > 0 ? end < start : end > start)
    fail<ShapeError>("arange: steps of ", step, " lead away from ", end, ", starting at ", start,
                     "; change the sign of step");
}

// Counts without signs, since end - start may need 64 bits of its own.
NDArray arange_whole(Index start, Index end, Index step) {
  check_direction(start, end, step);
  const auto from = static_cast<std::uint64_t>(start), to = static_cast<std::uint64_t>(end),
             by = static_cast<std::uint64_t>(step);
  const std::uint64_t span = step > 0 ? to - from : from - to, stride = step > 0 ? by : -by;
  NDArray out =
      NDArray::empty({static_cast<Index>(span / stride + (span % stride != 0))}, DType::Int64);
  auto* value = out.mutable_data<Index>();
  for (Index i = 0; i < out.size(); ++i)
    value[i] = static_cast<Index>(from + static_cast<std::uint64_t>(i) * by);
  return out;
}

// From the nearer end, as below, and without the fraction.
NDArray linspace_whole(Index start, Index end, Index steps) {
  NDArray out = NDArray::empty({steps}, DType::Int64);
  auto* value = out.mutable_data<Index>();
  const double from = static_cast<double>(start), to = static_cast<double>(end);
  const double step = steps > 1 ? (to - from) / static_cast<double>(steps - 1) : 0;
  for (Index i = 0; i < steps; ++i)
    value[i] = static_cast<Index>(i < steps / 2 || steps == 1
                                      ? from + step * static_cast<double>(i)
                                      : to - step * static_cast<double>(steps - 1 - i));
  return out;
}

// PyTorch computes two registers of AVX2 at a time: the first number of each is first(i), the
// others are counted up from it, later(first, k). What is left over comes one by one. To have the
// same bits, so do we.
template <class T, class First, class Later>
void count_up(NDArray& out, First first, Later later) {
  constexpr Index lanes = 32 / Index{sizeof(T)};
  T* value = out.mutable_data<T>();
  const Index paired = out.size() / (2 * lanes) * 2 * lanes;
  for (Index i = 0; i < paired; i += lanes) {
    value[i] = first(i);
    for (Index k = 1; k < lanes; ++k) value[i + k] = later(value[i], k);
  }
  for (Index i = paired; i < out.size(); ++i) value[i] = first(i);
}

}  // namespace

NDArray arange(Scalar start, Scalar end, Scalar step, DType dtype) {
  check_range(start.real(), end.real(), step.real());
  if (dtype == DType::Int64)
    return arange_whole(start.to<Index>("arange"), end.to<Index>("arange"),
                        step.to<Index>("arange"));
  check_direction(start.real(), end.real(), step.real());
  return dispatch_floating("arange", dtype, [&]<class T>() {
    const double from = start.real(), by = step.real();
    NDArray out = NDArray::empty({static_cast<Index>(std::ceil((end.real() - from) / by))}, dtype);
    const auto value = [by](double first, Index i) {
      return static_cast<T>(std::fma(by, static_cast<double>(i), first));
    };
    count_up<T>(
        out, [&](Index i) { return value(from, i); }, value);
    return out;
  });
}

NDArray linspace(double start, double end, Index steps, DType dtype) {
  if (steps < 0) fail<ShapeError>("linspace: steps cannot be negative, got ", steps);
  if (dtype == DType::Int64)
    return linspace_whole(converted<Index>("linspace", start), converted<Index>("linspace", end),
                          steps);
  return dispatch_floating("linspace", dtype, [&]<class T>() {
    NDArray out = NDArray::empty({steps}, dtype);
    const T from = static_cast<T>(start), to = static_cast<T>(end);
    const T step = steps > 1 ? (to - from) / static_cast<T>(steps - 1) : T{0};
    // Counted from the nearer end, so that both ends are met.
    const auto value = [&](Index i) {
      return i < steps / 2 || steps == 1 ? std::fma(step, static_cast<T>(i), from)
                                         : std::fma(-step, static_cast<T>(steps - 1 - i), to);
    };
    count_up<T>(out, value, [step](T first, Index k) { return first + static_cast<T>(k) * step; });
    return out;
  });
}

NDArray eye(Index n, Index m, DType dtype) {
  NDArray out = NDArray::full({n, m}, 0, dtype);
  dispatch(dtype, [&]<class T>() {
    T* value = out.mutable_data<T>();
    for (Index i = 0; i < std::min(n, m); ++i) value[i * m + i] = T{1};
  });
  return out;
}

NDArray empty_in_order_of(const NDArray& x) {
  const Dims order = memory_order(x);
  Shape shape;
  Dims back = order;
  for (int d = 0; d < x.rank(); ++d) {
    shape.push_back(x.shape()[static_cast<int>(order[d])]);
    back[static_cast<int>(order[d])] = d;
  }
  return NDArray::empty(shape, x.dtype()).permute(back);
}

}  // namespace tapehead::core
