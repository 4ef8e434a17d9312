#include <doctest/doctest.h>
#include <tapehead/cli/output.h>

using tapehead::cli::grouped;

TEST_CASE("large numbers are grouped by thousands") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(35149) == "35,149");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(-123) == "-123");
  CHECK(grouped(-1234) == "-1,234");
}
