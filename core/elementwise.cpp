#include "elementwise.h"

#include "detail/pick.h"
#include "detail/rows.h"
#include "kernels/dispatch.h"

namespace tapehead::core {
namespace {

template <class T>
using Numeric = kernels::NumericKernels<T>;
template <class T>
using Real = kernels::RealKernels<T>;
template <class T>
using Any = kernels::AnyKernels<T>;

constexpr Index short_row = 4096;  // not worth setting out a walk

NDArray map(const char* op, const NDArray& x, DType dtype, RowKernel kernel) {
  NDArray out = NDArray::empty(x.shape(), dtype);
  if (x.is_contiguous() && x.size() < short_row) {
    const std::array data{first_byte(out), first_byte(x)};
    kernel(x.size(), data.data());
    return out;
  }
  for_rows(kernel, x.shape(), std::array{operand(op, out, x.shape()), operand(op, x, x.shape())});
  return out;
}

NDArray zip(const char* op, const NDArray& a, const NDArray& b, DType dtype, RowKernel kernel) {
  if (a.is_contiguous() && b.is_contiguous() && a.size() < short_row && a.shape() == b.shape()) {
    NDArray out = NDArray::empty(a.shape(), dtype);
    const std::array data{first_byte(out), first_byte(a), first_byte(b)};
    kernel(a.size(), data.data());
    return out;
  }
  const Shape shape = broadcast(op, a.shape(), b.shape());
  NDArray out = NDArray::empty(shape, dtype);
  for_rows(kernel, shape,
           std::array{operand(op, out, shape), operand(op, a, shape), operand(op, b, shape)});
  return out;
}

// An array and a number, which is the left operand where `number_first`.
template <class T>
NDArray zip(const char* op, const NDArray& a, T number, DType dtype, RowKernel kernel,
            bool number_first = false) {
  NDArray out = NDArray::empty(a.shape(), dtype);
  auto* const one = reinterpret_cast<std::byte*>(&number);
  if (a.is_contiguous() && a.size() < short_row) {
    const std::array data{first_byte(out), number_first ? one : first_byte(a),
                          number_first ? first_byte(a) : one};
    const std::array items{size_of(dtype), Index{sizeof(T)}, Index{sizeof(T)}};
    const std::array<Index, 3> steps{1, !number_first, number_first};
    run_row(kernel, a.size(), data, items.data(), steps.data());
    return out;
  }
  const Operand to = operand(op, out, a.shape()), array = operand(op, a, a.shape());
  const Operand scalar = operand(number, a.shape());
  if (number_first)
    for_rows(kernel, a.shape(), std::array{to, scalar, array});
  else
    for_rows(kernel, a.shape(), std::array{to, array, scalar});
  return out;
}

// `pick` takes the function from the table of x's dtype.
template <class Pick>
NDArray numeric(const char* op, const NDArray& x, Pick pick) {
  return dispatch_numeric(op, x.dtype(), [&]<class T>() {
    return map(op, x, x.dtype(), pick(kernels::kernels<Numeric<T>>()));
  });
}
template <class Pick>
NDArray numeric(const char* op, const NDArray& a, const NDArray& b, Pick pick) {
  check_same(op, a.dtype(), b.dtype());
  return dispatch_numeric(op, a.dtype(), [&]<class T>() {
    return zip(op, a, b, a.dtype(), pick(kernels::kernels<Numeric<T>>()));
  });
}
template <class Pick>
NDArray numeric(const char* op, const NDArray& a, Scalar b, Pick pick, bool number_first = false) {
  return dispatch_numeric(op, a.dtype(), [&]<class T>() {
    return zip(op, a, b.to<T>(op), a.dtype(), pick(kernels::kernels<Numeric<T>>()), number_first);
  });
}
template <class Pick>
NDArray real(const char* op, const NDArray& x, Pick pick) {
  return dispatch_floating(op, x.dtype(), [&]<class T>() {
    return map(op, x, x.dtype(), pick(kernels::kernels<Real<T>>()));
  });
}
template <class Pick>
NDArray real(const char* op, const NDArray& a, const NDArray& b, Pick pick) {
  check_same(op, a.dtype(), b.dtype());
  return dispatch_floating(op, a.dtype(), [&]<class T>() {
    return zip(op, a, b, a.dtype(), pick(kernels::kernels<Real<T>>()));
  });
}
template <class Pick>
NDArray compare(const char* op, const NDArray& a, const NDArray& b, Pick pick) {
  check_same(op, a.dtype(), b.dtype());
  return dispatch(a.dtype(), [&]<class T>() {
    return zip(op, a, b, DType::Bool, pick(kernels::kernels<Any<T>>()));
  });
}
template <class Pick>
NDArray compare(const char* op, const NDArray& a, Scalar b, Pick pick) {
  return dispatch(a.dtype(), [&]<class T>() {
    // As numbers: false is less than 0.5, and neither is 2. Whole numbers so large that they are
    // rounded here stay on their side of any fraction.
    if (!b.fits<T>()) return compare(op, cast(a, DType::Float64), b, pick);
    return zip(op, a, b.to<T>(op), DType::Bool, pick(kernels::kernels<Any<T>>()));
  });
}

// Whole numbers have no fraction to round.
template <class Pick>
NDArray rounded(const char* op, const NDArray& x, Pick pick) {
  check_numeric(op, x.dtype());
  return x.dtype() == DType::Int64 ? copy(x) : real(op, x, pick);
}

NDArray quotient(const NDArray& array, Scalar number, bool number_first) {
  must_divide("div", array.dtype());
  return dispatch_floating("div", array.dtype(), [&]<class T>() {
    return zip("div", array, number.to<T>("div"), array.dtype(), kernels::kernels<Real<T>>().div,
               number_first);
  });
}

constexpr auto larger = [](const auto& k) { return k.maximum; };
constexpr auto smaller = [](const auto& k) { return k.minimum; };
constexpr auto equals = [](const auto& k) { return k.eq; };
constexpr auto differs = [](const auto& k) { return k.ne; };
constexpr auto less = [](const auto& k) { return k.lt; };
constexpr auto at_most = [](const auto& k) { return k.le; };
constexpr auto greater = [](const auto& k) { return k.gt; };
constexpr auto at_least = [](const auto& k) { return k.ge; };

// As Bool: what is not 0.
NDArray truth(const NDArray& x) { return x.dtype() == DType::Bool ? x : cast(x, DType::Bool); }

}  // namespace

NDArray neg(const NDArray& x) {
  return numeric("neg", x, [](const auto& k) { return k.neg; });
}
NDArray abs(const NDArray& x) {
  return numeric("abs", x, [](const auto& k) { return k.abs; });
}
NDArray relu(const NDArray& x) {
  return numeric("relu", x, [](const auto& k) { return k.relu; });
}
NDArray sign(const NDArray& x) {
  return numeric("sign", x, [](const auto& k) { return k.sign; });
}
NDArray floor(const NDArray& x) {
  return rounded("floor", x, [](const auto& k) { return k.floor; });
}
NDArray ceil(const NDArray& x) {
  return rounded("ceil", x, [](const auto& k) { return k.ceil; });
}
NDArray round(const NDArray& x) {
  return rounded("round", x, [](const auto& k) { return k.round; });
}
NDArray trunc(const NDArray& x) {
  return rounded("trunc", x, [](const auto& k) { return k.trunc; });
}

NDArray exp(const NDArray& x) {
  return real("exp", x, [](const auto& k) { return k.exp; });
}
NDArray expm1(const NDArray& x) {
  return real("expm1", x, [](const auto& k) { return k.expm1; });
}
NDArray log(const NDArray& x) {
  return real("log", x, [](const auto& k) { return k.log; });
}
NDArray log1p(const NDArray& x) {
  return real("log1p", x, [](const auto& k) { return k.log1p; });
}
NDArray sqrt(const NDArray& x) {
  return real("sqrt", x, [](const auto& k) { return k.sqrt; });
}
NDArray rsqrt(const NDArray& x) {
  return real("rsqrt", x, [](const auto& k) { return k.rsqrt; });
}
NDArray tanh(const NDArray& x) {
  return real("tanh", x, [](const auto& k) { return k.tanh; });
}
NDArray sigmoid(const NDArray& x) {
  return real("sigmoid", x, [](const auto& k) { return k.sigmoid; });
}
NDArray silu(const NDArray& x) {
  return real("silu", x, [](const auto& k) { return k.silu; });
}
NDArray erf(const NDArray& x) {
  return real("erf", x, [](const auto& k) { return k.erf; });
}
NDArray gelu(const NDArray& x) {
  return real("gelu", x, [](const auto& k) { return k.gelu; });
}
NDArray gelu_tanh(const NDArray& x) {
  return real("gelu_tanh", x, [](const auto& k) { return k.gelu_tanh; });
}

NDArray relu_backward(const NDArray& g, const NDArray& y) {
  return numeric("relu_backward", g, y, [](const auto& k) { return k.relu_backward; });
}
NDArray tanh_backward(const NDArray& g, const NDArray& y) {
  return real("tanh_backward", g, y, [](const auto& k) { return k.tanh_backward; });
}
NDArray sigmoid_backward(const NDArray& g, const NDArray& y) {
  return real("sigmoid_backward", g, y, [](const auto& k) { return k.sigmoid_backward; });
}
NDArray silu_backward(const NDArray& g, const NDArray& x) {
  return real("silu_backward", g, x, [](const auto& k) { return k.silu_backward; });
}
NDArray gelu_backward(const NDArray& g, const NDArray& x) {
  return real("gelu_backward", g, x, [](const auto& k) { return k.gelu_backward; });
}
NDArray gelu_tanh_backward(const NDArray& g, const NDArray& x) {
  return real("gelu_tanh_backward", g, x, [](const auto& k) { return k.gelu_tanh_backward; });
}

NDArray add(const NDArray& a, const NDArray& b) { return numeric("add", a, b, plus); }
NDArray sub(const NDArray& a, const NDArray& b) { return numeric("sub", a, b, minus); }
NDArray mul(const NDArray& a, const NDArray& b) { return numeric("mul", a, b, times); }
NDArray div(const NDArray& a, const NDArray& b) {
  check_same("div", a.dtype(), b.dtype());
  must_divide("div", a.dtype());
  return real("div", a, b, [](const auto& k) { return k.div; });
}
NDArray maximum(const NDArray& a, const NDArray& b) { return numeric("maximum", a, b, larger); }
NDArray minimum(const NDArray& a, const NDArray& b) { return numeric("minimum", a, b, smaller); }
NDArray add(const NDArray& a, Scalar b) { return numeric("add", a, b, plus); }
NDArray sub(const NDArray& a, Scalar b) { return numeric("sub", a, b, minus); }
NDArray sub(Scalar a, const NDArray& b) { return numeric("sub", b, a, minus, true); }
NDArray mul(const NDArray& a, Scalar b) { return numeric("mul", a, b, times); }
NDArray div(const NDArray& a, Scalar b) { return quotient(a, b, false); }
NDArray div(Scalar a, const NDArray& b) { return quotient(b, a, true); }

NDArray eq(const NDArray& a, const NDArray& b) { return compare("eq", a, b, equals); }
NDArray ne(const NDArray& a, const NDArray& b) { return compare("ne", a, b, differs); }
NDArray lt(const NDArray& a, const NDArray& b) { return compare("lt", a, b, less); }
NDArray le(const NDArray& a, const NDArray& b) { return compare("le", a, b, at_most); }
NDArray gt(const NDArray& a, const NDArray& b) { return compare("gt", a, b, greater); }
NDArray ge(const NDArray& a, const NDArray& b) { return compare("ge", a, b, at_least); }
NDArray eq(const NDArray& a, Scalar b) { return compare("eq", a, b, equals); }
NDArray ne(const NDArray& a, Scalar b) { return compare("ne", a, b, differs); }
NDArray lt(const NDArray& a, Scalar b) { return compare("lt", a, b, less); }
NDArray le(const NDArray& a, Scalar b) { return compare("le", a, b, at_most); }
NDArray gt(const NDArray& a, Scalar b) { return compare("gt", a, b, greater); }
NDArray ge(const NDArray& a, Scalar b) { return compare("ge", a, b, at_least); }

// Among false < true: x and y is x > not y, x or y is not x <= y.
NDArray logical_not(const NDArray& x) { return compare("logical_not", x, 0, equals); }
NDArray logical_and(const NDArray& a, const NDArray& b) {
  return compare("logical_and", truth(a), logical_not(b), greater);
}
NDArray logical_or(const NDArray& a, const NDArray& b) {
  return compare("logical_or", logical_not(a), truth(b), at_most);
}
NDArray logical_xor(const NDArray& a, const NDArray& b) {
  return compare("logical_xor", truth(a), truth(b), differs);
}

NDArray where(const NDArray& condition, const NDArray& a, const NDArray& b) {
  must_be_bool("where", condition);
  check_same("where", a.dtype(), b.dtype());
  const Shape shape =
      broadcast("where", condition.shape(), broadcast("where", a.shape(), b.shape()));
  NDArray out = NDArray::empty(shape, a.dtype());
  dispatch(a.dtype(), [&]<class T>() {
    for_rows(kernels::kernels<Any<T>>().where, shape,
             std::array{operand("where", out, shape), operand("where", condition, shape),
                        operand("where", a, shape), operand("where", b, shape)});
  });
  return out;
}

NDArray masked_fill(const NDArray& x, const NDArray& mask, Scalar value) {
  must_be_bool("masked_fill", mask);
  const Shape shape = broadcast("masked_fill", x.shape(), mask.shape());
  NDArray out = NDArray::empty(shape, x.dtype());
  dispatch(x.dtype(), [&]<class T>() {
    T number = value.stored<T>("masked_fill");
    for_rows(kernels::kernels<Any<T>>().where, shape,
             std::array{operand("masked_fill", out, shape), operand("masked_fill", mask, shape),
                        operand(number, shape), operand("masked_fill", x, shape)});
  });
  return out;
}

NDArray clamp(const NDArray& x, std::optional<Scalar> low, std::optional<Scalar> high) {
  if (!low && !high) fail("clamp: expected a lower or an upper bound, got neither; give one");
  dispatch_numeric("clamp", x.dtype(), [&]<class T>() {
    if (low) low->stored<T>("clamp");
    if (high) high->stored<T>("clamp");
  });
  if (!high) return numeric("clamp", x, *low, larger);
  if (!low) return numeric("clamp", x, *high, smaller);
  NDArray out = NDArray::empty(x.shape(), x.dtype());
  dispatch_numeric("clamp", x.dtype(), [&]<class T>() {
    T least = low->to<T>("clamp"), most = high->to<T>("clamp");
    for_rows(kernels::kernels<Numeric<T>>().clamp, x.shape(),
             std::array{operand("clamp", out, x.shape()), operand("clamp", x, x.shape()),
                        operand(least, x.shape()), operand(most, x.shape())});
  });
  return out;
}

NDArray copy(const NDArray& x) {
  return map("copy", x, x.dtype(), cast_kernel(x.dtype(), x.dtype()));
}
NDArray cast(const NDArray& x, DType dtype) {
  return map("cast", x, dtype, cast_kernel(dtype, x.dtype()));
}

}  // namespace tapehead::core
