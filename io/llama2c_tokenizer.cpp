#include <algorithm>
#include <array>
#include <cmath>

#include "detail/input_file.h"
#include "llama2c.h"

namespace tapehead::io {
namespace {

constexpr std::size_t most_pieces = 262144;

struct PieceHead {
  float score;
  std::int32_t length;
};
static_assert(sizeof(PieceHead) == 8);

// Reads a file in chunks, from its start to its end.
class Reader {
 public:
  explicit Reader(const InputFile& file) : file_(file) {}

  bool at_end() const { return at_ == file_.size(); }
  std::uint64_t at() const { return at_; }
  std::uint64_t left() const { return file_.size() - at_; }
  void skip(std::uint64_t bytes) { at_ += bytes; }
  void read(std::span<std::byte> to) {
    for (std::byte& byte : to) {
      if (at_ < begin_ || at_ >= begin_ + filled_) fill();
      byte = chunk_[static_cast<std::size_t>(at_++ - begin_)];
    }
  }
  template <class T>
  T next() {
    T value{};
    read(std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

 private:
  void fill() {
    begin_ = at_;
    filled_ = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_.size(), left()));
    file_.read(at_, std::span(chunk_).first(filled_));
  }

  const InputFile& file_;
  std::uint64_t at_ = 0, begin_ = 0;
  std::size_t filled_ = 0;
  std::array<std::byte, chunk_bytes> chunk_;
};

PieceHead read_head(const InputFile& file, Reader& reader, Index most, std::size_t piece) {
  if (reader.left() < sizeof(PieceHead))
    file.refuse("it ends at byte ", file.size(), ", within piece ", piece);
  const auto head = reader.next<PieceHead>();
  if (!std::isfinite(head.score))
    file.refuse("piece ", piece, " has a score that is no finite number");
  if (head.length < 0 || head.length > most)
    file.refuse("piece ", piece, " has ", head.length, " bytes, where max_token_length is ", most);
  if (static_cast<std::uint64_t>(head.length) > reader.left())
    file.refuse("it ends at byte ", file.size(), ", within piece ", piece);
  return head;
}

}  // namespace

Llama2cTokenizer read_llama2c_tokenizer(const std::string& path) {
  const InputFile file("read_llama2c_tokenizer", path);
  Reader first(file);
  if (file.size() < sizeof(std::int32_t))
    file.refuse("it has ", file.size(), " bytes, too few for a tokenizer of llama2.c");
  const Index most = first.next<std::int32_t>();
  if (most < 1) file.refuse("byte 0: max_token_length must be positive, got ", most);
  std::size_t count = 0;
  for (; !first.at_end(); ++count) {
    if (count == most_pieces) file.refuse("it has more than ", most_pieces, " pieces");
    first.skip(static_cast<std::uint64_t>(read_head(file, first, most, count).length));
  }
  if (count == 0) file.refuse("it has no pieces");

  Llama2cTokenizer result{{}, {}, most};
  result.pieces.reserve(count);
  result.scores.reserve(count);
  Reader reader(file);
  reader.next<std::int32_t>();
  for (std::size_t i = 0; i < count; ++i) {
    const PieceHead head = read_head(file, reader, most, i);
    result.scores.push_back(head.score);
    std::string& piece = result.pieces.emplace_back(static_cast<std::size_t>(head.length), '\0');
    reader.read(std::as_writable_bytes(std::span(piece)));
  }
  return result;
}

}  // namespace tapehead::io
