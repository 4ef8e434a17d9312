#include "text.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "utf8.h"

namespace tapehead::data {
namespace {

constexpr std::size_t largest = std::size_t{64} << 20;

std::string read_all(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    fail<IoError>("text: cannot read ", path, ": ", error ? error.message() : std::strerror(ENOENT),
                  "; check the path");
  if (fs::is_directory(status))
    fail<IoError>("text: cannot read ", path, ": it is a directory; name a file in it");
  if (!fs::is_regular_file(status) && !fs::is_fifo(status))
    fail<IoError>("text: cannot read ", path, ": it is neither a file nor a pipe; copy it to one");

  // C's files, since libc++'s streams take an error while reading for the end.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  std::string content;
  std::vector<char> block(1 << 16);
  std::size_t got = file ? block.size() : 0;
  while (got == block.size() && content.size() <= largest) {
    got = std::fread(block.data(), 1, block.size(), file.get());
    content.append(block.data(), got);
  }
  if (content.size() > largest)
    fail<IoError>("text: ", path, " is larger than 64 MiB; take a part of it with head -c");
  if (!file || std::ferror(file.get()))
    fail<IoError>("text: cannot read ", path, ": ", std::strerror(errno),
                  file ? "; choose another file" : "; check its permissions");
  return content;
}

}  // namespace

Text::Text(const std::string& content, std::string name)
    : name_(std::move(name)),
      is_utf8_(data::is_utf8(content)),
      vocabulary_(Vocabulary::of(content)),
      tokens_(vocabulary_.encode(content)) {
  if (tokens_.empty()) fail("text: ", name_, " is empty; choose a file with some text in it");
}

Text Text::read(const std::string& path) { return Text(read_all(path), path); }

Windows::Windows(std::vector<Index> tokens, Index context, const std::string& name)
    : tokens_(std::move(tokens)), context_(context) {
  if (context < 1)
    fail<ShapeError>("text: a window must hold at least 1 character, got ", context,
                     "; choose a larger context");
  const Index length = static_cast<Index>(tokens_.size());
  if (length <= context)
    fail("text: a window of ", context, " needs at least ", static_cast<std::uint64_t>(context) + 1,
         " characters, got ", name, " with ", length, "; use a longer text or a shorter context");
}

Batch Windows::at(const std::vector<Index>& offsets) const {
  std::vector<Index> inputs, targets;
  for (const Index offset : offsets) {
    if (offset < 0 || offset >= count())
      fail<ShapeError>("text: windows start at 0 to ", count() - 1, ", got ", offset,
                       "; draw offsets below count()");
    const auto from = tokens_.begin() + offset;
    inputs.insert(inputs.end(), from, from + context_);
    targets.insert(targets.end(), from + 1, from + 1 + context_);
  }
  const Shape shape{static_cast<Index>(offsets.size()), context_};
  return {tensor(inputs, shape), tensor(targets, shape)};
}

Batch Windows::draw(core::Generator& generator, Index size) const {
  if (size < 1) fail<ShapeError>("text: a batch has at least 1 window, got ", size);
  std::vector<Index> offsets(static_cast<std::size_t>(size));
  for (Index& offset : offsets)
    offset = static_cast<Index>(generator.random64() % static_cast<std::uint64_t>(count()));
  return at(offsets);
}

std::vector<Index> Windows::spread(Index most) const {
  const Index disjoint = (count() - 1) / context_ + 1;
  const Index wanted = std::min(most, disjoint);
  std::vector<Index> offsets;
  for (Index i = 0; i < wanted; ++i)
    offsets.push_back(wanted == 1 ? 0 : i * (disjoint - 1) / (wanted - 1) * context_);
  return offsets;
}

TextParts split_text(const Text& text, Index context) {
  const std::vector<Index>& tokens = text.tokens();
  const Index rest = text.size() / 10;
  const bool split = (rest - 1) / 2 >= context;  // two windows and what follows
  const auto border = tokens.end() - (split ? rest : 0);
  Windows train({tokens.begin(), border}, context, text.name());
  Windows held_out({split ? border : tokens.begin(), tokens.end()}, context, text.name());
  return {std::move(train), std::move(held_out), split};
}

}  // namespace tapehead::data
