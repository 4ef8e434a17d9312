#include <doctest/doctest.h>
#include <tapehead/autograd/statistics.h>
#include <tapehead/core/text.h>

#include <cmath>

using namespace tapehead;
using core::NDArray;
using enum core::DType;

TEST_CASE("statistics count what is not finite, and give the range of what is") {
  const NDArray x = NDArray::of({1, NAN, -INFINITY, 0, INFINITY, INFINITY, -2.5}, {7}, Float32);
  const Statistics s = statistics(x);
  CHECK(s.shape == core::Shape{7});
  CHECK(s.nan == 1);
  CHECK(s.positive_inf == 2);
  CHECK(s.negative_inf == 1);
  CHECK(s.zeros == 1);
  CHECK(s.min == -2.5);
  CHECK(s.max == 1);
  CHECK(core::to_text(s) == "(7) Float32, -2.5 to 1, 1 NaN, 3 inf");
  CHECK_FALSE(s.finite());
  CHECK_FALSE(all_finite(x));
}

TEST_CASE("statistics of any layout and dtype, and of nothing") {
  const NDArray x = NDArray::of({1, 2, NAN, 4, 5, 6}, {2, 3}, Float64);
  CHECK(statistics(x.transpose(0, 1)).nan == 1);
  CHECK(statistics(x.select(1, 0)).max == 4);
  CHECK(all_finite(x.select(1, 0)));
  CHECK_FALSE(all_finite(x.select(1, 2)));
  CHECK(statistics(x.narrow(1, 1, 1).expand({2, 4})).max == 5);
  CHECK(core::to_text(statistics(NDArray::of({3, -1}, {2}, Int64))) == "(2) Int64, -1 to 3");
  CHECK(core::to_text(statistics(NDArray::full({2}, true, Bool))) == "(2) Bool, 1 to 1");
  const NDArray none = NDArray::empty({0}, Float32);
  CHECK(core::to_text(statistics(none)) == "(0) Float32, 0 NaN, 0 inf");
  CHECK(all_finite(none));
  CHECK_FALSE(statistics(none).any_finite());
}
