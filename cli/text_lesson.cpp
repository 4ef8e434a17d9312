#include <filesystem>
#include <memory>

#include "../data/text.h"
#include "../data/utf8.h"
#include "../train/generate.h"
#include "lesson.h"
#include "output.h"

namespace tapehead::cli {
namespace {

constexpr Index judged = 256;  // windows
constexpr Index written_tokens = 400;
constexpr std::size_t tokens_shown = 16;  // tokens in a heat map
constexpr double temperature = 0.8;

// A text as tokens, and how they come about.
struct Read {
  std::string about;
  std::vector<Index> tokens;
  Index vocabulary;
  Tokenizer tokenizer;
  std::string unit;  // what a token is
  std::optional<data::BytePairTokenizer> byte_pairs;
};

Read by_symbol(const std::string& file, data::Symbols kind) {
  const data::Text text = data::Text::read(file, kind);
  const bool bytes = kind == data::Symbols::bytes;
  const Index vocabulary = text.vocabulary().size();
  return {core::to_text(one_line(text.name()), ": ", grouped(text.size()),
                        bytes            ? " bytes"
                        : text.is_utf8() ? " characters"
                                         : " bytes (it is not UTF-8)",
                        bytes ? "" : core::to_text(", ", vocabulary, " different"), "\n"),
          text.tokens(),
          vocabulary,
          symbols(text.vocabulary()),
          bytes ? "byte" : "character",
          {}};
}

std::string content_of(const std::string& file) {
  const data::Text text = data::Text::read(file, data::Symbols::bytes);
  return text.vocabulary().decode(text.tokens());
}

// Learnt from the part that the model learns from.
Read by_byte_pairs(const std::string& file, Index size) {
  const std::string content = content_of(file);
  const std::string_view first = std::string_view(content).substr(0, content.size() * 9 / 10);
  const auto tokenizer = data::BytePairTokenizer::train(first, size);
  std::vector<Index> tokens = tokenizer.encode(content);
  std::string introduction = core::to_text(one_line(file), ": ", grouped(std::ssize(content)),
                                           " bytes, read as ", grouped(std::ssize(tokens)),
                                           " tokens, ", grouped(tokenizer.size()), " different\n");
  return {std::move(introduction), std::move(tokens), tokenizer.size(),
          byte_pairs(tokenizer),   "token",           tokenizer};
}

Read read(const Settings& s) {
  if (s.tokenizer == "bpe") return by_byte_pairs(s.file, *s.tokens);
  return by_symbol(s.file,
                   s.tokenizer == "bytes" ? data::Symbols::bytes : data::Symbols::characters);
}

void show(train::SequenceModel& model, const Read& text, Index context, std::uint64_t seed) {
  const std::size_t length =
      std::min({tokens_shown, text.tokens.size(), static_cast<std::size_t>(context)});
  const std::vector<Index> last(text.tokens.end() - static_cast<std::ptrdiff_t>(length),
                                text.tokens.end());
  const auto label = [&](Index token) { return text.tokenizer.decode(0, token); };
  show_foretold(model, last, label);
  show_attention(model, last, label);
  const std::vector<Index> tokens =
      train::generate(model, text.tokenizer.start,
                      {.tokens = written_tokens, .temperature = temperature, .seed = seed});
  std::string sample;
  for (std::size_t i = 1; i < tokens.size(); ++i)
    sample += text.tokenizer.decode(tokens[i - 1], tokens[i]);
  say(core::to_text("\nwhat it now writes (temperature ", temperature, "):\n",
                    data::printable(sample, screen().unicode, " \n\t"), "\n"));
}

}  // namespace

Verdict judge_text(train::SequenceModel& model, const Tokenizer& tokenizer,
                   const std::string& file) {
  std::vector<Index> tokens = tokenizer.start;
  for (const Index token : tokenizer.encode(content_of(file))) tokens.push_back(token);
  const Index context = std::min(model.options.context, std::ssize(tokens) - 1);
  const data::Windows windows(std::move(tokens), std::max<Index>(context, 1), file);
  return judge_tokens(train::score_tokens(model, windows, judged), model.options.vocabulary, "",
                      "token");
}

Lesson text_lesson(const Settings& s) {
  const auto text = std::make_shared<const Read>(read(s));
  const auto parts =
      std::make_shared<const data::TextParts>(data::split_tokens(text->tokens, *s.context, s.file));
  const auto score = [parts](train::SequenceModel& model) {
    return train::score_tokens(model, parts->held_out, judged);
  };
  return {.about = text->about + (parts->split ? "the last tenth is held out\n"
                                               : "too short to hold a part of it out\n"),
          .vocabulary = text->vocabulary,
          .context = *s.context,
          .tokenizer = text->tokenizer,
          .draw = [parts](core::Generator& random,
                          Index size) { return parts->train.draw(random, size); },
          .held_out = score,
          .judge =
              [score, parts, text](train::SequenceModel& model) {
                return judge_tokens(score(model), text->vocabulary, parts->split ? "held-out " : "",
                                    text->unit);
              },
          .show = [text, context = *s.context](
                      train::SequenceModel& model,
                      std::uint64_t seed) { show(model, *text, context, seed); },
          .byte_pairs = text->byte_pairs};
}

}  // namespace tapehead::cli
