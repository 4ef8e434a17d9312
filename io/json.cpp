#include "json.h"

#include <nlohmann/json.hpp>

namespace tapehead::io {
namespace {

// The values between two brackets, with commas.
std::string enclosed(char open, const std::vector<std::string>& values, char close) {
  std::string text(1, open);
  for (const std::string& value : values) text += (text.size() > 1 ? "," : "") + value;
  return text + close;
}

}  // namespace

Json::Json(std::string_view text)
    : text_(nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)) {}

Json::Json(double number) : text_(nlohmann::json(number).dump()) {}

Json::Json(const core::Shape& shape) {
  std::vector<std::string> sizes;
  for (const core::Index size : shape) sizes.push_back(std::to_string(size));
  text_ = enclosed('[', sizes, ']');
}

Json Json::list(const std::vector<Json>& values) {
  std::vector<std::string> texts;
  for (const Json& value : values) texts.push_back(value.text_);
  Json json(0);
  json.text_ = enclosed('[', texts, ']');
  return json;
}

Json Json::object(const std::vector<std::pair<std::string, Json>>& fields) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : fields) texts.push_back(Json(name).text_ + ":" + value.text_);
  Json json(0);
  json.text_ = enclosed('{', texts, '}');
  return json;
}

std::optional<std::int64_t> json_integer(std::string_view text, const std::string& key) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) return {};
  return json[key].get<std::int64_t>();
}

}  // namespace tapehead::io
