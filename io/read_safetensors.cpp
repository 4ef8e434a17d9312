#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "detail/json_text.h"
#include "detail/stored.h"
#include "safetensors.h"

namespace tapehead::io {
namespace {

constexpr std::uint64_t length_bytes = 8, longest_header = 100'000'000;  // the format's own bound

constexpr std::array<std::pair<std::string_view, Element>, 12> header_elements{
    {{"F32", Element::F32},
     {"F64", Element::F64},
     {"F16", Element::F16},
     {"BF16", Element::BF16},
     {"I64", Element::I64},
     {"I32", Element::I32},
     {"I16", Element::I16},
     {"I8", Element::I8},
     {"U32", Element::U32},
     {"U16", Element::U16},
     {"U8", Element::U8},
     {"BOOL", Element::Bool}}};

struct HeaderEntry {
  std::string name;
  Layout layout;
  std::uint64_t begin = 0, end = 0;
};

struct Header {
  std::vector<HeaderEntry> entries;
  Metadata metadata;
};

// {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
class HeaderEvents : public JsonEvents {
 public:
  Header header;

 private:
  enum class At { Start, Names, Metadata, HeaderEntry, Sizes, Offsets };
  // What has been read of the entry at hand.
  struct Draft {
    std::optional<std::string> dtype;
    std::optional<std::vector<std::uint64_t>> sizes, offsets;
  };

  std::string expected() const override {
    switch (at_) {
      case At::Start:
        return "an object";
      case At::Names:
        return "an object for " + in_quotes(name_);
      case At::Metadata:
        return "a string in \"__metadata__\"";
      case At::HeaderEntry:
        return std::string(field_ == "dtype"   ? "a dtype"
                           : field_ == "shape" ? "a list of sizes"
                                               : "two offsets") +
               " for " + in_quotes(name_);
      default:
        return "a whole number for " + in_quotes(name_);
    }
  }

  void start_object() override {
    if (at_ == At::Start)
      at_ = At::Names;
    else if (at_ == At::Names)
      at_ = name_ == "__metadata__" ? At::Metadata : At::HeaderEntry;
    else
      misplaced("an object");
    draft_ = {};
  }

  void key(std::string& key) override {
    check_name(key);
    if (at_ == At::Names)
      begin_entry(key);
    else if (at_ == At::Metadata)
      begin_text(key);
    else
      begin_field(key);
  }

  void begin_entry(const std::string& name) {
    if (!names_.insert(name).second) file().refuse("it has the name ", in_quotes(name), " twice");
    check_count();
    name_ = name;
  }
  void begin_text(const std::string& key) {
    if (header.metadata.contains(key))
      file().refuse("its \"__metadata__\" has the key ", in_quotes(key), " twice");
    check_count();
    header.metadata[key];
    field_ = key;
  }
  void begin_field(const std::string& key) {
    if (key != "dtype" && key != "shape" && key != "data_offsets")
      entry_refused("has a field ", in_quotes(key),
                    "; it should have dtype, shape and data_offsets alone");
    if (key == "dtype" ? draft_.dtype.has_value()
                       : (key == "shape" ? draft_.sizes : draft_.offsets).has_value())
      entry_refused("has ", key, " twice");
    field_ = key;
  }
  void check_count() const {
    if (names_.size() - names_.count("__metadata__") + header.metadata.size() > most_entries)
      file().refuse("it has more than ", most_entries, " tensors and words of metadata");
  }

  void string(std::string& text) override {
    check_length();
    if (at_ == At::Metadata)
      header.metadata[field_] = text;
    else if (at_ == At::HeaderEntry && field_ == "dtype")
      draft_.dtype = text;
    else
      misplaced("a string");
  }

  void start_array() override {
    if (at_ != At::HeaderEntry || field_ == "dtype") misplaced("a list");
    at_ = field_ == "shape" ? At::Sizes : At::Offsets;
    (at_ == At::Sizes ? draft_.sizes : draft_.offsets).emplace();
  }
  void end_array() override { at_ = At::HeaderEntry; }
  void number_unsigned(std::uint64_t value) override {
    if (at_ != At::Sizes && at_ != At::Offsets) misplaced("a number");
    std::vector<std::uint64_t>& list = at_ == At::Sizes ? *draft_.sizes : *draft_.offsets;
    const std::size_t most = at_ == At::Sizes ? Shape::max_rank : 2;
    if (list.size() == most)
      entry_refused("has more than ", most, at_ == At::Sizes ? " dimensions" : " data_offsets");
    list.push_back(value);
  }

