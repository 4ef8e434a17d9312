// The reference cases of tests/cases/*.json. A test case is named "ID: title", both as in the file.
//
//   TEST_CASE("VIEW-08: contiguous() passes gradients through (identity in logical order)") {
//     const Case c = this_case();
//     const Tensor x = c.input("x").requires_grad_();
//     const Tensor y = x.t().contiguous();
//     CHECK(c.difference(y, c.output("out")) == "");
//   }
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compare.h"

namespace tapehead::testing {

using Json = nlohmann::json;

/// A file of tests/cases, by its name without ".json".
inline Json read_cases(const std::string& name) {
  return Json::parse(std::ifstream(TAPEHEAD_TESTS_DIR "/cases/" + name + ".json"));
}

/// A number, or the word that JSON has for it: "nan", "inf", "-inf".
inline double to_number(const Json& value) {
  if (!value.is_string()) return value.is_boolean() ? value.get<bool>() : value.get<double>();
  const auto word = value.get<std::string>();
  return word == "nan" ? NAN : word == "inf" ? INFINITY : -INFINITY;
}

/// {"shape", "dtype", "data"} or a plain number, in its own dtype: f64, f32, i64 or bool.
inline Tensor to_tensor(const Json& value) {
  if (!value.is_object()) return tensor(std::vector<double>{to_number(value)}, {}, Float64);
  const auto type = value.at("dtype").get<std::string>();
  const DType dtype = type == "f64"   ? Float64
                      : type == "f32" ? Float32
                      : type == "i64" ? Int64
                                      : Bool;
  std::vector<double> data;
  for (const Json& element : value.at("data")) data.push_back(to_number(element));
  return tensor(data, Shape(value.at("shape").get<std::vector<Index>>()), dtype);
}
/// The same with floats as `dtype`.
inline Tensor to_tensor(const Json& value, DType dtype) {
  const Tensor x = to_tensor(value);
  return core::is_floating(x.dtype()) ? tensor(values(x), x.shape(), dtype) : x;
}

class Case {
 public:
  explicit Case(Json data) : json(std::move(data)) {}

  /// Floats come as `dtype`, other tensors as they are.
  Tensor input(const char* name, DType dtype = Float64) const {
    return to_tensor(json.at("inputs").at(name), dtype);
  }
  Tensor output(const char* name, DType dtype = Float64) const {
    return to_tensor(json.at("expect").at("outputs").at(name), dtype);
  }
  Tensor grad(const char* name, DType dtype = Float64) const {
    return to_tensor(json.at("expect").at("grads").at(name), dtype);
  }
  Tensor known_wrong(const char* name, DType dtype = Float64) const {
    return to_tensor(json.at("known_wrong").at(name), dtype);
  }

  /// What the file says for `dtype`; where it is silent, 1e-9 and 2e-4 relative to max(1, |want|).
  Tolerance tolerance(DType dtype) const {
    const Json given = json.value("tolerance", Json::object());
    const double bound = dtype == Float64 ? given.value("f64", 1e-9) : given.value("f32", 2e-4);
    if (given.value("rule", "") == "abs") return {.atol = bound};
    return {.relative_to_at_least_one = bound};
  }
  /// "" where the two agree within the case's tolerance.
  std::string difference(const Tensor& got, const Tensor& want) const {
    return testing::difference(got, want, tolerance(want.dtype()));
  }

  const Json json;
};

/// The case that the running test is named after. Error if the name is not "ID: title" of a case.
inline Case this_case() {
  const std::string name = doctest::getContextOptions()->currentTest->m_name;
  for (const auto& file : std::filesystem::directory_iterator(TAPEHEAD_TESTS_DIR "/cases")) {
    if (file.path().extension() != ".json") continue;
    const Json topic = read_cases(file.path().stem().string());
    for (const Json& one : topic.value("cases", Json::array()))
      if (one.at("id").get<std::string>() + ": " + one.at("title").get<std::string>() == name)
        return Case(one);
  }
  fail("no case is named \"", name, "\"");
}

}  // namespace tapehead::testing
