#include "mingpt.h"

#include <array>
#include <limits>
#include <optional>
#include <set>

#include "detail/base64.h"
#include "detail/json_text.h"
#include "detail/stored.h"

namespace tapehead::io {
namespace {

constexpr std::array<std::pair<std::string_view, Element>, 9> elements{
    {{"torch.float32", Element::F32},
     {"torch.float64", Element::F64},
     {"torch.float16", Element::F16},
     {"torch.bfloat16", Element::BF16},
     {"torch.int64", Element::I64},
     {"torch.int32", Element::I32},
     {"torch.int16", Element::I16},
     {"torch.uint8", Element::U8},
     {"torch.bool", Element::Bool}}};

struct Entry {
  std::string name;
  Layout layout;
  std::uint64_t text = 0;  // where its base64 begins
};

class ModelEvents : public JsonEvents {
 public:
  MinGptConfig config;
  std::vector<Entry> entries;

  void check_config() const {
    for (const auto& [name, value] : wholes_)
      if (!seen_.contains(name)) file().refuse("its \"config\" has no ", name);
  }
  bool has_config() const { return names_.contains("config"); }

 private:
  enum class At { Start, Names, Config, Entry, Sizes };
  struct Draft {
    std::optional<std::string> dtype;
    std::optional<std::vector<std::uint64_t>> sizes;
    std::optional<JsonText::Place> data;
  };

  std::string expected() const override {
    switch (at_) {
      case At::Start:
        return "an object";
      case At::Names:
        return "an object for " + in_quotes(name_);
      case At::Config:
        return "a number, or a word, for " + in_quotes(field_) + " of \"config\"";
      case At::Entry:
        return std::string(field_ == "shape" ? "a list of sizes" : "a string") + " as " + field_ +
               " of " + in_quotes(name_);
      default:
        return "a size of " + in_quotes(name_);
    }
  }

  void start_object() override {
    if (at_ == At::Start)
      at_ = At::Names;
    else if (at_ == At::Names)
      at_ = name_ == "config" ? At::Config : At::Entry;
    else
      misplaced("an object");
    draft_ = {};
  }

  void key(std::string& key) override {
    check_name(key);
    if (at_ == At::Names) {
      if (!names_.insert(key).second) file().refuse("it has the name ", in_quotes(key), " twice");
      if (names_.size() > most_entries + 1)  // with "config"
        file().refuse("it has more than ", most_entries, " tensors");
      name_ = key;
      return;
    }
    if (at_ == At::Config ? !seen_.insert(key).second : known_twice(key))
      file().refuse(in_quotes(name_), " has ", in_quotes(key), " twice");
    if (seen_.size() > most_entries)
      file().refuse("its \"config\" has more than ", most_entries, " keys");
    field_ = key;
  }
  bool known_twice(const std::string& key) const {
    if (key != "shape" && key != "dtype" && key != "data")
      file().refuse(in_quotes(name_), " has a field ", in_quotes(key),
                    "; it should have shape, dtype and data alone");
    return key == "shape" ? draft_.sizes.has_value()
                          : (key == "dtype" ? draft_.dtype.has_value() : draft_.data.has_value());
  }

  void string(std::string& text) override {
    if (at_ == At::Entry && field_ == "data") {
      draft_.data = string_place();
      return;
    }
    check_length();
    if (at_ == At::Entry && field_ == "dtype")
      draft_.dtype = text;
    else if (at_ != At::Config || is_number(field_))
      misplaced("a string");
    else if (field_ == "model_type")
      config.model_type = text;
  }

  void start_array() override {
    if (at_ != At::Entry || field_ != "shape") misplaced("a list");
    at_ = At::Sizes;
    draft_.sizes.emplace();
  }
  void end_array() override { at_ = At::Entry; }

  void number_unsigned(std::uint64_t value) override {
    if (at_ == At::Config) return set(static_cast<double>(value), value);
    if (at_ != At::Sizes) misplaced("a number");
    if (draft_.sizes->size() == Shape::max_rank)
      file().refuse(in_quotes(name_), " has more than ", Shape::max_rank, " dimensions");
    draft_.sizes->push_back(value);
  }
  void number_float(double value) override {
    if (at_ != At::Config) misplaced("a fraction, or more than 64 bits");
    set(value, {});
  }
  void number_integer(std::int64_t value) override {
    if (at_ != At::Config) misplaced("a negative number");
    set(static_cast<double>(value), {});
  }
  void boolean(bool) override { other("true or false"); }
  void null() override { other("null"); }
  void other(const char* what) const {
    if (at_ != At::Config || is_number(field_) || field_ == "model_type") misplaced(what);
  }

