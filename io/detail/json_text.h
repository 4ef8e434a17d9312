// JsonText: the JSON of a file for nlohmann::json::sax_parse, character by character, in bounded
// memory whatever it holds.
//
// Of a string only the first `longest_text` bytes are handed on; the rest stays in the file, and
// string() says where. A run of white space is one space, and a number has an end.
#pragma once

#include <array>
#include <iterator>
#include <string>

#include "input_file.h"

namespace tapehead::io {

class JsonText {
 public:
  /// The bytes from `begin` up to `end`.
  JsonText(const InputFile& file, std::uint64_t begin, std::uint64_t end);

  /// Where in the file the last string stands, and whether all of it was handed on.
  struct Place {
    std::uint64_t begin, end;
    bool whole() const { return end - begin <= longest_text; }
  };
  const Place& string() const { return string_; }
  /// The place in the file of the character that was handed on last.
  std::uint64_t offset() const { return offset_ - 1; }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    explicit Iterator(JsonText* text = nullptr) : text_(text) {}
    const char& operator*() const { return text_->current_; }
    Iterator& operator++() { return text_->advance(), *this; }
    bool operator==(const Iterator& other) const { return at_end() == other.at_end(); }

   private:
    bool at_end() const { return text_ == nullptr || text_->ended_; }
    JsonText* text_;
  };
  Iterator begin() { return Iterator(this); }
  Iterator end() { return Iterator(); }

 private:
  bool fetch();         // the next byte of the file becomes the current one
  void advance();       // the next character to hand on
  void note(char c);    // what `c` means for the state
  bool hidden() const;  // whether the current one is not handed on

  const InputFile& file_;
  std::uint64_t offset_, end_;  // of what follows the current one
  std::array<char, chunk_bytes> chunk_;
  std::size_t next_ = 0, filled_ = 0;
  char current_ = ' ', previous_ = 0;
  bool ended_ = false, in_string_ = false, escaped_ = false;
  std::size_t word_ = 0;  // how long the number or word is so far
  Place string_{0, 0};
};

/// What to do at each event of a parse. A reader overrides those that it expects; the others are
/// refused as misplaced.
class JsonEvents {
 public:
  virtual ~JsonEvents() = default;
  /// Parses all of it. IoError for what is not JSON or not UTF-8.
  void parse(const InputFile& file, std::uint64_t begin, std::uint64_t end);

 protected:
  virtual void null() { misplaced("null"); }
  virtual void boolean(bool) { misplaced("true or false"); }
  virtual void number_integer(std::int64_t) { misplaced("a negative number"); }
  virtual void number_unsigned(std::uint64_t) { misplaced("a number"); }
  virtual void number_float(double) { misplaced("a fraction, or more than 64 bits"); }
  virtual void string(std::string&) { misplaced("a string"); }
  virtual void start_object() { misplaced("an object"); }
  virtual void start_array() { misplaced("a list"); }
  virtual void end_object() {}
  virtual void end_array() {}
  virtual void key(std::string&) {}

  /// What should stand here, for messages: "a list of sizes".
  virtual std::string expected() const = 0;
  [[noreturn]] void misplaced(const std::string& what) const;
  const InputFile& file() const { return *file_; }
  JsonText::Place string_place() const { return text_->string(); }
  /// IoError for a string too long to be kept, and for a name of more than 512 bytes.
  void check_length() const;
  void check_name(const std::string& name) const;

 private:
  friend class JsonParse;
  [[noreturn]] void not_json(const std::string& token, std::string_view error) const;

  const InputFile* file_ = nullptr;
  JsonText* text_ = nullptr;
};

bool is_utf8(std::string_view text);

}  // namespace tapehead::io
