#include "json.h"

#include <nlohmann/json.hpp>

#include "detail/json_text.h"

namespace tapehead::io {
namespace {

std::string quoted(std::string_view text) {
  if (!is_utf8(text)) fail("JsonObject: a text must be UTF-8, got ", in_quotes(text));
  return nlohmann::json(text).dump();
}

}  // namespace

JsonObject& JsonObject::add(std::string_view key, std::string_view text) {
  return add_written(key, quoted(text));
}

JsonObject& JsonObject::add(std::string_view key, double number) {
  return add_written(key, nlohmann::json(number).dump());
}

JsonObject& JsonObject::add_written(std::string_view key, std::string value) {
  members_.push_back({quoted(key), std::move(value)});
  return *this;
}

std::string JsonObject::text() const {
  std::string text;
  for (const auto& [key, value] : members_) text += (text.empty() ? "" : ",") + key + ':' + value;
  return '{' + text + '}';
}

std::string JsonObject::as_list() const {
  std::string text;
  for (const Member& member : members_) text += (text.empty() ? "" : ",") + member.value;
  return '[' + text + ']';
}

std::optional<std::int64_t> json_integer(std::string_view text, const std::string& key) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) return {};
  return json[key].get<std::int64_t>();
}

}  // namespace tapehead::io
