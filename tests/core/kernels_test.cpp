#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "kernel_settings.h"
#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

using Real = long double;

// The distance between neighbours where the T nearest to `x` lies.
template <class T>
Real spacing(Real x) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const int least = std::numeric_limits<T>::min_exponent;
  return std::ldexp(Real{1},
                    std::max(x == 0 ? least : exponent, least) - std::numeric_limits<T>::digits);
}

// Every magnitude alike, and more where the functions bend.
template <class T>
NDArray arguments() {
  constexpr Index n = 1 << 15;
  NDArray x = NDArray::empty({4 * n}, dtype_of<T>);
  T* to = x.mutable_data<T>();
  std::mt19937_64 random(1);
  const auto uniform = [&](double most) {
    return static_cast<T>((static_cast<double>(random() >> 11) * 0x1p-52 - 1) * most);
  };
  const double far = sizeof(T) == 4 ? 110 : 800;
  for (Index i = 0; i < n; ++i) {
    const auto bits = random();
    if constexpr (sizeof(T) == 4) {
      *to = std::bit_cast<T>(static_cast<std::uint32_t>(bits));
    } else {
      *to = std::bit_cast<T>(bits);
    }
    if (!std::isfinite(*to)) *to = 0;
    to[n] = uniform(2), to[2 * n] = uniform(20), to[3 * n] = uniform(far);
    ++to;
  }
  return x;
}

// The largest error of y = f(x), in units in the last place.
template <class T, class F>
double worst_error(const NDArray& x, const NDArray& y, const F& f) {
  Real worst = 0;
  for (Index i = 0; i < x.size(); ++i) {
    const Real want = f(static_cast<Real>(x.data<T>()[i])), got = static_cast<Real>(y.data<T>()[i]);
    if (std::isnan(want) && std::isnan(got)) continue;
    if (static_cast<T>(want) == y.data<T>()[i]) continue;
    const Real error = std::abs(got - want) / spacing<T>(want);
    worst = std::max(worst, std::isnan(error) ? std::numeric_limits<Real>::infinity() : error);
  }
  return static_cast<double>(worst);
}

Real sigmoid_of(Real x) {
  const Real e = std::exp(-std::abs(x));
  return x < 0 ? e / (1 + e) : 1 / (1 + e);
}
Real silu_of(Real x) { return x * sigmoid_of(x); }
Real gelu_of(Real x) { return x * std::erfc(-x * std::sqrt(Real{0.5})) / 2; }

template <class T>
void check_ulps() {
  const NDArray x = arguments<T>();
  CHECK(worst_error<T>(x, exp(x), [](Real v) { return std::exp(v); }) <= 1);
  CHECK(worst_error<T>(x, expm1(x), [](Real v) { return std::expm1(v); }) <= 2);
  CHECK(worst_error<T>(x, log(x), [](Real v) { return std::log(v); }) <= 2);
  CHECK(worst_error<T>(x, log1p(x), [](Real v) { return std::log1p(v); }) <= 2);
  CHECK(worst_error<T>(x, tanh(x), [](Real v) { return std::tanh(v); }) <= 3);
  CHECK(worst_error<T>(x, sigmoid(x), sigmoid_of) <= 3);
  CHECK(worst_error<T>(x, silu(x), silu_of) <= 4);
  CHECK(worst_error<T>(x, erf(x), [](Real v) { return std::erf(v); }) <= 3);
  CHECK(worst_error<T>(x, gelu(x), gelu_of) <= 7);
}

