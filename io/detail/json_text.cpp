#include "json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace tapehead::io {
namespace {

constexpr std::size_t longest_word = 64;  // digits of a number, or letters of true and its like

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

JsonText::JsonText(const InputFile& file, std::uint64_t begin, std::uint64_t end)
    : file_(file), offset_(begin), end_(end) {
  advance();
}

bool JsonText::fetch() {
  if (offset_ == end_) return false;
  if (next_ == filled_) {
    filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_.size(), end_ - offset_));
    file_.read(offset_, std::as_writable_bytes(std::span(chunk_).first(filled_)));
    next_ = 0;
  }
  previous_ = current_;
  current_ = chunk_[next_++];
  ++offset_;
  return true;
}

void JsonText::note(char c) {
  if (in_string_) {
    const bool closes = c == '"' && !escaped_;
    escaped_ = c == '\\' && !escaped_;
    if (!closes) return;
    string_.end = offset_ - 1;
    in_string_ = false;
    return;
  }
  if (c == '\0')  // which the parser would take for the end
    file_.refuse("byte ", offset_ - 1, ": a zero byte, of which JSON has none");
  const bool in_word = !is_space(c) && std::string_view("\"{}[]:,").find(c) == std::string::npos;
  word_ = in_word ? word_ + 1 : 0;
  if (word_ > longest_word)
    file_.refuse("byte ", offset_ - 1, ": a number or word of more than ", longest_word,
                 " characters");
  in_string_ = c == '"';
  if (in_string_) string_ = {offset_, offset_};
}

bool JsonText::hidden() const {
  if (in_string_) return offset_ - string_.begin > longest_text;
  return is_space(current_) && is_space(previous_);
}

void JsonText::advance() {
  do {
    if (!fetch()) {
      ended_ = true;
      if (in_string_) string_.end = offset_;
      return;
    }
    note(current_);
  } while (hidden());
}

// The parser's events, handed on, so that only this file and json.cpp need the
// parser's header, which is slow to compile.
class JsonParse : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonParse(JsonEvents& events) : events_(events) {}

  bool null() override { return events_.null(), true; }
  bool boolean(bool value) override { return events_.boolean(value), true; }
  bool number_integer(number_integer_t n) override { return events_.number_integer(n), true; }
  bool number_unsigned(number_unsigned_t n) override { return events_.number_unsigned(n), true; }
  bool number_float(number_float_t x, const string_t&) override {
    return events_.number_float(x), true;
  }
  bool string(string_t& text) override { return events_.string(text), true; }
  bool binary(binary_t&) override { events_.misplaced("bytes"); }
  bool start_object(std::size_t) override { return events_.start_object(), true; }
  bool start_array(std::size_t) override { return events_.start_array(), true; }
  bool end_object() override { return events_.end_object(), true; }
  bool end_array() override { return events_.end_array(), true; }
  bool key(string_t& name) override { return events_.key(name), true; }
  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    events_.not_json(token, error.what());
  }

 private:
  JsonEvents& events_;
};

void JsonEvents::parse(const InputFile& file, std::uint64_t begin, std::uint64_t end) {
  JsonText text(file, begin, end);
  file_ = &file;
  text_ = &text;
  JsonParse parse(*this);
  nlohmann::json::sax_parse(text.begin(), text.end(), &parse);
}

void JsonEvents::misplaced(const std::string& what) const {
  file_->refuse("byte ", text_->offset(), ": expected ", expected(), ", got ", what);
}

void JsonEvents::check_length() const {
  const JsonText::Place place = text_->string();
  if (!place.whole())
    file_->refuse("byte ", place.begin, ": a string of ", place.end - place.begin,
                  " bytes; at most ", longest_text, " are read");
}

void JsonEvents::check_name(const std::string& name) const {
  check_length();
  if (name.size() > longest_name)
    file_->refuse("byte ", text_->string().begin, ": a name of ", name.size(), " bytes; at most ",
                  longest_name, " are read");
}

void JsonEvents::not_json(const std::string& token, std::string_view error) const {
  const std::uint64_t at = text_->offset();
  if (at == text_->string().end) check_length();  // else that string has been read and judged
  if (error.find("UTF-8") != std::string_view::npos)
    file_->refuse("byte ", at, ": text that is not UTF-8");
  constexpr std::size_t shown = 20;
  file_->refuse(
      "byte ", at, ": not JSON after ",
      in_quotes(std::string_view(token).substr(token.size() - std::min(token.size(), shown))));
}

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(nlohmann::json(text).dump());
    return true;
  } catch (const nlohmann::json::type_error&) {
    return false;
  }
}

}  // namespace tapehead::io
