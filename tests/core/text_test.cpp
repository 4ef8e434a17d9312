#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/core/generator.h>
#include <tapehead/core/print.h>
#include <tapehead/core/text.h>

using namespace tapehead;
using namespace tapehead::core;

namespace {

// Numbers as some languages write them: 1.234,5.
struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};
// Such numbers are the global locale's for a test's duration.
struct CommaLocale {
  CommaLocale() : before(std::locale::global(std::locale(std::locale(), new Comma))) {}
  ~CommaLocale() { std::locale::global(before); }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  std::locale before;
};

}  // namespace

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
                       "with .to(Float64) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(x.view({1234567}),
                       "view: (1234567) does not hold the 2 elements of (2); make their product 2",
                       ShapeError);
}
