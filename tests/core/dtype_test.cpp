#include <doctest/doctest.h>
#include <tapehead/core/dtype.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
using namespace tapehead;
using namespace tapehead::core;

TEST_CASE("dtypes have names and sizes, and say whether they are floating") {
  CHECK(std::string(name(DType::Float32)) == "Float32");
  CHECK(std::string(name(DType::Float64)) == "Float64");
  CHECK(std::string(name(DType::Int64)) == "Int64");
  CHECK(std::string(name(DType::Bool)) == "Bool");
  CHECK(size_of(DType::Float32) == 4);
  CHECK(size_of(DType::Float64) == 8);
  CHECK(size_of(DType::Int64) == 8);
  CHECK(size_of(DType::Bool) == 1);
  CHECK(is_floating(DType::Float64));
  CHECK_FALSE(is_floating(DType::Int64));
}

TEST_CASE("dispatch hands over the C++ type") {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64, DType::Bool}) {
    CHECK(dispatch(dtype, []<class T>() { return dtype_of<T>; }) == dtype);
    CHECK(dispatch(dtype, []<class T>() { return Index{sizeof(T)}; }) == size_of(dtype));
  }
  CHECK(dispatch_numeric("neg", DType::Int64, []<class T>() { return dtype_of<T>; }) ==
        DType::Int64);
  CHECK(dispatch_floating("exp", DType::Float64, []<class T>() { return dtype_of<T>; }) ==
        DType::Float64);
}

TEST_CASE("an op that cannot take a dtype says which it takes") {
  const auto nothing = []<class T>() {};
  CHECK_THROWS_WITH_AS(dispatch_floating("exp", DType::Int64, nothing),
                       "exp: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(dispatch_numeric("neg", DType::Bool, nothing),
                       "neg: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
}

TEST_CASE("a scalar takes the tensor's dtype where it fits") {
  CHECK(Scalar(3).to<Index>("add") == 3);
  CHECK(Scalar(3.0).to<Index>("add") == 3);
  CHECK(Scalar(3).to<float>("add") == 3.0F);
  CHECK(Scalar(0.1).to<float>("add") == 0.1F);
  CHECK(Scalar(true).to<Index>("add") == 1);
  CHECK(Scalar(2).to<bool>("eq"));
  CHECK_FALSE(Scalar(0.0).to<bool>("eq"));
  const Index odd = (Index{1} << 53) + 1;  // a double would round it
  CHECK(Scalar(odd).to<Index>("add") == odd);
  CHECK(Scalar(-0x1p63).to<Index>("add") == std::numeric_limits<Index>::min());
}

TEST_CASE("a fractional or too large scalar is refused by Int64") {
  CHECK_THROWS_WITH_AS(Scalar(0.5).to<Index>("add"),
                       "add: the scalar 0.5 is not a whole number that Int64 holds; convert with "
                       ".to(Float32) first",
                       DTypeError);
  for (const auto& [value, text] :
       {std::pair{0x1p63, "9.22337e+18"}, {HUGE_VAL, "inf"}, {std::nan(""), "nan"}})
    CHECK_THROWS_WITH_AS(
        Scalar(value).to<Index>("add"),
        ("add: the scalar " + std::string(text) +
         " is not a whole number that Int64 holds; convert with .to(Float32) first")
            .c_str(),
        DTypeError);
}

TEST_CASE("a whole scalar that Int64 cannot hold is refused at once") {
  CHECK(Scalar(9223372036854775807ULL).to<Index>("add") == std::numeric_limits<Index>::max());
  CHECK_THROWS_WITH_AS(
      Scalar(18446744073709551615ULL),
      "scalar: 18446744073709551615 is beyond what 64-bit whole numbers hold; keep "
      "it a floating-point number",
      DTypeError);
}

TEST_CASE("a type holds a number, less its fraction, or not") {
  CHECK(holds<Index>(-0x1p63));
  CHECK_FALSE(holds<Index>(0x1p63));
  CHECK(holds<Index>(-0x1p63F));
  CHECK_FALSE(holds<Index>(0x1p63F));
  CHECK_FALSE(holds<Index>(std::nan("")));
  CHECK(holds<int>(-2147483648.9));
  CHECK_FALSE(holds<int>(-2147483649.0));
  CHECK_FALSE(holds<int>(2147483648.0));
  CHECK(holds<std::uint8_t>(-0.9));
  CHECK_FALSE(holds<std::uint8_t>(Index{-1}));
  CHECK_FALSE(holds<std::uint64_t>(Index{-1}));
  CHECK_FALSE(holds<Index>(std::numeric_limits<std::uint64_t>::max()));
  CHECK(holds<float>(1e300));
  CHECK(holds<bool>(2.0));
}