  bool is_number(const std::string& field) const {
    for (const auto& [name, value] : wholes_)
      if (field == name) return true;
    for (const auto& [name, value] : shares_)
      if (field == name) return true;
    return false;
  }
  void set(double value, std::optional<std::uint64_t> whole) {
    if (field_ == "model_type") misplaced("a number");
    for (const auto& [name, member] : wholes_) {
      if (field_ != name) continue;
      if (!whole || *whole == 0 || *whole > std::numeric_limits<std::int32_t>::max())
        file().refuse(name, " of \"config\" must be a whole number from 1 to 2147483647, got ",
                      value);
      config.*member = static_cast<Index>(*whole);
    }
    for (const auto& [name, member] : shares_) {
      if (field_ != name) continue;
      if (!(value >= 0 && value < 1))
        file().refuse(name, " of \"config\" must be at least 0 and below 1, got ", value);
      config.*member = value;
    }
  }

  void end_object() override {
    if (at_ == At::Entry) end_entry();
    at_ = At::Names;
  }

  void end_entry() {
    const Subject subject{file().subject().words + ": " + in_quotes(name_)};
    if (!draft_.sizes) subject.refuse("it has no shape");
    if (!draft_.dtype) subject.refuse("it has no dtype");
    if (!draft_.data) subject.refuse("it has no data");
    Entry entry{name_, {}, draft_.data->begin};
    entry.layout.element = element(subject);
    entry.layout.shape = checked_shape(subject, *draft_.sizes);
    const std::uint64_t bytes = bytes_of(entry.layout.element, entry.layout.shape),
                        got = draft_.data->end - draft_.data->begin;
    // The length in characters overflows for no count of bytes that is below that of characters.
    if (bytes > got || base64_length(bytes) != got)
      subject.refuse("shape ", entry.layout.shape, " of ", *draft_.dtype, " needs ", bytes,
                     " bytes, got ", got, " characters of base64, which are up to ", got / 4 * 3);
    pass_over(base64_bytes(file(), subject, entry.text, bytes), bytes);
    entries.push_back(std::move(entry));
  }

  Element element(const Subject& subject) const {
    for (const auto& [name, element] : elements)
      if (*draft_.dtype == name) return element;
    subject.refuse("dtype ", in_quotes(*draft_.dtype), " is not read; convert it to torch.float32");
  }

  static constexpr std::array<std::pair<const char*, Index MinGptConfig::*>, 5> wholes_{
      {{"n_layer", &MinGptConfig::n_layer},
       {"n_head", &MinGptConfig::n_head},
       {"n_embd", &MinGptConfig::n_embd},
       {"vocab_size", &MinGptConfig::vocab_size},
       {"block_size", &MinGptConfig::block_size}}};
  static constexpr std::array<std::pair<const char*, double MinGptConfig::*>, 3> shares_{
      {{"embd_pdrop", &MinGptConfig::embd_pdrop},
       {"resid_pdrop", &MinGptConfig::resid_pdrop},
       {"attn_pdrop", &MinGptConfig::attn_pdrop}}};

  At at_ = At::Start;
  std::string name_, field_;
  std::set<std::string> names_, seen_;  // of the tensors, and of the config's keys
  Draft draft_;
};

}  // namespace

MinGpt read_mingpt(const std::string& path) {
  const InputFile file("read_mingpt", path);
  if (file.size() == 0 || file.number<char>(0) != '{')
    file.refuse("it does not begin with {, as the JSON of a model does");
  ModelEvents events;
  events.parse(file, 0, file.size());
  if (!events.has_config()) file.refuse("it has no \"config\"");
  events.check_config();
  MinGpt result{events.config, {}};
  for (Entry& entry : events.entries) {
    const Layout& layout = entry.layout;
    const ByteSource next =
        base64_bytes(file, file.subject(), entry.text, bytes_of(layout.element, layout.shape));
    note_stored(result.stored, entry.name, layout.element);
    result.tensors.emplace_back(std::move(entry.name), decode(layout, next));
  }
  return result;
}

}  // namespace tapehead::io
