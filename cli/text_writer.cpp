#include "text_writer.h"

#include <algorithm>

#include "../data/utf8.h"
#include "output.h"

namespace tapehead::cli {
namespace {

// How much of its end may be the beginning of `stop`.
std::size_t overlap(const std::string& text, const std::string& stop) {
  std::size_t length = std::min(text.size(), stop.size() - 1);
  while (length > 0 && text.compare(text.size() - length, length, stop, 0, length) != 0) --length;
  return length;
}

// How many of its last bytes may become a character.
std::size_t open_bytes(const std::string& text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(3, text.size()); ++length) {
    const auto byte = static_cast<unsigned char>(text[text.size() - length]);
    const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    if (byte < 0x80 || byte >= 0xC0) return wanted > length ? length : 0;
  }
  return 0;
}

}  // namespace

void TextWriter::add_prompt(const std::string& piece) { show(piece); }

bool TextWriter::add(const std::string& piece) {
  if (stop_.empty()) return show(piece), true;
  held_ += piece;
  const std::size_t at = held_.find(stop_);
  ended_ = at != std::string::npos;
  const std::size_t keep = ended_ ? held_.size() - at : overlap(held_, stop_);
  show(held_.substr(0, held_.size() - keep));
  held_.erase(0, held_.size() - keep);
  return !ended_;
}

void TextWriter::end() {
  if (!ended_) show(held_);
  if (!unfinished_.empty()) say(data::printable(unfinished_, true));
  if (last_ != '\n') say("\n");
}

void TextWriter::show(const std::string& text) {
  if (text.empty()) return;
  last_ = text.back();
  if (!screen().interactive) return say(text);
  std::string all = unfinished_ + text;
  const std::size_t open = open_bytes(all);
  unfinished_ = all.substr(all.size() - open);
  all.erase(all.size() - open);
  say(data::printable(all, screen().unicode, " \n\t"));
}

}  // namespace tapehead::cli
