#include "box_muller.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace tapehead::core {
namespace {

// The polynomials are those of S. Moshier's Cephes library (logf, sinf, cosf). Each std::fma is
// where PyTorch's AVX2 build rounds once; each plain product or sum where it rounds by itself.

// x = 2^e m with m in [sqrt(1/2), sqrt(2)); log(x) = e log(2) + log(1 + r), r = m - 1, where
// log(1 + r) = r - r^2 / 2 + r^3 P(r). For positive normal x.
float log_float(float x) {
  constexpr float log2_high = 0.693359375F, log2_low = -2.12194440e-4F;
  const auto bits = std::bit_cast<std::uint32_t>(x);
  float e = static_cast<float>(static_cast<int>(bits >> 23) - 126);
  const float m = std::bit_cast<float>((bits & 0x007fffffU) | 0x3f000000U);  // in [1/2, 1)
  float r = m - 1;
  if (m < 0.707106781186547524F) r += m, e -= 1;
  float p = 7.0376836292e-2F;
  for (const float c : {-1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
                        -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F})
    p = std::fma(p, r, c);
  const float r2 = r * r;
  const float tail = std::fma(p * r, r2, e * log2_low) - r2 * 0.5F;
  return std::fma(e, log2_high, r + tail);
}

struct SinCos {
  float sin, cos;
};

// x = j pi/4 + r with even j and |r| <= pi/4; quadrant j/2 says which polynomial of r is the sine,
// which the cosine, and their signs. For x in [0, 8192).
SinCos sincos_float(float x) {
  const int j = (static_cast<int>(x * 1.27323954473516F) + 1) & ~1;
  const float y = static_cast<float>(j);
  float r = std::fma(y, -0.78515625F, x);  // pi/4 in three parts
  r = std::fma(y, -2.4187564849853515625e-4F, r);
  r = std::fma(y, -3.77489497744594108e-8F, r);
  const float r2 = r * r;
  float c = std::fma(2.443315711809948e-5F, r2, -1.388731625493765e-3F);
  c = std::fma(c, r2, 4.166664568298827e-2F);
  c = std::fma(c * r2, r2, -(r2 * 0.5F)) + 1;
  float s = std::fma(-1.9515295891e-4F, r2, 8.3321608736e-3F);
  s = std::fma(s, r2, -1.6666654611e-1F);
  s = std::fma(s * r2, r, r);
  const int quadrant = (j >> 1) & 3;
  if (quadrant & 1) std::swap(s, c);
  return {quadrant >= 2 ? -s : s, quadrant == 1 || quadrant == 2 ? -c : c};
}

}  // namespace

void box_muller_16(float* data, float mean, float std) {
  for (int i = 0; i < 8; ++i) {
    const float u1 = 1 - data[i], u2 = data[i + 8];  // u1 in (0, 1], for the logarithm
    const float radius = std::sqrt(-2 * log_float(u1));
    const auto [sin, cos] = sincos_float(6.28318530717958647692F * u2);
    data[i] = std::fma(radius * cos, std, mean);
    data[i + 8] = std::fma(radius * sin, std, mean);
  }
}

void box_muller_16(double* data, double mean, double std) {
  for (int i = 0; i < 8; ++i) {
    const double u1 = 1 - data[i], u2 = data[i + 8];
    const double radius = std::sqrt(-2 * std::log(u1)), angle = 6.28318530717958647692 * u2;
    data[i] = std::fma(radius * std::cos(angle), std, mean);
    data[i + 8] = std::fma(radius * std::sin(angle), std, mean);
  }
}

}  // namespace tapehead::core
