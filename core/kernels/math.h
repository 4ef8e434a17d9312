// exp and its family, without branches: each works on a number or on a whole vector. Polynomials
// were fitted for this file (Remez, relative error; erfcx in a rational variable).
//
// Largest error found, in units in the last place of the result, by tests/core/kernels_test.cpp:
//   exp  expm1  log  log1p  tanh  sigmoid  silu  erf  gelu
//     1      2    2      2     3        3     4    3     7     (gelu also where x Phi(x) is tiny)
// over all finite arguments, denormal results included; inf and NaN give what the limit does.
#pragma once

#include "isa.h"

namespace tapehead::core::kernels::TAPEHEAD_ISA {

/// c0 + c1 x + c2 x^2 + ...
template <class V>
inline V polynomial(V, Element<V> c) {
  return V{} + c;
}
template <class V, class... Cs>
inline V polynomial(V x, Element<V> c, Cs... cs) {
  return polynomial(x, cs...) * x + c;
}

// What differs between the two sizes. `exp_rest(r)` is (exp(r) - 1 - r) / r^2 for |r| <= 0.4,
// `log_rest(z)` is (log((1 + s) / (1 - s)) / s - 2) / z for z = s^2, `erf_rest(z)` is
// erf(a) / a - 1 for z = a^2 <= 0.64, and `erfcx_rest(u)` is (a + k) exp(a^2) erfc(a) for
// u = (a - k) / (a + k).
template <class T>
struct Real;

template <>
struct Real<float> {
  static constexpr int mantissa = 23, split = 12;
  static constexpr std::uint32_t bias = 127, sqrt_half = 0x3f3504f3, least_normal = 0x00800000;
  static constexpr float shifter = 0x1.8p23f;  // adding it rounds to a whole number
  static constexpr float ln2_high = 0x1.63p-1f, ln2_low = -0x1.bd0106p-13f;
  static constexpr float exp_most = 89, exp_least = -104.5f, tanh_most = 20;
  static constexpr float erfcx_k = 3, erfc_most = 10.1f, gelu_most = 14.4f, silu_most = 110;

  template <class V>
  static V exp_rest(V r) {
    return polynomial(r, 0.500000015f, 0.166666648f, 0.0416660215f, 0.00833362911f, 0.00139625745f,
                      0.000197707634f);
  }
  template <class V>
  static V log_rest(V z) {
    return polynomial(z, 0.666666657f, 0.400003327f, 0.285374251f, 0.235804993f);
  }
  template <class V>
  static V erf_rest(V z) {
    return polynomial(z, 0.128379167f, -0.37612638f, 0.11283768f, -0.0268639199f, 0.00521375151f,
                      -0.000830745496f, 9.17055946e-05f);
  }
  template <class V>
  static V erfcx_rest(V u) {
    return polynomial(u, 1.07400691f, -0.883394478f, 0.590228276f, -0.31046629f, 0.119529456f,
                      -0.0268371869f, -0.00122787911f, 0.00307046225f, -0.000484220356f,
                      -0.000312197813f, 7.77436017e-06f);
  }
};

template <>
struct Real<double> {
  static constexpr int mantissa = 52, split = 27;
  static constexpr std::uint64_t bias = 1023, sqrt_half = 0x3fe6a09e667f3bcd,
                                 least_normal = 0x0010000000000000;
  static constexpr double shifter = 0x1.8p52;
  static constexpr double ln2_high = 0x1.62e42feep-1, ln2_low = 0x1.a39ef35793c76p-33;
  static constexpr double exp_most = 710, exp_least = -746, tanh_most = 40;
  static constexpr double erfcx_k = 4, erfc_most = 27.3, gelu_most = 38.7, silu_most = 760;

