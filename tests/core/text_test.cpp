#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/core/generator.h>
#include <tapehead/core/print.h>
#include <tapehead/core/text.h>

#include "../support/comma_locale.h"

using namespace tapehead;
using namespace tapehead::core;

TEST_CASE("text, errors, printed tensors and generator states do not follow the global locale") {
  const NDArray x = NDArray::of({1234.5, 2}, {2}, DType::Float64);
  const NDArray whole = NDArray::full({1}, 1234567, DType::Int64);
  const std::string state = Generator(12345).state();
  const CommaLocale comma;
  std::ostringstream stream;
  stream << 1234.5;
  REQUIRE(stream.str() == "1.234,5");
  CHECK(to_text(1234.5, ' ', 1234567) == "1234.5 1234567");
  CHECK(to_string(x) == "[1234.5000,    2.0000]");
  CHECK(to_string(whole) == "[1234567]");
  CHECK(suffixes(NDArray::empty({0, 1234}, DType::Float32)) ==
        std::vector<std::string>{"size=(0, 1234)"});
  CHECK(Generator(12345).state() == state);
  CHECK_THROWS_WITH_AS(core::add(whole, 1234.5),
                       "add: the scalar 1234.5 is not a whole number that Int64 holds; convert "
                       "with .to(Float32) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(x.view({1234567}),
                       "view: (1234567) does not hold the 2 elements of (2); make their product 2",
                       ShapeError);
}
