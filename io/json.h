// JsonObject: an object of JSON, written member by member, on one line.
//
//   JsonObject line;
//   line.add("step", 20).add("loss", 0.25);
//   line.text();   // {"step":20,"loss":0.25}
//
// Files are read by what knows their format: safetensors.h, mingpt.h.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../core/error.h"

namespace tapehead::io {

class JsonObject {
 public:
  /// Adds a member behind those there are. A number that JSON has no word for (nan, inf) is null.
  /// Error for a key or text that is not UTF-8.
  JsonObject& add(std::string_view key, std::string_view text);
  JsonObject& add(std::string_view key, const char* text) {
    return add(key, std::string_view(text));
  }
  JsonObject& add(std::string_view key, double number);
  JsonObject& add(std::string_view key, bool value) {
    return add_written(key, value ? "true" : "false");
  }
  template <std::integral Number>
  JsonObject& add(std::string_view key, Number number) {
    return add_written(key, std::to_string(number));
  }
  JsonObject& add(std::string_view key, const JsonObject& object) {
    return add_written(key, object.text());
  }
  template <class Value>
  JsonObject& add(std::string_view key, const std::vector<Value>& list) {
    JsonObject values;  // their keys are left out
    for (const Value& value : list) values.add("", value);
    return add_written(key, values.as_list());
  }

  std::string text() const;

 private:
  struct Member {
    std::string key, value;
  };

  JsonObject& add_written(std::string_view key, std::string value);
  std::string as_list() const;

  std::vector<Member> members_;
};

/// The whole number under `key` in an object of JSON; nothing where `text` is none, or has none.
std::optional<std::int64_t> json_integer(std::string_view text, const std::string& key);

}  // namespace tapehead::io