  template <class V>
  static V exp_rest(V r) {
    return polynomial(r, 0.5, 0.16666666666666691, 0.041666666666665866, 0.0083333333333117602,
                      0.0013888888889188491, 0.00019841269909496694, 2.4801586837921656e-05,
                      2.7557221818444466e-06, 2.755762216072324e-07, 2.5116539204332902e-08,
                      2.0822936305090847e-09);
  }
  template <class V>
  static V log_rest(V z) {
    return polynomial(z, 0.66666666666667307, 0.39999999999433689, 0.28571428738970883,
                      0.22222198866165319, 0.18183551356163691, 0.15314336434296935,
                      0.14793469516314195);
  }
  template <class V>
  static V erf_rest(V z) {
    return polynomial(z, 0.12837916709551256, -0.37612638903183632, 0.11283791670947425,
                      -0.026866170643245042, 0.0052239776017312996, -0.00085483252828933765,
                      0.00012055253194621397, -1.4923294848699256e-05, 1.6417213103747688e-06,
                      -1.5828817882173512e-07, 1.1082612208129234e-08);
  }
  template <class V>
  static V erfcx_rest(V u) {
    return polynomial(u, 1.0959956610004911, -0.97654872908088208, 0.77320870226523686,
                      -0.54085383131322495, 0.33085158787802393, -0.17401093724029035,
                      0.076381514909136181, -0.026370053334615569, 0.0061120556569233073,
                      -0.0002809589158540966, -0.00045505268985060313, 0.00017681308621512115,
                      -3.6351456465994214e-06, -1.8861781308368285e-05, 4.6943219558645854e-06,
                      1.4260808523859364e-06, -8.4599635621246175e-07, -7.7955324325318061e-08,
                      1.2393389978499121e-07, 2.5878959755519711e-09, -1.5395119470926173e-08,
                      -3.7417274748944073e-10, 1.0205968941304341e-09);
  }
};

template <class V>
using RealOf = Real<Element<V>>;

template <class V>
inline constexpr Bits<V> sign = Bits<V>{} + (Bits<Element<V>>{1} << (8 * sizeof(Element<V>) - 1));

template <class V>
inline V absolute(V x) {
  return from_bits<V>(to_bits(x) & ~sign<V>);
}
template <class V>
inline V with_sign_of(V magnitude, V x) {
  return from_bits<V>(to_bits(magnitude) | (to_bits(x) & sign<V>));
}
template <class V>
inline V at_most(V x, Element<V> most) {
  return x > most ? V{} + most : x;  // NaN stays
}

/// A product that must not become half of a fused multiply-add. In a b + c d, or where a product
/// has two uses, the compiler chooses what to fuse, and might choose otherwise for another
/// instruction set.
template <class V>
inline V rounded(V product) {
  return product + Element<V>(0);
}

/// (1 + rest) 2^power: an exponential before its parts are put together.
template <class V>
struct Exponential {
  V rest;
  Bits<V> power;  // two's complement
};

/// exp(x + low) for |low| < 0.05: x = n log 2 + r, then a polynomial in r.
template <class V>
inline Exponential<V> exponential(V x, V low = V{}) {
  using R = RealOf<V>;
  constexpr auto log2e = static_cast<Element<V>>(1.4426950408889634);
  const V shifted = x * log2e + R::shifter, n = shifted - R::shifter;
  const V r = ((x - n * R::ln2_high) - n * R::ln2_low) + low;
  return {r + r * r * R::exp_rest(r), to_bits(shifted) - to_bits(V{} + R::shifter)};
}

/// x 2^power in two steps, so that results may be denormal or infinite.
template <class V>
inline V scaled(V x, Bits<V> power) {
  using R = RealOf<V>;
  using B = Bits<Element<V>>;
  const Bits<V> half = ((power + B{4096}) >> 1) - B{2048};
  return x * from_bits<V>((half + R::bias) << R::mantissa) *
         from_bits<V>((power - half + R::bias) << R::mantissa);
}

template <class V>
inline V exp(V x) {
  x = at_most(x, RealOf<V>::exp_most);
  x = x < RealOf<V>::exp_least ? V{} + RealOf<V>::exp_least : x;
  const Exponential<V> e = exponential(x);
  return scaled(e.rest + Element<V>(1), e.power);
}

/// exp(x) - 1, without cancellation where it could show.
template <class V>
inline V expm1(V x) {
  using R = RealOf<V>;
  using T = Element<V>;
  const V bounded = at_most(x < -R::tanh_most ? V{} - R::tanh_most : x, R::exp_most);
  const Exponential<V> e = exponential(bounded);
  const V scale = from_bits<V>((e.power + R::bias) << R::mantissa);
  const V near = scale * e.rest + (scale - T(1));
  const V result = x > R::tanh_most ? scaled(e.rest + T(1), e.power) : near;
  return x == T(0) ? x : result;  // -0 too
}

/// A logarithm before its parts, exponent log(2) and that of a number near 1, are put together.
template <class V>
struct Logarithm {
  V exponent, near;
};

/// For x > 0: x = 2^e m with m near 1, then log((1 + s) / (1 - s)) for s = (m - 1) / (m + 1).
template <class V>
inline Logarithm<V> logarithm(V x) {
  using R = RealOf<V>;
  using T = Element<V>;
  constexpr auto one = R::bias << R::mantissa;
  const auto denormal = x < from_bits<T>(R::least_normal);
  const V normal = denormal ? x * static_cast<T>(Bits<T>{1} << R::mantissa) : x;
  const Bits<V> offset = to_bits(normal) - R::sqrt_half + one;  // exponent field: e + bias
  const V m = from_bits<V>((offset & (R::least_normal - 1)) + R::sqrt_half);
  // Whole numbers below 2^mantissa become floats by filling in the exponent of 2^mantissa.
  constexpr T whole = static_cast<T>(Bits<T>{1} << R::mantissa);
  const V biased = from_bits<V>((offset >> R::mantissa) | to_bits(V{} + whole)) - whole;
  const V e = biased - (denormal ? V{} + T(R::bias + R::mantissa) : V{} + T(R::bias));
  const V f = m - T(1), s = f / (f + T(2)), z = s * s;
  return {e, f - s * (f - z * R::log_rest(z))};
}

/// The logarithm of x, which is `result` where there is one.
template <class V>
inline V log_or_limit(V x, V result) {
  using T = Element<V>;
  constexpr T infinity = __builtin_huge_valf();
  const V limit = x < T(0) ? V{} + __builtin_nanf("") : x == T(0) ? V{} - infinity : x;
  return x > T(0) && x < infinity ? result : limit;
}

template <class V>
inline V log(V x) {
  using R = RealOf<V>;
  const Logarithm<V> l = logarithm(x);
  return log_or_limit(x, l.exponent * R::ln2_high + (l.near + l.exponent * R::ln2_low));
}

/// log(u) + c / u, where u + c is 1 + x exactly.
template <class V>
inline V log1p(V x) {
  using R = RealOf<V>;
  using T = Element<V>;
  const V u = x + T(1), taken = u - T(1);
  const V c = (T(1) - (u - taken)) + (x - taken);
  const Logarithm<V> l = logarithm(u);
  const V near = l.near + c / u;
  const V result = log_or_limit(u, l.exponent * R::ln2_high + (near + l.exponent * R::ln2_low));
  return x == T(0) ? x : result;  // -0 too
}

/// (exp(2 |x|) - 1) / (exp(2 |x|) + 1), the numerator without cancellation.
template <class V>
inline V tanh(V x) {
  using R = RealOf<V>;
  using T = Element<V>;
  const Exponential<V> e = exponential(at_most(absolute(x) * T(2), R::tanh_most));
  const V scale = from_bits<V>((e.power + R::bias) << R::mantissa);
  const V numerator = scale * e.rest + (scale - T(1));
  return with_sign_of(numerator / (numerator + T(2)), x);
}

/// 1 / (1 + exp(-x)), or exp(x) / (1 + exp(x)) for negative x.
template <class V>
inline V sigmoid(V x) {
  using T = Element<V>;
  const V e = exp(-absolute(x));
  return (x < T(0) ? e : V{} + T(1)) / (e + T(1));
}

/// x / (1 + exp(-x)), or x exp(x) / (1 + exp(x)) for negative x.
template <class V>
inline V silu(V x) {
  using R = RealOf<V>;
  using T = Element<V>;
  const V a = at_most(absolute(x), R::silu_most);
  const Exponential<V> e = exponential(-a);
  const V top = x < T(0) ? scaled(-a * (e.rest + T(1)), e.power) : x;
  return top / (scaled(e.rest + T(1), e.power) + T(1));
}

/// d silu / dx = s (1 + x (1 - s)) with s = sigmoid(x).
template <class V>
inline V silu_derivative(V x) {
  using R = RealOf<V>;
  using T = Element<V>;
  x = at_most(x < -R::silu_most ? V{} - R::silu_most : x, R::silu_most);  // not 0 times infinity
  const V s = sigmoid(x);
  return s * (x * (T(1) - s) + T(1));
}

/// exp(a^2) erfc(a) for 0 <= a.
template <class V>
inline V erfcx(V a) {
  using R = RealOf<V>;
  const V inverse = Element<V>(1) / (a + R::erfcx_k);
  return inverse * R::erfcx_rest((a - R::erfcx_k) * inverse);
}

/// exp(-scale a^2), the square taken without rounding.
template <class V>
inline Exponential<V> gaussian(V a, Element<V> scale) {
  const V high = from_bits<V>(to_bits(a) >> RealOf<V>::split << RealOf<V>::split), low = a - high;
  return exponential(high * high * -scale, low * (a + high) * -scale);
}

/// a + a P(a^2) near 0, 1 - erfc(a) elsewhere.
template <class V>
inline V erf(V x) {
  using R = RealOf<V>;
  using T = Element<V>;
  const V a = at_most(absolute(x), R::erfc_most);
  const V near = a + a * R::erf_rest(a * a);
  const Exponential<V> e = gaussian(a, T(1));
  const V far = T(1) - scaled((e.rest + T(1)) * erfcx(a), e.power);
  return with_sign_of(a < T(0.8) ? near : far, x);
}

constexpr double sqrt_half = 0.70710678118654752;

/// x Phi(x) = max(x, 0) - |x| Phi(-|x|), where Phi(-t) = exp(-t^2 / 2) erfcx(t / sqrt(2)) / 2.
template <class V>
inline V gelu(V x) {
  using T = Element<V>;
  const V t = at_most(absolute(x), RealOf<V>::gelu_most);
  const Exponential<V> e = gaussian(t, T(0.5));
  const V tail = scaled(t * T(0.5) * erfcx(t * T(sqrt_half)) * (e.rest + T(1)), e.power);
  return x < T(0) ? -tail : x - tail;
}

/// d gelu / dx = Phi(x) + x phi(x).
template <class V>
inline V gelu_derivative(V x) {
  using T = Element<V>;
  constexpr T inverse_sqrt_two_pi = T(0.39894228040143268);
  const V t = at_most(absolute(x), RealOf<V>::gelu_most);
  const Exponential<V> e = gaussian(t, T(0.5));
  const V bell = scaled(e.rest + T(1), e.power);
  const V outside = rounded(bell * erfcx(t * T(sqrt_half)) * T(0.5));
  const V slope = rounded(bell * t * inverse_sqrt_two_pi);
  return x < T(0) ? outside - slope : T(1) - outside + slope;
}

// x sigmoid(2 u) with u = sqrt(2 / pi) (x + 0.044715 x^3) is x (1 + tanh(u)) / 2, and loses nothing
// where tanh nears -1.
constexpr double two_sqrt_two_over_pi = 1.5957691216057308, cubic = 0.044715;

template <class V>
inline V gelu_tanh(V x) {
  using T = Element<V>;
  const V bounded = x < T(-1000) ? V{} + T(-1000) : x;  // not 0 times infinity
  const V u2 = bounded * (bounded * bounded * T(cubic) + T(1)) * T(two_sqrt_two_over_pi);
  return bounded * sigmoid(u2);
}

template <class V>
inline V gelu_tanh_derivative(V x) {
  using T = Element<V>;
  x = at_most(x < T(-1000) ? V{} + T(-1000) : x, T(1000));  // not 0 times infinity
  const V square = x * x;
  const V u2 = x * (square * T(cubic) + T(1)) * T(two_sqrt_two_over_pi);
  const V du2 = (square * T(3 * cubic) + T(1)) * T(two_sqrt_two_over_pi);
  const V s = sigmoid(u2);
  return s + x * du2 * (s * (T(1) - s));
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
