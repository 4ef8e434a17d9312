#include "vocabulary.h"

#include <set>

#include "utf8.h"

namespace tapehead::data {

Vocabulary::Vocabulary(std::vector<std::string> symbols) : symbols_(std::move(symbols)) {
  for (Index token = 0; token < size(); ++token) {
    const std::string& symbol = symbols_[static_cast<std::size_t>(token)];
    if (symbol.empty() || !tokens_.emplace(symbol, token).second)
      fail("vocabulary: symbols must differ and not be empty, got \"", symbol, "\" as number ",
           token, "; leave it out");
    bytes_ |= !is_utf8(symbol);
  }
}

// The order of UTF-8's bytes is the order of code points.
Vocabulary Vocabulary::of(std::string_view text) {
  std::set<std::string_view> seen;
  for (const std::string_view character : characters(text)) seen.insert(character);
  return Vocabulary(std::vector<std::string>(seen.begin(), seen.end()));
}

const std::string& Vocabulary::operator[](Index token) const {
  if (token < 0 || token >= size())
    fail("vocabulary: tokens are 0 to ", size() - 1, ", got ", token,
         "; was it made with another vocabulary?");
  return symbols_[static_cast<std::size_t>(token)];
}

Vocabulary Vocabulary::bytes() {
  std::vector<std::string> symbols;
  for (int byte = 0; byte < 256; ++byte) symbols.emplace_back(1, static_cast<char>(byte));
  return Vocabulary(std::move(symbols));
}

Index Vocabulary::token(std::string_view symbol) const {
  const auto found = tokens_.find(symbol);
  if (found == tokens_.end())
    fail("vocabulary: every character must be one of its ", size(), " symbols, got '",
         printable(symbol, false, " "), "'; leave it out, or add it to the vocabulary");
  return found->second;
}

std::vector<Index> Vocabulary::encode(std::string_view text) const {
  std::vector<Index> tokens;
  for (const std::string_view character : characters(text, bytes_))
    tokens.push_back(token(character));
  return tokens;
}

std::string Vocabulary::decode(const std::vector<Index>& tokens) const {
  std::string text;
  for (const Index token : tokens) text += (*this)[token];
  return text;
}

}  // namespace tapehead::data
