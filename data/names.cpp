#include "names.h"

#include <algorithm>
#include <set>

#include "collate.h"
#include "held_out.h"
#include "text_file.h"
#include "utf8.h"

namespace tapehead::data {
namespace {

// As characters, one name a line; empty where the line is.
std::vector<std::vector<std::string_view>> lines_of(std::string_view content) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (content.substr(0, 3) == byte_order_mark) content.remove_prefix(3);
  const bool bytes = !is_utf8(content);
  std::vector<std::vector<std::string_view>> lines;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    std::string_view line = content.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    lines.push_back(characters(line, bytes));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return lines;
}

Vocabulary vocabulary_of(const std::vector<std::vector<std::string_view>>& lines) {
  std::set<std::string_view> seen;
  for (const auto& line : lines) seen.insert(line.begin(), line.end());
  std::vector<std::string> symbols{"\n"};
  symbols.insert(symbols.end(), seen.begin(), seen.end());
  return Vocabulary(std::move(symbols));
}

Example example_of(const std::vector<Index>& name) {
  Example example{{Names::mark}, name};
  example.inputs.insert(example.inputs.end(), name.begin(), name.end());
  example.targets.push_back(Names::mark);
  return example;
}

}  // namespace

Names::Names(const std::string& content, std::string name)
    : name_(std::move(name)), vocabulary_(vocabulary_of(lines_of(content))) {
  Index line_number = 0;
  for (const auto& line : lines_of(content)) {
    ++line_number;
    if (std::ssize(line) > longest)
      fail("names: a name has at most ", longest, " characters, got ", line.size(), " in line ",
           line_number, " of ", name_, "; choose a file with one name a line");
    if (line.empty()) continue;
    std::vector<Index> tokens;
    for (const std::string_view character : line) tokens.push_back(vocabulary_.token(character));
    context_ = std::max(context_, std::ssize(tokens) + 1);
    (is_held_out(tokens) ? held_out_ : train_).push_back(std::move(tokens));
  }
  if (train_.empty() && held_out_.empty())
    fail("names: ", name_, " has no name in it; choose a file with one name a line");
  split_ = !train_.empty() && !held_out_.empty();
  if (!split_) train_ = held_out_ = train_.empty() ? held_out_ : train_;
}

Names Names::read(const std::string& path) { return Names(read_text_file("names", path), path); }

Batch Names::draw(core::Generator& generator, Index size) const {
  if (size < 1) fail<ShapeError>("names: a batch has at least 1 name, got ", size);
  std::vector<Example> examples;
  for (Index i = 0; i < size; ++i)
    examples.push_back(example_of(train_[generator.random64() % train_.size()]));
  return collate(examples, mark).batch;
}

std::vector<Batch> Names::held_out_batches(Index size) const {
  if (size < 1) fail<ShapeError>("names: a batch has at least 1 name, got ", size);
  std::vector<Batch> batches;
  std::vector<Example> examples;
  for (const std::vector<Index>& name : held_out_) {
    examples.push_back(example_of(name));
    if (std::ssize(examples) < size && &name != &held_out_.back()) continue;
    batches.push_back(collate(examples, mark).batch);
    examples.clear();
  }
  return batches;
}

}  // namespace tapehead::data
