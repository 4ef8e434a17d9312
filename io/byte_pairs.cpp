#include "byte_pairs.h"

#include <set>

#include "atomic_file.h"
#include "detail/json_text.h"

namespace tapehead::io {
namespace {

constexpr const char* format = "tapehead byte pairs";
constexpr std::size_t most_merges = 262144;
constexpr std::uint64_t single_bytes = 256;

class MergeEvents : public JsonEvents {
 public:
  std::vector<std::pair<Index, Index>> merges;
  bool complete() const { return seen_.size() == 2; }

 private:
  enum class At { Start, Fields, Merges, Pair, End };

  std::string expected() const override {
    switch (at_) {
      case At::Start:
        return "an object";
      case At::Fields:
        return field_ == "format" ? core::to_text("\"", format, "\"") : "a list of merges";
      case At::Merges:
        return "a pair of tokens";
      default:
        return "a token";
    }
  }

  void start_object() override {
    if (at_ != At::Start) misplaced("an object");
    at_ = At::Fields;
  }
  void end_object() override { at_ = At::End; }

  void key(std::string& key) override {
    check_name(key);
    if (key != "format" && key != "merges")
      file().refuse("it has a field ", in_quotes(key), "; it should have format and merges alone");
    if (!seen_.insert(key).second) file().refuse("it has the field ", in_quotes(key), " twice");
    field_ = key;
  }

  void string(std::string& text) override {
    check_length();
    if (at_ != At::Fields || field_ != "format") misplaced("a string");
    if (text != format) file().refuse("its format is ", in_quotes(text), ", not \"", format, "\"");
  }

  void start_array() override {
    if (at_ == At::Fields && field_ == "merges")
      at_ = At::Merges;
    else if (at_ == At::Merges)
      at_ = At::Pair;
    else
      misplaced("a list");
    if (merges.size() == most_merges) file().refuse("it has more than ", most_merges, " merges");
    tokens_ = 0;
  }

  void number_unsigned(std::uint64_t token) override {
    if (at_ != At::Pair) misplaced("a number");
    if (token >= single_bytes + merges.size())
      file().refuse("merge ", merges.size(), " joins token ", token, ", which is not there before ",
                    single_bytes + merges.size());
    if (++tokens_ <= 2) pair_[tokens_ - 1] = static_cast<Index>(token);
  }

  void end_array() override {
    if (at_ == At::Merges) {
      at_ = At::Fields;
      return;
    }
    if (tokens_ != 2) file().refuse("merge ", merges.size(), " must join 2 tokens, got ", tokens_);
    merges.emplace_back(pair_[0], pair_[1]);
    at_ = At::Merges;
  }

  At at_ = At::Start;
  std::string field_;
  std::set<std::string> seen_;
  std::array<Index, 2> pair_{};
  std::size_t tokens_ = 0;
};

}  // namespace

void save_byte_pairs(const std::string& path, const std::vector<std::pair<Index, Index>>& merges) {
  core::TextStream out;
  out << "{\"format\": \"" << format << "\", \"merges\": [";
  const char* between = "";
  for (const auto& [first, second] : merges) {
    out << between << "[" << first << ", " << second << "]";
    between = ", ";
  }
  out << "]}\n";
  const std::string text = out.str();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

std::vector<std::pair<Index, Index>> read_byte_pairs(const std::string& path) {
  const InputFile file("read_byte_pairs", path);
  if (file.size() == 0) file.refuse("it is empty");
  MergeEvents events;
  events.parse(file, 0, file.size());
  if (!events.complete()) file.refuse("it must have both format and merges");
  return std::move(events.merges);
}

}  // namespace tapehead::io
