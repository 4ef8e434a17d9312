#include "tokenizer.h"

#include <algorithm>
#include <filesystem>
#include <memory>

#include "../core/text.h"
#include "../data/llama_tokenizer.h"
#include "../data/utf8.h"
#include "../io/byte_pairs.h"
#include "../io/llama2c.h"
#include "output.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

constexpr const char* symbols_word = "alphabet";
constexpr const char* mark_word = "mark";
constexpr std::size_t longest_shown = 40;  // bytes of a text in a message

// Each symbol's bytes, in hexadecimal: they need not be UTF-8.
std::string as_hex(const data::Vocabulary& vocabulary) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (Index token = 0; token < vocabulary.size(); ++token) {
    if (token > 0) text += ' ';
    for (const char c : vocabulary[token]) {
      const auto byte = static_cast<unsigned char>(c);
      text += {digits[byte / 16], digits[byte % 16]};
    }
  }
  return text;
}

data::Vocabulary from_hex(const std::string& text) {
  std::vector<std::string> symbols;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    std::string symbol;
    for (std::size_t i = 0; i < word.size(); i += 2) {
      const std::string byte = word.substr(i, 2);
      if (byte.size() != 2 || byte.find_first_not_of("0123456789abcdef") != std::string::npos)
        fail("its alphabet holds \"", word, "\", expected bytes in hexadecimal");
      symbol += static_cast<char>(std::stoi(byte, nullptr, 16));
    }
    symbols.push_back(symbol);
  }
  return data::Vocabulary(symbols);
}

[[noreturn]] void refuse_symbol(const data::Vocabulary& vocabulary, std::string_view text) {
  constexpr Index most = 60;
  std::string known;
  for (Index token = 0; token < std::min(vocabulary.size(), most); ++token)
    known += vocabulary[token];
  fail("the model has no symbol '", one_line(data::characters(text).front()), "'; its symbols are ",
       one_line(known), vocabulary.size() > most ? " …" : "");
}

std::vector<Index> longest_first(const data::Vocabulary& vocabulary, std::string_view text) {
  std::size_t longest = 1;
  for (Index token = 0; token < vocabulary.size(); ++token)
    longest = std::max(longest, vocabulary[token].size());
  std::vector<Index> tokens;
  while (!text.empty()) {
    std::size_t length = std::min(longest, text.size());
    while (length > 1 && !vocabulary.contains(text.substr(0, length))) --length;
    if (!vocabulary.contains(text.substr(0, length))) refuse_symbol(vocabulary, text);
    tokens.push_back(vocabulary.token(text.substr(0, length)));
    text.remove_prefix(length);
  }
  return tokens;
}

Tokenizer llama(const std::string& file, Index vocabulary) {
  const io::Llama2cTokenizer read = io::read_llama2c_tokenizer(file);
  const auto tokenizer = std::make_shared<data::LlamaTokenizer>(read.pieces, read.scores);
  if (tokenizer->size() != vocabulary)
    fail("--tokenizer ", file, " has ", tokenizer->size(), " tokens and the model ", vocabulary,
         "; choose the one it was trained with");
  constexpr Index bos = data::LlamaTokenizer::bos, eos = data::LlamaTokenizer::eos;
  return {[tokenizer](const std::string& text) { return tokenizer->encode(text, false); },
          [tokenizer](Index previous, Index token) { return tokenizer->decode(previous, token); },
          {bos},
          true,
          {bos, eos}};
}

Tokenizer of_byte_pairs(const std::string& file, Index vocabulary) {
  const data::BytePairTokenizer tokenizer(io::read_byte_pairs(file));
  if (tokenizer.size() != vocabulary)
    fail("--tokenizer ", file, " has ", tokenizer.size(), " tokens and the model ", vocabulary,
         "; choose the one it was trained with");
  return byte_pairs(tokenizer);
}

std::string some_numbers(Index vocabulary) {
  return core::to_text('"', 0, ' ', vocabulary - 1, ' ', vocabulary / 2, '"');
}

Tokenizer numbers(Index vocabulary) {
  return {[vocabulary](const std::string& text) {
            std::vector<Index> tokens;
            std::istringstream in(text);
            for (Index token = 0; in >> token; tokens.push_back(token))
              if (token < 0 || token >= vocabulary)
                fail("token ", token, " is none of 0 to ", vocabulary - 1,
                     "; write numbers with spaces between: ", some_numbers(vocabulary));
            if (!in.eof())
              fail("the model has no tokenizer, so a text is token numbers with spaces between ",
                   "them, got \"", text.substr(0, longest_shown),
                   text.size() > longest_shown ? "…" : "", "\"; or give --tokenizer FILE");
            return tokens;
          },
          [](Index, Index token) { return core::to_text(token, " "); },
          {0}};
}

bool is_json(const std::string& file) { return std::filesystem::path(file).extension() == ".json"; }

}  // namespace

Tokenizer symbols(const data::Vocabulary& vocabulary, std::optional<Index> mark) {
  const Index start = mark ? *mark : vocabulary.contains("\n") ? vocabulary.token("\n") : 0;
  io::Metadata words{{symbols_word, as_hex(vocabulary)}};
  if (mark) words[mark_word] = std::to_string(*mark);
  return {[vocabulary](const std::string& text) { return longest_first(vocabulary, text); },
          [vocabulary](Index, Index token) { return vocabulary[token]; },
          {start},
          mark.has_value(),
          mark ? std::vector<Index>{*mark} : std::vector<Index>{},
          std::move(words)};
}

Tokenizer byte_pairs(const data::BytePairTokenizer& tokenizer) {
  return {[tokenizer](const std::string& text) { return tokenizer.encode(text); },
          [tokenizer](Index, Index token) { return tokenizer[token]; },
          {Index{'\n'}}};
}

std::optional<data::Vocabulary> symbols_in(const io::Metadata& words) {
  const auto found = words.find(symbols_word);
  if (found == words.end()) return std::nullopt;
  return from_hex(found->second);
}

std::string byte_pairs_in(const std::string& folder) { return folder + "/tokenizer.json"; }

Tokenizer tokenizer_of(const train::LoadedModel& loaded, const std::string& file) {
  const Index vocabulary = loaded.model->options.vocabulary;
  if (!file.empty())
    return is_json(file) ? of_byte_pairs(file, vocabulary) : llama(file, vocabulary);
  if (const std::optional<data::Vocabulary> known = symbols_in(loaded.words)) {
    if (known->size() != vocabulary)
      fail(loaded.weights, ": its alphabet has ", known->size(), " symbols and its vocabulary ",
           vocabulary);
    return symbols(*known,
                   loaded.words.count(mark_word) > 0 ? std::optional<Index>(0) : std::nullopt);
  }
  const std::string folder = std::filesystem::path(loaded.weights).parent_path().string();
  std::error_code none;
  if (loaded.words.count("tokenizer") > 0 && std::filesystem::exists(byte_pairs_in(folder), none))
    return of_byte_pairs(byte_pairs_in(folder), vocabulary);
  return numbers(vocabulary);
}

}  // namespace tapehead::cli
