// Json: a value as JSON text, for commands that report to programs.
//
//   Json::object({{"task", "copy"}, {"accuracy", 0.998}, {"steps", 100}}).text()
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/shape.h"

namespace tapehead::cli {

class Json {
 public:
  Json(std::string_view text);  // NOLINT: what is written is a value
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(double number);  // NaN and infinity, which JSON has not, become null
  template <std::integral T>
  Json(T number) : text_(std::to_string(number)) {}
  Json(bool truth) : text_(truth ? "true" : "false") {}
  Json(const core::Shape& sizes);

  static Json list(const std::vector<Json>& values);
  /// In this order.
  static Json object(const std::vector<std::pair<std::string, Json>>& fields);

  /// In one line.
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace tapehead::cli
