#include "creation.h"

#include <cmath>

namespace tapehead::core {
namespace {

Index arange_length(double start, double end, double step) {
  if (step == 0 || !std::isfinite(step))
    fail<ShapeError>("arange: step must be finite and not 0, got ", step);
  if (!std::isfinite(start) || !std::isfinite(end))
    fail<ShapeError>("arange: bounds must be finite, got ", start, " to ", end);
  if ((step > 0 && end < start) || (step < 0 && end > start))
    fail<ShapeError>("arange: from ", start, " to ", end, " a step of ", step,
                     " leads away from the end; change its sign");
  const double length = std::ceil((end - start) / step);
  if (length >= 0x1p62)
    fail<ShapeError>("arange: from ", start, " to ", end, " by ", step,
                     " are more elements than 64 bits can count");
  return static_cast<Index>(length);
}

}  // namespace

NDArray arange(Scalar start, Scalar end, Scalar step, DType dtype) {
  return dispatch_numeric("arange", dtype, [&]<class T>() {
    using Wide = std::conditional_t<std::is_same_v<T, Index>, std::uint64_t, double>;
    const T from = start.to<T>("arange"), by = step.to<T>("arange");
    end.to<T>("arange");
    NDArray out = NDArray::empty({arange_length(start.real(), end.real(), step.real())}, dtype);
    T* value = out.mutable_data<T>();
    if constexpr (std::is_same_v<T, Index>) {
      for (Index i = 0; i < out.size(); ++i)
        value[i] = static_cast<T>(static_cast<Wide>(from) + static_cast<Wide>(i * by));
    } else {
      for (Index i = 0; i < out.size(); ++i)
        value[i] = static_cast<T>(start.real() + static_cast<double>(i) * step.real());
    }
    return out;
  });
}

NDArray linspace(double start, double end, Index steps, DType dtype) {
  if (steps < 0) fail<ShapeError>("linspace: steps cannot be negative, got ", steps);
  return dispatch_floating("linspace", dtype, [&]<class T>() {
    NDArray out = NDArray::empty({steps}, dtype);
    T* value = out.mutable_data<T>();
    const T from = static_cast<T>(start), to = static_cast<T>(end);
    const T step = steps > 1 ? (to - from) / static_cast<T>(steps - 1) : T{0};
    for (Index i = 0; i < steps; ++i)
      value[i] = i < steps / 2 || steps == 1 ? from + step * static_cast<T>(i)
                                             : to - step * static_cast<T>(steps - 1 - i);
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

}  // namespace tapehead::core
