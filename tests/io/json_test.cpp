#include <doctest/doctest.h>
#include <tapehead/io/json.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace io = tapehead::io;
using io::JsonObject;

TEST_CASE("an object of JSON has its members in the order they were added") {
  JsonObject object;
  CHECK(object.text() == "{}");
  object.add("z", 3).add("a", 0.25).add("m", true).add("text", "\"é\"\n").add("far", -(1LL << 62));
  CHECK(object.text() ==
        R"({"z":3,"a":0.25,"m":true,"text":"\"é\"\n","far":-4611686018427387904})");
}

TEST_CASE("objects of JSON nest, and lists hold whatever an object can") {
  const JsonObject inner = JsonObject().add("n", std::vector<int>{1, 2});
  const JsonObject object = JsonObject()
                                .add("one", inner)
                                .add("both", std::vector<JsonObject>{inner, JsonObject()})
                                .add("words", std::vector<std::string>{"a", "b"})
                                .add("none", std::vector<double>{});
  CHECK(object.text() ==
        R"({"one":{"n":[1,2]},"both":[{"n":[1,2]},{}],"words":["a","b"],"none":[]})");
}

TEST_CASE("a number in JSON reads back as itself, or is null") {
  const double tenth = 0.1, smallest = std::numeric_limits<double>::denorm_min();
  const auto json = nlohmann::json::parse(JsonObject().add("a", tenth).add("b", smallest).text());
  CHECK(json["a"] == tenth);
  CHECK(json["b"] == smallest);
  CHECK(JsonObject().add("x", std::numeric_limits<double>::quiet_NaN()).text() == R"({"x":null})");
}

TEST_CASE("a text in JSON that is not UTF-8 is refused") {
  CHECK_THROWS_WITH_AS(JsonObject().add("\xff", 1),
                       "JsonObject: a text must be UTF-8, got \"\\xff\"", tapehead::Error);
  CHECK_THROWS_WITH_AS(JsonObject().add("k", "a\xff"),
                       "JsonObject: a text must be UTF-8, got \"a\\xff\"", tapehead::Error);
}

TEST_CASE("a whole number is found in an object of JSON, or nothing is") {
  CHECK(io::json_integer(R"({"a":{"step":1},"step":7})", "step") == 7);
  CHECK_FALSE(io::json_integer(R"({"step":7.5})", "step").has_value());
  CHECK_FALSE(io::json_integer(R"({"step":)", "step").has_value());
  CHECK_FALSE(io::json_integer("[7]", "step").has_value());
}
