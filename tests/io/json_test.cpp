#include <doctest/doctest.h>
#include <tapehead/io/json.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../support/comma_locale.h"

using tapehead::io::Json;

TEST_CASE("values are written as JSON has them") {
  CHECK(Json(0.1).text() == "0.1");
  CHECK(Json(1e300).text() == "1e+300");
  CHECK(Json(NAN).text() == "null");
  CHECK(Json(-INFINITY).text() == "null");
  CHECK(Json(-12).text() == "-12");
  CHECK(Json(true).text() == "true");
  CHECK(Json("a").text() == "\"a\"");
  CHECK(Json(tapehead::core::Shape{2, 3}).text() == "[2,3]");
  CHECK(Json::list({1, "x"}).text() == "[1,\"x\"]");
  CHECK(Json::object({{"b", 1}, {"a", Json::list({})}}).text() == "{\"b\":1,\"a\":[]}");
}

TEST_CASE("a number comes back exactly, in any locale") {
  const CommaLocale comma;
  for (const double x : {1.0 / 3, 0.1 + 0.2, 123456789.123456789, 5e-324})
    CHECK(nlohmann::json::parse(Json(x).text()).get<double>() == x);
}

TEST_CASE("any text is a string that can be read") {
  const std::string all = "quote\" back\\ line\n bell\a \u00e9 \U0001f600";
  CHECK(nlohmann::json::parse(Json(all).text()).get<std::string>() == all);
  CHECK(nlohmann::json::parse(Json("x\xff").text()).get<std::string>() == "x\ufffd");
}

TEST_CASE("a whole number is found in an object of JSON, or nothing is") {
  using tapehead::io::json_integer;
  CHECK(json_integer(R"({"a":{"step":1},"step":7})", "step") == 7);
  CHECK_FALSE(json_integer(R"({"step":7.5})", "step").has_value());
  CHECK_FALSE(json_integer(R"({"step":)", "step").has_value());
  CHECK_FALSE(json_integer("[7]", "step").has_value());
}
