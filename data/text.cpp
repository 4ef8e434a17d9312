#include "text.h"

#include <algorithm>

#include "text_file.h"
#include "utf8.h"

namespace tapehead::data {
Text::Text(const std::string& content, std::string name, Symbols symbols)
    : name_(std::move(name)),
      is_utf8_(symbols == Symbols::characters && data::is_utf8(content)),
      vocabulary_(symbols == Symbols::bytes ? Vocabulary::bytes() : Vocabulary::of(content)),
      tokens_(vocabulary_.encode(content)) {
  if (tokens_.empty()) fail("text: ", name_, " is empty; choose a file with some text in it");
}

Text Text::read(const std::string& path, Symbols symbols) {
  return Text(read_text_file("text", path), path, symbols);
}

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
  return split_tokens(text.tokens(), context, text.name());
}

TextParts split_tokens(const std::vector<Index>& tokens, Index context, const std::string& name) {
  const Index rest = (static_cast<Index>(tokens.size()) + 9) / 10;
  const bool split = (rest - 1) / 2 >= context;  // two windows and what follows
  const auto border = tokens.end() - (split ? rest : 0);
  Windows train({tokens.begin(), border}, context, name);
  Windows held_out({split ? border : tokens.begin(), tokens.end()}, context, name);
  return {std::move(train), std::move(held_out), split};
}

}  // namespace tapehead::data
