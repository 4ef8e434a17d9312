#include "elementwise.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "row_kernels.h"

namespace tapehead::core {
namespace {

void same_dtype(const char* op, const NDArray& a, const NDArray& b) {
  if (a.dtype() != b.dtype()) [[unlikely]]
    fail<DTypeError>(op, ": dtypes ", name(a.dtype()), " and ", name(b.dtype()),
                     " differ; convert one of them, for example with .to(", name(a.dtype()), ")");
}
void must_be_bool(const char* op, const NDArray& x) {
  if (x.dtype() != DType::Bool) [[unlikely]]
    fail<DTypeError>(op, ": expected Bool, got ", name(x.dtype()), "; convert with .to(Bool)");
}

Operand operand(const char* op, const NDArray& x, const Shape& shape) {
  return {first_byte(x), size_of(x.dtype()), expanded(op, x.shape(), x.strides(), shape)};
}
template <class T>
Operand scalar(T& value, const Shape& shape) {
  return {reinterpret_cast<std::byte*>(&value), Index{sizeof(T)}, Strides::filled(shape.rank(), 0)};
}

NDArray map(const char* op, const NDArray& x, DType dtype, RowKernel kernel) {
  NDArray out = NDArray::empty(x.shape(), dtype);
  if (x.is_contiguous() && x.size() < 4096) {
    const std::array data{first_byte(out), first_byte(x)};
    static constexpr std::array<Index, 2> steps{1, 1};
    kernel(x.size(), data.data(), steps.data());
    return out;
  }
  for_rows(kernel, x.shape(), std::array{operand(op, out, x.shape()), operand(op, x, x.shape())});
  return out;
}

NDArray zip(const char* op, const NDArray& a, const NDArray& b, DType dtype, RowKernel kernel) {
  if (a.is_contiguous() && b.is_contiguous() && a.size() < 4096 && a.shape() == b.shape()) {
    NDArray out = NDArray::empty(a.shape(), dtype);
    const std::array data{first_byte(out), first_byte(a), first_byte(b)};
    static constexpr std::array<Index, 3> steps{1, 1, 1};
    kernel(a.size(), data.data(), steps.data());
    return out;
  }
  const Shape shape = broadcast(op, a.shape(), b.shape());
  NDArray out = NDArray::empty(shape, dtype);
  for_rows(kernel, shape,
           std::array{operand(op, out, shape), operand(op, a, shape), operand(op, b, shape)});
  return out;
}

// An array and a number; `number_first` says which is the left operand.
template <class T>
NDArray zip_scalar(const char* op, const NDArray& a, T number, DType dtype, RowKernel kernel,
                   bool number_first = false) {
  NDArray out = NDArray::empty(a.shape(), dtype);
  const Operand to = operand(op, out, a.shape()), array = operand(op, a, a.shape()),
                one = scalar(number, a.shape());
  if (number_first)
    for_rows(kernel, a.shape(), std::array{to, one, array});
  else
    for_rows(kernel, a.shape(), std::array{to, array, one});
  return out;
}

template <class F>
NDArray map_numeric(const char* op, const NDArray& x, F) {
  return dispatch_numeric(op, x.dtype(),
                          [&]<class T>() { return map(op, x, x.dtype(), map_row<T, F, T>); });
}
template <class F>
NDArray map_floating(const char* op, const NDArray& x, F) {
  return dispatch_floating(op, x.dtype(),
                           [&]<class T>() { return map(op, x, x.dtype(), map_row<T, F, T>); });
}
template <class F>
NDArray zip_numeric(const char* op, const NDArray& a, const NDArray& b, F) {
  same_dtype(op, a, b);
  return dispatch_numeric(op, a.dtype(),
                          [&]<class T>() { return zip(op, a, b, a.dtype(), zip_row<T, F, T>); });
}
template <class F>
NDArray zip_floating(const char* op, const NDArray& a, const NDArray& b, F) {
  same_dtype(op, a, b);
  return dispatch_floating(op, a.dtype(),
                           [&]<class T>() { return zip(op, a, b, a.dtype(), zip_row<T, F, T>); });
}
template <class F>
NDArray zip_numeric(const char* op, const NDArray& a, Scalar b, F, bool number_first = false) {
  return dispatch_numeric(op, a.dtype(), [&]<class T>() {
    return zip_scalar(op, a, b.to<T>(op), a.dtype(), zip_row<T, F, T>, number_first);
  });
}
template <class F>
NDArray compare(const char* op, const NDArray& a, const NDArray& b, F) {
  same_dtype(op, a, b);
  return dispatch(a.dtype(),
                  [&]<class T>() { return zip(op, a, b, DType::Bool, zip_row<bool, F, T>); });
}
template <class F>
NDArray compare(const char* op, const NDArray& a, Scalar b, F) {
  return dispatch(a.dtype(), [&]<class T>() {
    return zip_scalar(op, a, b.to<T>(op), DType::Bool, zip_row<bool, F, T>);
  });
}

// Int64 wraps around, as in PyTorch; signed overflow would be undefined.
constexpr auto wrapping = []<class T>(T x) {
  if constexpr (std::is_same_v<T, Index>)
    return static_cast<std::uint64_t>(x);
  else
    return x;
};
constexpr auto plus = []<class T>(T x, T y) { return static_cast<T>(wrapping(x) + wrapping(y)); };
constexpr auto minus = []<class T>(T x, T y) { return static_cast<T>(wrapping(x) - wrapping(y)); };
constexpr auto times = []<class T>(T x, T y) { return static_cast<T>(wrapping(x) * wrapping(y)); };
constexpr auto over = [](auto x, auto y) { return x / y; };
constexpr auto larger = [](auto x, auto y) { return x > y || x != x ? x : y; };
constexpr auto smaller = [](auto x, auto y) { return x < y || x != x ? x : y; };

constexpr auto power = []<class T>(T x, T y) {
  if constexpr (std::is_same_v<T, Index>) {
    std::uint64_t result = 1, factor = static_cast<std::uint64_t>(x);
    for (; y > 0; y >>= 1, factor *= factor)
      if (y & 1) result *= factor;
    return static_cast<Index>(result);
  } else {
    return std::pow(x, y);
  }
};

template <class T>
T phi(T x) {  // the normal density
  return std::exp(x * x / -2) *
         static_cast<T>(0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2);
}
template <class T>
T big_phi(T x) {  // the normal distribution function
  return (1 + std::erf(x * static_cast<T>(1 / std::numbers::sqrt2))) / 2;
}
template <class T>
constexpr T gelu_scale = static_cast<T>(std::numbers::sqrt2* std::numbers::inv_sqrtpi);
template <class T>
constexpr T gelu_cubic = static_cast<T>(0.044715);

void floating_only(const char* op, DType dtype) {
  if (dtype == DType::Int64)
    fail<DTypeError>(op,
                     ": Int64 / Int64 has no Int64 result; convert with .to(Float32) first, or "
                     "use floor_divide");
}

void refuse_negative_power(const NDArray& exponent) {
  if (exponent.dtype() != DType::Int64) return;
  const NDArray flat = exponent.contiguous();
  for (Index i = 0; i < flat.size(); ++i)
    if (flat.data<Index>()[i] < 0)
      fail<DTypeError>("pow: Int64 to the power ", flat.data<Index>()[i],
                       " is not a whole number; convert with .to(Float64) first");
}

}  // namespace

NDArray neg(const NDArray& x) {
  return map_numeric("neg", x, []<class T>(T v) {
    if constexpr (std::is_same_v<T, Index>)
      return minus(Index{0}, v);
    else
      return -v;
  });
}
NDArray abs(const NDArray& x) {
  return map_numeric("abs", x, []<class T>(T v) {
    if constexpr (std::is_same_v<T, Index>)
      return v < 0 ? minus(Index{0}, v) : v;
    else
      return std::fabs(v);
  });
}
NDArray relu(const NDArray& x) {
  return map_numeric("relu", x, []<class T>(T v) { return v < 0 ? T{0} : v; });
}
NDArray sign(const NDArray& x) {
  return map_numeric("sign", x, []<class T>(T v) { return static_cast<T>((v > 0) - (v < 0)); });
}

NDArray exp(const NDArray& x) {
  return map_floating("exp", x, [](auto v) { return std::exp(v); });
}
NDArray log(const NDArray& x) {
  return map_floating("log", x, [](auto v) { return std::log(v); });
}
NDArray sqrt(const NDArray& x) {
  return map_floating("sqrt", x, [](auto v) { return std::sqrt(v); });
}
NDArray rsqrt(const NDArray& x) {
  return map_floating("rsqrt", x, [](auto v) { return 1 / std::sqrt(v); });
}
NDArray sin(const NDArray& x) {
  return map_floating("sin", x, [](auto v) { return std::sin(v); });
}
NDArray cos(const NDArray& x) {
  return map_floating("cos", x, [](auto v) { return std::cos(v); });
}
NDArray tanh(const NDArray& x) {
  return map_floating("tanh", x, [](auto v) { return std::tanh(v); });
}
NDArray sigmoid(const NDArray& x) {
  return map_floating("sigmoid", x, [](auto v) { return 1 / (1 + std::exp(-v)); });
}
NDArray erf(const NDArray& x) {
  return map_floating("erf", x, [](auto v) { return std::erf(v); });
}
NDArray gelu(const NDArray& x) {
  return map_floating("gelu", x, [](auto v) { return v * big_phi(v); });
}
NDArray gelu_tanh(const NDArray& x) {
  return map_floating("gelu_tanh", x, []<class T>(T v) {
    return v / 2 * (1 + std::tanh(gelu_scale<T> * (v + gelu_cubic<T> * v * v * v)));
  });
}

NDArray relu_backward(const NDArray& g, const NDArray& y) {
  return zip_numeric("relu_backward", g, y, []<class T>(T d, T v) { return v <= 0 ? T{0} : d; });
}
NDArray tanh_backward(const NDArray& g, const NDArray& y) {
  return zip_floating("tanh_backward", g, y, [](auto d, auto v) { return d * (1 - v * v); });
}
NDArray sigmoid_backward(const NDArray& g, const NDArray& y) {
  return zip_floating("sigmoid_backward", g, y, [](auto d, auto v) { return d * (1 - v) * v; });
}
NDArray gelu_backward(const NDArray& g, const NDArray& x) {
  return zip_floating("gelu_backward", g, x,
                      [](auto d, auto v) { return d * (big_phi(v) + v * phi(v)); });
}
// With u = c (x + k x^3):  d/dx [x/2 (1 + tanh u)] = (1 + tanh u)/2 + x/2 (1 - tanh^2 u) du/dx.
NDArray gelu_tanh_backward(const NDArray& g, const NDArray& x) {
  return zip_floating("gelu_tanh_backward", g, x, []<class T>(T d, T v) {
    const T t = std::tanh(gelu_scale<T> * (v + gelu_cubic<T> * v * v * v));
    const T du = gelu_scale<T> * (1 + 3 * gelu_cubic<T> * v * v);
    return d * ((1 + t) / 2 + v / 2 * (1 - t * t) * du);
  });
}

NDArray add(const NDArray& a, const NDArray& b) { return zip_numeric("add", a, b, plus); }
NDArray sub(const NDArray& a, const NDArray& b) { return zip_numeric("sub", a, b, minus); }
NDArray mul(const NDArray& a, const NDArray& b) { return zip_numeric("mul", a, b, times); }
NDArray div(const NDArray& a, const NDArray& b) {
  floating_only("div", a.dtype());
  return zip_floating("div", a, b, over);
}
NDArray pow(const NDArray& a, const NDArray& b) {
  refuse_negative_power(b);
  return zip_numeric("pow", a, b, power);
}
NDArray maximum(const NDArray& a, const NDArray& b) { return zip_numeric("maximum", a, b, larger); }
NDArray minimum(const NDArray& a, const NDArray& b) {
  return zip_numeric("minimum", a, b, smaller);
}
NDArray add(const NDArray& a, Scalar b) { return zip_numeric("add", a, b, plus); }
NDArray sub(const NDArray& a, Scalar b) { return zip_numeric("sub", a, b, minus); }
NDArray sub(Scalar a, const NDArray& b) { return zip_numeric("sub", b, a, minus, true); }
NDArray mul(const NDArray& a, Scalar b) { return zip_numeric("mul", a, b, times); }
NDArray div(const NDArray& a, Scalar b) {
  floating_only("div", a.dtype());
  return zip_numeric("div", a, b, over);
}
NDArray div(Scalar a, const NDArray& b) {
  floating_only("div", b.dtype());
  return zip_numeric("div", b, a, over, true);
}
NDArray pow(const NDArray& a, Scalar b) {
  if (a.dtype() == DType::Int64 && b.real() < 0)
    fail<DTypeError>("pow: Int64 to the power ", b.real(),
                     " is not a whole number; convert with .to(Float64) first");
  return zip_numeric("pow", a, b, power);
}
NDArray pow(Scalar a, const NDArray& b) {
  refuse_negative_power(b);
  return zip_numeric("pow", b, a, power, true);
}

constexpr auto equal_to = [](auto x, auto y) { return x == y; };
constexpr auto not_equal = [](auto x, auto y) { return x != y; };
constexpr auto less = [](auto x, auto y) { return x < y; };
constexpr auto less_equal = [](auto x, auto y) { return x <= y; };
constexpr auto greater = [](auto x, auto y) { return x > y; };
constexpr auto greater_equal = [](auto x, auto y) { return x >= y; };

NDArray eq(const NDArray& a, const NDArray& b) { return compare("eq", a, b, equal_to); }
NDArray ne(const NDArray& a, const NDArray& b) { return compare("ne", a, b, not_equal); }
NDArray lt(const NDArray& a, const NDArray& b) { return compare("lt", a, b, less); }
NDArray le(const NDArray& a, const NDArray& b) { return compare("le", a, b, less_equal); }
NDArray gt(const NDArray& a, const NDArray& b) { return compare("gt", a, b, greater); }
NDArray ge(const NDArray& a, const NDArray& b) { return compare("ge", a, b, greater_equal); }
NDArray eq(const NDArray& a, Scalar b) { return compare("eq", a, b, equal_to); }
NDArray ne(const NDArray& a, Scalar b) { return compare("ne", a, b, not_equal); }
NDArray lt(const NDArray& a, Scalar b) { return compare("lt", a, b, less); }
NDArray le(const NDArray& a, Scalar b) { return compare("le", a, b, less_equal); }
NDArray gt(const NDArray& a, Scalar b) { return compare("gt", a, b, greater); }
NDArray ge(const NDArray& a, Scalar b) { return compare("ge", a, b, greater_equal); }

NDArray logical_not(const NDArray& x) {
  must_be_bool("logical_not", x);
  const auto f = [](bool v) { return !v; };
  return map("logical_not", x, DType::Bool, map_row<bool, decltype(f), bool>);
}
NDArray logical_and(const NDArray& a, const NDArray& b) {
  must_be_bool("logical_and", a), must_be_bool("logical_and", b);
  const auto f = [](bool x, bool y) { return x && y; };
  return zip("logical_and", a, b, DType::Bool, zip_row<bool, decltype(f), bool>);
}
NDArray logical_or(const NDArray& a, const NDArray& b) {
  must_be_bool("logical_or", a), must_be_bool("logical_or", b);
  const auto f = [](bool x, bool y) { return x || y; };
  return zip("logical_or", a, b, DType::Bool, zip_row<bool, decltype(f), bool>);
}

namespace {
constexpr auto choose = [](bool c, auto x, auto y) { return c ? x : y; };
}

NDArray where(const NDArray& condition, const NDArray& a, const NDArray& b) {
  must_be_bool("where", condition);
  same_dtype("where", a, b);
  const Shape shape =
      broadcast("where", condition.shape(), broadcast("where", a.shape(), b.shape()));
  NDArray out = NDArray::empty(shape, a.dtype());
  dispatch(a.dtype(), [&]<class T>() {
    for_rows(zip3_row<T, decltype(choose), bool>, shape,
             std::array{operand("where", out, shape), operand("where", condition, shape),
                        operand("where", a, shape), operand("where", b, shape)});
  });
  return out;
}

NDArray masked_fill(const NDArray& x, const NDArray& mask, Scalar value) {
  NDArray out = copy(x);
  masked_fill_(out, mask, value, "masked_fill");
  return out;
}

NDArray clamp(const NDArray& x, std::optional<Scalar> low, std::optional<Scalar> high) {
  if (!low && !high)
    fail<Error>("clamp: expected a lower or an upper bound, got neither; give one");
  if (!high) return zip_numeric("clamp", x, *low, larger);
  if (!low) return zip_numeric("clamp", x, *high, smaller);
  return zip_numeric("clamp", zip_numeric("clamp", x, *low, larger), *high, smaller);
}

NDArray copy(const NDArray& x) {
  return dispatch(x.dtype(), [&]<class T>() {
    const auto same = [](auto v) { return v; };
    return map("copy", x, x.dtype(), map_row<T, decltype(same), T>);
  });
}

namespace {

// From floats as x86 converts, and PyTorch with it: what does not fit becomes the smallest number.
template <class To>
constexpr auto converted = []<class From>(From v) -> To {
  if constexpr (std::is_same_v<To, bool>) {
    return v != 0;
  } else if constexpr (std::is_same_v<To, Index> && std::is_floating_point_v<From>) {
    constexpr From limit = static_cast<From>(0x1p63);
    return v >= -limit && v < limit ? static_cast<Index>(v) : std::numeric_limits<Index>::min();
  } else {
    return static_cast<To>(v);
  }
};

RowKernel cast_kernel(DType to, DType from) {
  return dispatch(to, [&]<class To>() {
    return dispatch(from, []<class From>() -> RowKernel {
      return map_row<To, std::remove_const_t<decltype(converted<To>)>, From>;
    });
  });
}

// The smallest and one past the largest address an array reaches.
std::pair<const std::byte*, const std::byte*> extent(const NDArray& x) {
  const Index item = size_of(x.dtype());
  const std::byte* low = first_byte(x);
  const std::byte* high = low + item;
  for (int d = 0; d < x.rank(); ++d) {
    const Index reach = x.strides()[d] * (x.shape()[d] - 1) * item;
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

// `b` itself, or a copy of it where writing the target could change what is still to be read.
NDArray readable(const NDArray& target, const NDArray& b) {
  if (!b.shares_storage_with(target) || b.size() == 0 || target.size() == 0) return b;
  if (b.offset() == target.offset() && b.dtype() == target.dtype() && b.shape() == target.shape() &&
      b.strides() == target.strides())
    return b;
  const auto [low, high] = extent(target);
  const auto [from, to] = extent(b);
  return to <= low || high <= from ? b : copy(b);
}

void check_target(const char* op, const NDArray& target) {
  if (target.overlaps_itself())
    fail<ShapeError>(op, ": elements of the target, of shape ", target.shape(), " and strides ",
                     target.strides(), ", share memory; clone() it first");
}

std::byte* writable(NDArray& target, const char* writer) {
  target.mutable_data<std::byte>(writer);
  return first_byte(target);
}

void update(NDArray& target, const NDArray& other, RowKernel kernel, const char* writer) {
  check_target(writer, target);
  const NDArray b = readable(target, other);
  const Operand from = operand(writer, b, target.shape());
  const Operand to{writable(target, writer), size_of(target.dtype()), target.strides()};
  for_rows(kernel, target.shape(), std::array{to, to, from});
}
template <class T>
void update(NDArray& target, T number, RowKernel kernel, const char* writer) {
  check_target(writer, target);
  const Operand to{writable(target, writer), size_of(target.dtype()), target.strides()};
  for_rows(kernel, target.shape(), std::array{to, to, scalar(number, target.shape())});
}

template <class F>
void update_numeric(NDArray& target, const NDArray& b, F, const char* writer) {
  same_dtype(writer, target, b);
  dispatch_numeric(writer, target.dtype(),
                   [&]<class T>() { update(target, b, zip_row<T, F, T>, writer); });
}
template <class F>
void update_numeric(NDArray& target, Scalar b, F, const char* writer) {
  dispatch_numeric(writer, target.dtype(),
                   [&]<class T>() { update(target, b.to<T>(writer), zip_row<T, F, T>, writer); });
}

}  // namespace

NDArray cast(const NDArray& x, DType dtype) {
  return map("cast", x, dtype, cast_kernel(dtype, x.dtype()));
}

void add_(NDArray& target, const NDArray& b, Scalar alpha, const char* writer) {
  if (alpha.is_whole() && alpha.real() == 1) return update_numeric(target, b, plus, writer);
  same_dtype(writer, target, b);
  dispatch_numeric(writer, target.dtype(), [&]<class T>() {
    const auto f = [](T x, T y, T factor) { return plus(x, times(factor, y)); };
    T factor = alpha.to<T>(writer);
    check_target(writer, target);
    const NDArray term = readable(target, b);
    const Operand from = operand(writer, term, target.shape());
    const Operand to{writable(target, writer), size_of(target.dtype()), target.strides()};
    for_rows(zip3_row<T, decltype(f), T>, target.shape(),
             std::array{to, to, from, scalar(factor, target.shape())});
  });
}
void sub_(NDArray& target, const NDArray& b, const char* writer) {
  update_numeric(target, b, minus, writer);
}
void mul_(NDArray& target, const NDArray& b, const char* writer) {
  update_numeric(target, b, times, writer);
}
void div_(NDArray& target, const NDArray& b, const char* writer) {
  floating_only(writer, target.dtype());
  update_numeric(target, b, over, writer);
}
void add_(NDArray& target, Scalar b, const char* writer) {
  update_numeric(target, b, plus, writer);
}
void mul_(NDArray& target, Scalar b, const char* writer) {
  update_numeric(target, b, times, writer);
}
void div_(NDArray& target, Scalar b, const char* writer) {
  floating_only(writer, target.dtype());
  update_numeric(target, b, over, writer);
}

void copy_(NDArray& target, const NDArray& source, const char* writer) {
  check_target(writer, target);
  const NDArray from = readable(target, source);
  const Operand in = operand(writer, from, target.shape());
  const Operand to{writable(target, writer), size_of(target.dtype()), target.strides()};
  for_rows(cast_kernel(target.dtype(), from.dtype()), target.shape(), std::array{to, in});
}
void fill_(NDArray& target, Scalar value, const char* writer) {
  dispatch(target.dtype(), [&]<class T>() {
    const auto second = [](T, T y) { return y; };
    update(target, value.to<T>(writer), zip_row<T, decltype(second), T>, writer);
  });
}
void masked_fill_(NDArray& target, const NDArray& given, Scalar value, const char* writer) {
  must_be_bool(writer, given);
  check_target(writer, target);
  const NDArray mask = readable(target, given);
  const Operand condition = operand(writer, mask, target.shape());
  dispatch(target.dtype(), [&]<class T>() {
    T number = value.to<T>(writer);
    const Operand to{writable(target, writer), size_of(target.dtype()), target.strides()};
    for_rows(zip3_row<T, decltype(choose), bool>, target.shape(),
             std::array{to, condition, scalar(number, target.shape()), to});
  });
}

bool equal(const NDArray& a, const NDArray& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  const NDArray same = eq(a, b);
  return std::all_of(same.data<bool>(), same.data<bool>() + same.size(), [](bool v) { return v; });
}

bool allclose(const NDArray& a, const NDArray& b, double rtol, double atol, bool equal_nan) {
  same_dtype("allclose", a, b);
  if (a.shape() != b.shape())
    fail<ShapeError>("allclose: shapes ", a.shape(), " and ", b.shape(),
                     " differ; view or expand one as the other");
  const NDArray x = a.contiguous(), y = b.contiguous();
  return dispatch(a.dtype(), [&]<class T>() {
    return std::equal(x.data<T>(), x.data<T>() + x.size(), y.data<T>(), [&](T p, T q) {
      if (p == q) return true;
      const auto u = static_cast<double>(p), v = static_cast<double>(q);
      if (std::isnan(u) || std::isnan(v)) return equal_nan && std::isnan(u) && std::isnan(v);
      return std::isfinite(u) && std::isfinite(v) && std::fabs(u - v) <= atol + rtol * std::fabs(v);
    });
  });
}

bool all_finite(const NDArray& x) {
  if (!is_floating(x.dtype())) return true;
  const NDArray flat = x.contiguous();
  return dispatch_floating("all_finite", x.dtype(), [&]<class T>() {
    return std::all_of(flat.data<T>(), flat.data<T>() + flat.size(),
                       [](T v) { return std::isfinite(v); });
  });
}

}  // namespace tapehead::core
