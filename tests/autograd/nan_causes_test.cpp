#include <doctest/doctest.h>
#include <tapehead/autograd/observers/nan_causes.h>

using namespace tapehead;

TEST_CASE("an argument that is not finite is told from words that contain its letters") {
  using detail::has_argument;
  CHECK(has_argument("inf", "inf"));
  CHECK(has_argument("-inf", "inf"));
  CHECK(has_argument("1, nan", "nan"));
  CHECK(has_argument("-nan, 2", "nan"));
  CHECK_FALSE(has_argument("inf", "nan"));
  CHECK_FALSE(has_argument("", "nan"));
  CHECK_FALSE(has_argument("info, banana", "inf"));
  CHECK_FALSE(has_argument("-1, (2, 3)", "inf"));
}
