#include "random.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "detail/box_muller.h"
#include "detail/memory_order.h"
#include "elementwise.h"

namespace tapehead::core {
namespace {

template <class T>
T uniform(Generator& generator) {
  if constexpr (std::is_same_v<T, float>) return generator.uniform_float();
  return static_cast<T>(generator.uniform_double());
}

template <class T, class F>
void fill_dimension(T* data, const NDArray& view, int d, F& next) {
  if (d == view.rank()) {
    *data = next();
    return;
  }
  for (Index i = 0; i < view.shape()[d]; ++i)
    fill_dimension(data + i * view.strides()[d], view, d + 1, next);
}

// target[...] = next(), in the order of memory.
template <class T, class F>
void fill(const char* op, NDArray& target, F next) {
  check_target(op, target);
  if (target.is_contiguous())
    std::generate_n(target.mutable_data<T>(op), target.size(), next);
  else
    fill_dimension(target.mutable_data<T>(op), target.permute(memory_order(target)), 0, next);
}

// Uniform numbers first, then 16 at a time; what is left over at the end is drawn anew together
// with its predecessors.
template <class T>
void fill_normal(Generator& generator, T* data, Index n, T mean, T std) {
  const auto next = [&] { return uniform<T>(generator); };
  std::generate_n(data, n, next);
  for (Index i = 0; i + 16 <= n; i += 16) box_muller_16(data + i, mean, std);
  if (n % 16 == 0) return;
  std::generate_n(data + n - 16, 16, next);
  box_muller_16(data + n - 16, mean, std);
}

void fill_normal(const char* op, Generator& generator, NDArray& target, double mean, double std) {
  dispatch_floating(op, target.dtype(), [&]<class T>() {
    if (target.size() >= 16 && target.is_contiguous())
      return fill_normal(generator, target.mutable_data<T>(op), target.size(), static_cast<T>(mean),
                         static_cast<T>(std));
    fill<T>(op, target,
            [&] { return static_cast<T>(std::fma(generator.normal_double(), std, mean)); });
  });
}

void check_probability(const char* op, double p) {
  if (!(p >= 0 && p <= 1)) fail(op, ": a probability must lie in [0, 1], got ", p);
}

void fill_bernoulli(const char* op, Generator& generator, NDArray& target, double p) {
  check_probability(op, p);
  dispatch(target.dtype(), [&]<class T>() {
    fill<T>(op, target, [&] { return static_cast<T>(generator.uniform_double() < p); });
  });
}

// Whether T holds every whole number of [low, high).
template <class T>
bool holds_all(Index low, Index high) {
  if constexpr (std::is_same_v<T, bool>) return low >= 0 && high <= 2;
  if constexpr (std::is_floating_point_v<T>) {
    constexpr Index most = Index{1} << std::numeric_limits<T>::digits;
    return low >= -most && high - 1 <= most;
  }
  return true;
}

template <class T>
bool in_range(double x) {
  return std::abs(x) <= static_cast<double>(std::numeric_limits<T>::max());
}

}  // namespace

NDArray rand(Generator& generator, const Shape& shape, DType dtype) {
  return dispatch_floating("rand", dtype, [&]<class T>() {
    NDArray result = NDArray::empty(shape, dtype);
    fill<T>("rand", result, [&] { return uniform<T>(generator); });
    return result;
  });
}

NDArray randn(Generator& generator, const Shape& shape, DType dtype) {
  NDArray result = NDArray::empty(shape, dtype);
  fill_normal("randn", generator, result, 0, 1);
  return result;
}

NDArray randint(Generator& generator, Index low, Index high, const Shape& shape, DType dtype) {
  NDArray result = NDArray::empty(shape, dtype);
  randint_(generator, result, low, high, "randint");
  return result;
}

void randint_(Generator& generator, NDArray& target, Index low, Index high, const char* op) {
  const DType dtype = target.dtype();
  if (low >= high)
    fail(op, ": low must be below high, got ", low, " and ", high, "; high itself is excluded");
  const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  const bool wide = range >> 32 != 0;
  dispatch(dtype, [&]<class T>() {
    if (!holds_all<T>(low, high))
      fail<DTypeError>(op, ": ", name(dtype), " does not hold every whole number from ", low,
                       " to ", high - 1, "; use Int64");
    fill<T>(op, target, [&] {
      const std::uint64_t draw = wide ? generator.random64() : generator.random();
      return static_cast<T>(static_cast<Index>(draw % range + static_cast<std::uint64_t>(low)));
    });
  });
}

NDArray randperm(Generator& generator, Index n) {
  if (n < 0) fail<ShapeError>("randperm: n cannot be negative, got ", n);
  NDArray result = NDArray::empty({n}, DType::Int64);
  Index* const data = result.mutable_data<Index>("randperm");
  std::iota(data, data + n, Index{0});
  for (Index i = 0; i < n - 1; ++i)
    std::swap(data[i], data[i + static_cast<Index>(generator.random()) % (n - i)]);
  return result;
}

NDArray bernoulli(Generator& generator, double p, const Shape& shape, DType dtype) {
  NDArray result = NDArray::empty(shape, dtype);
  fill_bernoulli("bernoulli", generator, result, p);
  return result;
}

NDArray bernoulli(Generator& generator, const NDArray& probabilities) {
  return dispatch_floating("bernoulli", probabilities.dtype(), [&]<class T>() {
    const NDArray p = probabilities.contiguous();
    const T* chance = p.data<T>();
    for (Index i = 0; i < p.size(); ++i)
      check_probability("bernoulli", static_cast<double>(chance[i]));
    NDArray result = NDArray::empty(p.shape(), p.dtype());
    fill<T>("bernoulli", result, [&] { return static_cast<T>(uniform<T>(generator) < *chance++); });
    return result;
  });
}

void uniform_(Generator& generator, NDArray& target, double from, double to, const char* op) {
  dispatch_floating(op, target.dtype(), [&]<class T>() {
    if (!(from <= to && in_range<T>(from) && in_range<T>(to) && in_range<T>(to - from)))
      fail(op, ": from must not exceed to, and both and their distance must be ",
           name(target.dtype()), " numbers, got ", from, " and ", to);
    const T low = static_cast<T>(from), width = static_cast<T>(to) - low;
    fill<T>(op, target, [&] { return std::fma(uniform<T>(generator), width, low); });
  });
}

void normal_(Generator& generator, NDArray& target, double mean, double std, const char* op) {
  if (!(std >= 0)) fail(op, ": std must not be negative, got ", std);
  fill_normal(op, generator, target, mean, std);
}

void exponential_(Generator& generator, NDArray& target) {
  dispatch_floating("exponential_", target.dtype(), [&]<class T>() {
    fill<T>("exponential_", target,
            [&] { return static_cast<T>(-std::log(1 - generator.uniform_double())); });
  });
}

void bernoulli_(Generator& generator, NDArray& target, double p) {
  fill_bernoulli("bernoulli_", generator, target, p);
}

}  // namespace tapehead::core