  void end_object() override {
    if (at_ == At::HeaderEntry) end_entry();
    at_ = At::Names;
  }

  void end_entry() {
    if (!draft_.dtype) entry_refused("has no dtype");
    if (!draft_.sizes) entry_refused("has no shape");
    if (!draft_.offsets) entry_refused("has no data_offsets");
    if (draft_.offsets->size() != 2)
      entry_refused("needs two data_offsets, where it begins and ends");
    HeaderEntry entry{name_, {}, draft_.offsets->front(), draft_.offsets->back()};
    entry.layout.element = element();
    entry.layout.shape =
        checked_shape({file().subject().words + ": " + in_quotes(name_)}, *draft_.sizes);
    if (entry.begin > entry.end)
      entry_refused("begins at ", entry.begin, " but ends at ", entry.end);
    const std::uint64_t wanted = bytes_of(entry.layout.element, entry.layout.shape);
    if (entry.end - entry.begin != wanted)
      entry_refused("of shape ", entry.layout.shape, " and dtype ", *draft_.dtype, " needs ",
                    wanted, " bytes, but its data_offsets ", entry.begin, " and ", entry.end,
                    " leave ", entry.end - entry.begin);
    header.entries.push_back(std::move(entry));
  }

  Element element() const {
    for (const auto& [name, element] : header_elements)
      if (*draft_.dtype == name) return element;
    entry_refused("has dtype ", in_quotes(*draft_.dtype),
                  ", which is not read; convert it to F32 where it was saved");
  }

  template <class... Parts>
  [[noreturn]] void entry_refused(const Parts&... parts) const {
    file().refuse(in_quotes(name_), " ", parts...);
  }

  At at_ = At::Start;
  std::string name_, field_;
  std::set<std::string> names_;
  Draft draft_;
};

// Where the values begin.
std::uint64_t check_length(const InputFile& file) {
  if (file.size() < length_bytes)
    file.refuse("it has ", file.size(), " bytes, too few for a safetensors file");
  const auto length = file.number<std::uint64_t>(0);
  const std::uint64_t left = file.size() - length_bytes;
  if (length > left)
    file.refuse("it says that its header has ", length, " bytes, but only ", left,
                " follow; it is cut off, or no safetensors file");
  if (length > longest_header)
    file.refuse("its header has ", length, " bytes; the format allows ", longest_header);
  if (length == 0 || file.number<char>(length_bytes) != '{')
    file.refuse("byte 8: its header does not begin with {");
  return length_bytes + length;
}

// No two may share a byte, and none may be left over.
void check_places(const InputFile& file, const std::vector<HeaderEntry>& entries,
                  std::uint64_t bytes) {
  std::uint64_t end = 0;
  for (const HeaderEntry& entry : entries) {
    if (entry.begin < end)
      file.refuse(in_quotes(entry.name), " begins at ", entry.begin,
                  ", within the tensor before, which ends at ", end);
    if (entry.begin > end)
      file.refuse("there is a hole between ", end, " and ", entry.begin, ", before ",
                  in_quotes(entry.name));
    end = entry.end;
  }
  if (end != bytes)
    file.refuse("its tensors need ", end, " bytes of values, got ", bytes,
                end > bytes ? "; it is cut off" : "");
}

}  // namespace

Safetensors read_safetensors(const std::string& path) {
  const InputFile file("read_safetensors", path);
  const std::uint64_t values = check_length(file);
  HeaderEvents events;
  events.parse(file, length_bytes, values);
  std::vector<HeaderEntry>& entries = events.header.entries;
  std::stable_sort(entries.begin(), entries.end(), [](const HeaderEntry& a, const HeaderEntry& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  check_places(file, entries, file.size() - values);
  Safetensors result{{}, std::move(events.header.metadata)};
  for (HeaderEntry& entry : entries) {
    note_stored(result.stored, entry.name, entry.layout.element);
    result.tensors.emplace_back(std::move(entry.name),
                                decode(entry.layout, file.from(values + entry.begin)));
  }
  return result;
}

}  // namespace tapehead::io
