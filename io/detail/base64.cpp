#include "base64.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace tapehead::io {
namespace {

int value_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

class Decoder {
 public:
  Decoder(const InputFile& file, Subject subject, std::uint64_t offset, std::uint64_t bytes)
      : file_(file),
        subject_(std::move(subject)),
        at_(offset),
        end_(offset + base64_length(bytes)),
        left_(bytes) {}

  void read(std::span<std::byte> to) {
    for (std::byte& byte : to) {
      if (given_ == group_bytes_) decode_group();
      byte = group_[given_++];
    }
  }

 private:
  // Four characters are three bytes; in the last group = stands for what is not there.
  void decode_group() {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(left_, 3));
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const char c = next();
      const int value = i <= count ? value_of(c) : c == '=' ? 0 : -1;
      if (value < 0)
        subject_.refuse("byte ", at_ - 1, ": ", in_quotes(std::string_view(&c, 1)),
                        i <= count ? " is not base64" : " where padding (=) should be");
      bits = bits << 6 | static_cast<std::uint32_t>(value);
    }
    for (std::size_t i = 0; i < 3; ++i)
      group_[i] = static_cast<std::byte>(bits >> (16 - 8 * i) & 255u);
    left_ -= count;
    given_ = 0;
    group_bytes_ = count;
  }

  char next() {
    if (next_ == filled_) {
      filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_.size(), end_ - at_));
      file_.read(at_, std::as_writable_bytes(std::span(chunk_).first(filled_)));
      next_ = 0;
    }
    ++at_;
    return chunk_[next_++];
  }

  const InputFile& file_;
  Subject subject_;
  std::uint64_t at_, end_, left_;  // of the text, and bytes that are still to come
  std::array<std::byte, 3> group_{};
  std::size_t given_ = 0, group_bytes_ = 0;
  std::array<char, chunk_bytes> chunk_;
  std::size_t next_ = 0, filled_ = 0;
};

}  // namespace

ByteSource base64_bytes(const InputFile& file, const Subject& subject, std::uint64_t offset,
                        std::uint64_t bytes) {
  return [decoder = std::make_shared<Decoder>(file, subject, offset, bytes)](
             std::span<std::byte> to) { decoder->read(to); };
}

}  // namespace tapehead::io
