#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/alibi.h>

#include <cmath>
#include <limits>
#include <string>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;

TEST_CASE("ALiBi's slopes are a geometric sequence down to 2^-8") {
  CHECK(alibi_slopes(1) == std::vector<double>{std::exp2(-8)});
  CHECK(alibi_slopes(4) ==
        std::vector<double>{std::exp2(-2), std::exp2(-4), std::exp2(-6), std::exp2(-8)});
}

TEST_CASE("where heads are no power of 2, ALiBi takes every other slope of the next one") {
  CHECK(alibi_slopes(3) == std::vector<double>{std::exp2(-4), std::exp2(-8), std::exp2(-2)});
  CHECK(alibi_slopes(6) == std::vector<double>{std::exp2(-2), std::exp2(-4), std::exp2(-6),
                                               std::exp2(-8), std::exp2(-1), std::exp2(-3)});
  CHECK_THROWS_WITH_AS(alibi_slopes(0), "alibi_slopes: expected at least 1 head, got 0", Error);
}

TEST_CASE("ALiBi's bias is minus slope times distance, the queries being the last positions") {
  const Tensor bias = alibi_bias(2, 2, 3, Float64);
  const Tensor distance = tensor({{1, 0, 1}, {2, 1, 0}}, Float64);
  CHECK(difference(bias, stack({distance * -0.0625, distance * -0.00390625}).unsqueeze(0)) == "");
  CHECK(alibi_bias(2, 2, 3).dtype() == Float32);
}

TEST_CASE("ALiBi refuses more heads than memory holds, fewer keys than queries and whole numbers") {
  std::string refusal;
  try {
    alibi_bias(std::numeric_limits<Index>::max(), 1, 1);
  } catch (const MemoryError& error) {
    refusal = error.what();
  }
  CHECK(refusal.starts_with("allocate: alibi_slopes of 9223372036854775807 heads needs "));
  CHECK_THROWS_WITH_AS(alibi_bias(2, -1, 1),
                       "alibi_bias: expected 0 queries or more and at least as many keys, got -1 "
                       "and 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(alibi_bias(2, 3, 2),
                       "alibi_bias: expected 0 queries or more and at least as many keys, got 3 "
                       "and 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(alibi_bias(2, 1, 1, Int64),
                       "alibi_bias: expected Float32 or Float64, got Int64; convert with "
                       ".to(Float32)",
                       DTypeError);
}
