#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/rotary.h>

#include <cmath>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;
using testing::noise;

TEST_CASE("neighbouring features are turned together, by an angle that falls from pair to pair") {
  const Tensor x = noise({1, 1, 3, 4});
  const Tensor y = apply_rotary(x, rotary_angles(arange(5, 8), 4, Float64));
  for (Index t = 0; t < 3; ++t)
    for (Index pair = 0; pair < 2; ++pair) {
      const double angle = static_cast<double>(5 + t) * (pair == 0 ? 1 : 0.01);
      const auto at = [&](const Tensor& of, Index k) {
        return of.select(0, 0).select(0, 0).select(0, t).select(0, 2 * pair + k).item();
      };
      const double a = at(x, 0), b = at(x, 1);
      CHECK(at(y, 0) == doctest::Approx(a * std::cos(angle) - b * std::sin(angle)).epsilon(1e-14));
      CHECK(at(y, 1) == doctest::Approx(a * std::sin(angle) + b * std::cos(angle)).epsilon(1e-14));
    }
}

TEST_CASE("position 0 is not turned, and no length changes") {
  const Tensor x = noise({2, 3, 4, 6});
  const Tensor y = apply_rotary(x, rotary_angles(arange(4), 6, Float64));
  CHECK(difference(y.select(2, 0), x.select(2, 0)) == "");
  CHECK(difference((y * y).sum({-1}), (x * x).sum({-1}), {.atol = 1e-14}) == "");
}

TEST_CASE("scores depend on how far apart query and key are, not on where") {
  const Tensor q = noise({1, 1, 2, 8}, 1), k = noise({1, 1, 2, 8}, 2);
  const auto scores = [&](Index from) {
    const RotaryAngles angles = rotary_angles(arange(from, from + 2), 8, Float64);
    return matmul(apply_rotary(q, angles), apply_rotary(k, angles).mT());
  };
  CHECK(difference(scores(100), scores(0), {.atol = 1e-12}) == "");
  CHECK(difference(scores(0), matmul(q, k.mT()), {.atol = 1e-3}) != "");
}

TEST_CASE("sequences of a batch may have positions of their own") {
  const Tensor x = noise({2, 3, 2, 4});
  const Tensor y = apply_rotary(x, rotary_angles(tensor({{0, 1}, {5, 6}}), 4, Float64));
  CHECK(difference(y.narrow(0, 1, 1),
                   apply_rotary(x.narrow(0, 1, 1), rotary_angles(arange(5, 7), 4, Float64))) == "");
  CHECK(difference(y.narrow(0, 0, 1),
                   apply_rotary(x.narrow(0, 0, 1), rotary_angles(arange(2), 4, Float64))) == "");
}

TEST_CASE("a base of its own has frequencies of its own") {
  const RotaryAngles angles = rotary_angles(arange(2), 4, Float64, 100);
  CHECK(difference(angles.sin.select(0, 1), tensor({std::sin(1.0), std::sin(0.1)}, Float64)) == "");
  CHECK(rotary_angles(arange(2), 4).cos.dtype() == Float32);
}

TEST_CASE("features are turned in pairs, at positions that are whole numbers") {
  CHECK_THROWS_WITH_AS(rotary_angles(arange(2), 5),
                       "rotary_angles: d_k must be even, since features are turned in pairs, got 5",
                       Error);
  CHECK_THROWS_WITH_AS(rotary_angles(arange(2), 0),
                       "rotary_angles: d_k must be even, since features are turned in pairs, got 0",
                       Error);
  CHECK_THROWS_WITH_AS(rotary_angles(arange(2.0), 4),
                       "rotary_angles: positions must be Int64 (T) or (B, T), got Float32 (2)",
                       ShapeError);
}

TEST_CASE("the gradients of turning are right") {
  const RotaryAngles angles = rotary_angles(tensor({{0, 1, 2}, {3, 4, 5}}), 4, Float64);
  CHECK(testing::strict_gradcheck([&](const auto& x) { return apply_rotary(x[0], angles); },
                                  {noise({2, 2, 3, 4}).requires_grad_()}));
}

TEST_CASE("angles are of floats, with a base above 0, at positions that are there") {
  CHECK_THROWS_WITH_AS(rotary_angles(arange(3), 4, Int64),
                       "rotary_angles: expected Float32 or Float64, got Int64; convert with "
                       ".to(Float32)",
                       DTypeError);
  for (const double base : {0., -1., double{INFINITY}, double{NAN}})
    CHECK_THROWS_WITH_AS(
        rotary_angles(arange(3), 4, Float32, base),
        core::to_text("rotary_angles: the base of the rotary angles must be above 0 and finite, "
                      "got ",
                      base)
            .c_str(),
        Error);
  CHECK_THROWS_WITH_AS(rotary_angles(Tensor(), 4),
                       "rotary_angles: the positions are undefined (made by Tensor()); ask "
                       "defined() first",
                       Error);
}
