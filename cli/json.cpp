#include "json.h"

#include <cmath>
#include <iomanip>

#include "../core/text.h"
#include "../data/utf8.h"
#include "output.h"

namespace tapehead::cli {
namespace {

std::string escaped(std::string_view character) {
  const auto byte = static_cast<unsigned char>(character[0]);
  if (character == "\"" || character == "\\") return "\\" + std::string(character);
  if (byte < 0x20)
    return core::to_text("\\u", std::hex, std::setfill('0'), std::setw(4), unsigned{byte});
  return character.size() == 1 && byte >= 0x80 ? "\\ufffd" : std::string(character);
}

// The values between two brackets, with commas.
std::string joined(char open, const std::vector<std::string>& values, char close) {
  std::string text(1, open);
  for (const std::string& value : values) text += (text.size() > 1 ? ", " : "") + value;
  return text + close;
}

}  // namespace

Json::Json(std::string_view text) : text_("\"") {
  for (const std::string_view character : data::characters(text)) text_ += escaped(character);
  text_ += '"';
}

Json::Json(double number) : text_(std::isfinite(number) ? exact(number) : "null") {}

Json::Json(const core::Shape& shape) {
  std::vector<std::string> sizes;
  for (const core::Index size : shape) sizes.push_back(std::to_string(size));
  text_ = joined('[', sizes, ']');
}

Json Json::list(const std::vector<Json>& values) {
  std::vector<std::string> texts;
  for (const Json& value : values) texts.push_back(value.text_);
  Json json(0);
  json.text_ = joined('[', texts, ']');
  return json;
}

Json Json::object(const std::vector<std::pair<std::string, Json>>& fields) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : fields) texts.push_back(Json(name).text_ + ": " + value.text_);
  Json json(0);
  json.text_ = joined('{', texts, '}');
  return json;
}

}  // namespace tapehead::cli
