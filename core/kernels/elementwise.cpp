// Functions of numbers.
#include "elementwise.h"

#include "math.h"
#include "rows.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

// Whole numbers wrap around; signed overflow would be undefined.
inline std::uint64_t bits(Index x) { return static_cast<std::uint64_t>(x); }

struct Neg {
  static Index of(Index x) { return static_cast<Index>(-bits(x)); }
  template <class T>
  static T of(T x) {
    return -x;
  }
};
struct Abs {
  static Index of(Index x) { return x < 0 ? Neg::of(x) : x; }
  template <class T>
  static T of(T x) {
    return x < 0 ? -x : x + 0;  // 0, not -0
  }
};
struct Relu {
  template <class T>
  static T of(T x) {
    return x < 0 ? T{} : x;
  }
};
struct Sign {
  template <class T>
  static T of(T x) {
    return x > 0 ? T(1) : x < 0 ? T(-1) : T(0);
  }
};

struct Add {
  static Index of(Index x, Index y) { return static_cast<Index>(bits(x) + bits(y)); }
  template <class T>
  static T of(T x, T y) {
    return x + y;
  }
};
struct Sub {
  static Index of(Index x, Index y) { return static_cast<Index>(bits(x) - bits(y)); }
  template <class T>
  static T of(T x, T y) {
    return x - y;
  }
};
struct Mul {
  static Index of(Index x, Index y) { return static_cast<Index>(bits(x) * bits(y)); }
  template <class T>
  static T of(T x, T y) {
    return x * y;
  }
};
struct Div {
  template <class T>
  static T of(T x, T y) {
    return x / y;
  }
};
struct Maximum {
  template <class T>
  static T of(T x, T y) {
    return ((x > y) | (x != x)) ? x : y;
  }
};
struct Minimum {
  template <class T>
  static T of(T x, T y) {
    return ((x < y) | (x != x)) ? x : y;
  }
};
struct ReluBackward {
  template <class T>
  static T of(T g, T y) {
    return y <= 0 ? T{} : g;
  }
};
struct AddScaled {
  template <class T>
  static T of(T x, T y, T z) {
    return Add::of(x, Mul::of(y, z));
  }
};
struct Clamp {
  template <class T>
  static T of(T x, T low, T high) {
    return Minimum::of(Maximum::of(x, low), high);
  }
};

struct Sqrt {
  static float of(float x) { return __builtin_sqrtf(x); }
  static double of(double x) { return __builtin_sqrt(x); }
};
struct Rsqrt {
  template <class T>
  static T of(T x) {
    return 1 / Sqrt::of(x);
  }
};
struct Floor {
  static float of(float x) { return __builtin_floorf(x); }
  static double of(double x) { return __builtin_floor(x); }
};
struct Ceil {
  static float of(float x) { return __builtin_ceilf(x); }
  static double of(double x) { return __builtin_ceil(x); }
};
struct Round {
  static float of(float x) { return __builtin_rintf(x); }
  static double of(double x) { return __builtin_rint(x); }
};
struct Trunc {
  static float of(float x) { return __builtin_truncf(x); }
  static double of(double x) { return __builtin_trunc(x); }
};
struct TanhBackward {
  template <class T>
  static T of(T g, T y) {
    return g * (1 - y * y);
  }
};
struct SigmoidBackward {
  template <class T>
  static T of(T g, T y) {
    return g * ((1 - y) * y);
  }
};

// Of vectors.
struct Exp {
  template <class V>
  static V of(V x) {
    return exp(x);
  }
};
struct Expm1 {
  template <class V>
  static V of(V x) {
    return expm1(x);
  }
};
struct Log {
  template <class V>
  static V of(V x) {
    return log(x);
  }
};
struct Log1p {
  template <class V>
  static V of(V x) {
    return log1p(x);
  }
};
struct Tanh {
  template <class V>
  static V of(V x) {
    return tanh(x);
  }
};
struct Sigmoid {
  template <class V>
  static V of(V x) {
    return sigmoid(x);
  }
};
struct Silu {
  template <class V>
  static V of(V x) {
    return silu(x);
  }
};
struct Erf {
  template <class V>
  static V of(V x) {
    return erf(x);
  }
};
struct Gelu {
  template <class V>
  static V of(V x) {
    return gelu(x);
  }
};
struct GeluTanh {
  template <class V>
  static V of(V x) {
    return gelu_tanh(x);
  }
};
struct SiluBackward {
  template <class V>
  static V of(V g, V x) {
    return g * silu_derivative(x);
  }
};
struct GeluBackward {
  template <class V>
  static V of(V g, V x) {
    return g * gelu_derivative(x);
  }
};
struct GeluTanhBackward {
  template <class V>
  static V of(V g, V x) {
    return g * gelu_tanh_derivative(x);
  }
};

template <class F, class T>
constexpr RowKernel unary = map<Simply<F>, T, T>;
template <class F, class T>
constexpr RowKernel binary = zip<Mostly<F>, T, T, T>;
template <class F, class T>
constexpr RowKernel ternary = zip3<Mostly<F>, T, T, T, T>;
template <class F, class T>
constexpr RowKernel vectors = map<InVectors<F>, T, T>;
template <class F, class T>
constexpr RowKernel pairs_of_vectors = zip<InVectors<F>, T, T, T>;

template <class T>
constexpr NumericKernels<T> numeric{
    unary<Neg, T>,      unary<Abs, T>,           unary<Relu, T>,        unary<Sign, T>,
    binary<Add, T>,     binary<Sub, T>,          binary<Mul, T>,        binary<Maximum, T>,
    binary<Minimum, T>, binary<ReluBackward, T>, ternary<AddScaled, T>, ternary<Clamp, T>};

template <class T>
constexpr RealKernels<T> real{vectors<Exp, T>,
                              vectors<Expm1, T>,
                              vectors<Log, T>,
                              vectors<Log1p, T>,
                              unary<Sqrt, T>,
                              unary<Rsqrt, T>,
                              vectors<Tanh, T>,
                              vectors<Sigmoid, T>,
                              vectors<Silu, T>,
                              vectors<Erf, T>,
                              vectors<Gelu, T>,
                              vectors<GeluTanh, T>,
                              unary<Floor, T>,
                              unary<Ceil, T>,
                              unary<Round, T>,
                              unary<Trunc, T>,
                              binary<Div, T>,
                              binary<TanhBackward, T>,
                              binary<SigmoidBackward, T>,
                              pairs_of_vectors<SiluBackward, T>,
                              pairs_of_vectors<GeluBackward, T>,
                              pairs_of_vectors<GeluTanhBackward, T>};

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const NumericKernels<T>& NumericKernels<T>::of() {
  return TAPEHEAD_ISA::numeric<T>;
}
template const NumericKernels<float>& NumericKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const NumericKernels<double>& NumericKernels<double>::of<Isa::TAPEHEAD_ISA>();
template const NumericKernels<Index>& NumericKernels<Index>::of<Isa::TAPEHEAD_ISA>();

template <class T>
template <Isa>
const RealKernels<T>& RealKernels<T>::of() {
  return TAPEHEAD_ISA::real<T>;
}
template const RealKernels<float>& RealKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const RealKernels<double>& RealKernels<double>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
