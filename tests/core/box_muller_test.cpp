#include <doctest/doctest.h>
#include <tapehead/core/detail/box_muller.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

using namespace tapehead::core;

TEST_CASE("sixteen uniform numbers become eight pairs of distance and angle") {
  std::array<double, 16> x{};
  for (std::size_t i = 0; i < 16; ++i) x[i] = static_cast<double>(i) / 16;
  const std::array<double, 16> u = x;
  box_muller_16(x.data(), 3, 2);
  for (std::size_t i = 0; i < 8; ++i) {
    const double radius = std::sqrt(-2 * std::log(1 - u[i])), angle = 2 * std::acos(-1) * u[i + 8];
    CHECK(x[i] == doctest::Approx(3 + 2 * radius * std::cos(angle)).epsilon(1e-14));
    CHECK(x[i + 8] == doctest::Approx(3 + 2 * radius * std::sin(angle)).epsilon(1e-14));
  }
}

// Most of the error is the rounding of the angle. It counts against the radius: near a zero of sin
// or cos nothing is left of the number itself.
TEST_CASE("the float version is as accurate as its type over the whole range") {
  double worst = 0;
  for (std::uint32_t n = 0; n < 1U << 20; ++n) {
    std::array<float, 16> x{};
    x[0] = static_cast<float>(n * 16 + 15) * 0x1p-24F;  // up to the last number below 1
    x[8] = static_cast<float>((n * 7919) & 0xffffffU) * 0x1p-24F;
    const double radius = std::sqrt(-2 * std::log(1 - static_cast<double>(x[0])));
    const double angle = 2 * std::acos(-1) * static_cast<double>(x[8]);
    box_muller_16(x.data(), 0, 1);
    worst =
        std::max({worst, std::abs(static_cast<double>(x[0]) - radius * std::cos(angle)) / radius,
                  std::abs(static_cast<double>(x[8]) - radius * std::sin(angle)) / radius});
  }
  CHECK(worst < 5e-7);
}

TEST_CASE("the ends of the interval give finite numbers") {
  std::array<float, 16> x{};
  x[1] = 1 - 0x1p-24F, x[9] = 1 - 0x1p-24F;
  box_muller_16(x.data(), 0, 1);
  CHECK(x[0] == 0);
  CHECK(x[1] == doctest::Approx(std::sqrt(48 * std::log(2))));
  CHECK(std::isfinite(x[9]));
}
