// Json: a value as JSON, for logs and for commands that report to programs.
//
//   Json::object({{"task", "copy"}, {"accuracy", 0.998}, {"steps", 100}}).text()
//   // {"task":"copy","accuracy":0.998,"steps":100}
//
// Files are read by what knows their format: safetensors.h, mingpt.h.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../core/shape.h"

namespace tapehead::io {

class Json {
 public:
  Json(std::string_view text);  // NOLINT: what is written is a value; what is not UTF-8 is U+FFFD
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

/// The whole number under `key` in an object of JSON; nothing where `text` is none, or has none.
std::optional<std::int64_t> json_integer(std::string_view text, const std::string& key);

}  // namespace tapehead::io