template <class T>
void check_limits() {
  constexpr double inf = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<T>;
  const NDArray x = NDArray::of({0, -0., inf, -inf, NAN, double{Limits::denorm_min()},
                                 double{Limits::max()}, double{Limits::lowest()}},
                                {8}, dtype_of<T>);
  // NaN is not equal to itself, so it stands here as 77; a zero shows its sign as 1 / zero does.
  const auto values = [](const NDArray& y) {
    std::vector<double> result = elements(y);
    for (double& v : result) v = std::isnan(v) ? 77 : v;
    return result;
  };
  using Row = std::vector<double>;
  const double tiny = double{Limits::denorm_min()}, most = double{Limits::max()};
  const double log_tiny = static_cast<double>(static_cast<T>(std::log(static_cast<Real>(tiny))));
  const double log_most = static_cast<double>(static_cast<T>(std::log(static_cast<Real>(most))));
  CHECK(values(exp(x)) == Row{1, 1, inf, 0, 77, 1, inf, 0});
  CHECK(values(expm1(x)) == Row{0, 0, inf, -1, 77, tiny, inf, -1});
  CHECK(values(log1p(x)) == Row{0, 0, inf, 77, 77, tiny, log_most, 77});
  CHECK(values(silu(x)) == Row{0, 0, inf, 0, 77, 0, most, 0});
  CHECK(values(log(x)) == Row{-inf, -inf, inf, 77, 77, log_tiny, log_most, 77});
  CHECK(values(tanh(x)) == Row{0, 0, 1, -1, 77, tiny, 1, -1});
  CHECK(values(sigmoid(x)) == Row{0.5, 0.5, 1, 0, 77, 0.5, 1, 0});
  CHECK(values(erf(x)) == Row{0, 0, 1, -1, 77, tiny, 1, -1});
  CHECK(std::signbit(element(tanh(x), 1)));
  for (const auto f : {expm1, log1p, silu}) {
    CHECK(std::signbit(element(f(x), 1)));
    CHECK_FALSE(std::signbit(element(f(x), 0)));
  }
  CHECK(std::signbit(element(erf(x), 1)));
  CHECK_FALSE(std::signbit(element(tanh(x), 0)));
  CHECK_FALSE(std::signbit(element(erf(x), 0)));
  const Row g = values(gelu(x));
  CHECK(Row{g[0], g[1], g[2], g[4], g[6]} == Row{0, 0, inf, 77, most});
  CHECK(std::signbit(g[1]));
}

// A name for the instruction set as the environment gives it, asked for anew.
std::string chosen_by(const char* name) {
  const kernels::Isa before = kernels::isa();
  setenv("TAPEHEAD_ISA", name, 1);
  kernels::detail::chosen = kernels::Isa{-1};
  std::string result;
  try {
    result = kernels::name(kernels::isa());
  } catch (const Error& error) {
    result = error.what();
  }
  unsetenv("TAPEHEAD_ISA");
  kernels::use_isa(before);
  return result;
}

std::string supported_names() {
  std::string names;
  for (const kernels::Isa isa : kernels::supported_isas())
    names += (names.empty() ? "" : ", ") + std::string(kernels::name(isa));
  return names;
}

}  // namespace

TEST_CASE("exp and its family err by a few units in the last place at most, on each ISA") {
  for (const kernels::Isa isa : kernels::supported_isas()) {
    const UseIsa with(isa);
    CAPTURE(kernels::name(isa));
    check_ulps<float>();
    if (std::numeric_limits<Real>::digits > 60) check_ulps<double>();
  }
}

TEST_CASE(
    "exp and its family go to their limits at zero, infinity, NaN and the last finite number") {
  for (const kernels::Isa isa : kernels::supported_isas()) {
    const UseIsa with(isa);
    CAPTURE(kernels::name(isa));
    check_limits<float>();
    check_limits<double>();
  }
}

TEST_CASE(
    "exp and its family have the same bits on any number of threads, and with AVX2 and AVX-512") {
  for (const NDArray& x : {arguments<float>(), arguments<double>()})
    same_bits([&] {
      return std::vector{exp(x),  expm1(x), log1p(x), tanh(x),     sigmoid(x),
                         silu(x), erf(x),   gelu(x),  gelu_tanh(x)};
    });
}

TEST_CASE(
    "TAPEHEAD_ISA chooses the instruction set, and a name that does not work says what does") {
  for (const kernels::Isa isa : kernels::supported_isas())
    CHECK(chosen_by(kernels::name(isa)) == kernels::name(isa));
  CHECK(chosen_by("") == kernels::name(kernels::supported_isas().back()));
  CHECK(chosen_by("sse9") ==
        "TAPEHEAD_ISA: expected an instruction set of this CPU, got \"sse9\"; these work: " +
            supported_names());
}

TEST_CASE("use_isa refuses what the CPU does not have") {
  const kernels::Isa none{7};
  CHECK_THROWS_WITH_AS(
      kernels::use_isa(none),
      ("use_isa: expected an instruction set of this CPU, got an unknown one; these work: " +
       supported_names())
          .c_str(),
      Error);
}
