#include "safetensors.h"

#include <algorithm>
#include <bit>
#include <set>

#include "atomic_file.h"
#include "detail/input_file.h"
#include "detail/json_text.h"
#include "detail/values.h"
#include "json.h"

namespace tapehead::io {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie");

const char* format_name(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return "F32";
    case DType::Float64:
      return "F64";
    case DType::Int64:
      return "I64";
    default:
      return "BOOL";
  }
}

// Where its values end if they begin there. An expanded tensor may be of any size.
Index end_of(const std::string& name, const Tensor& tensor, Index begin) {
  Index bytes = 0, end = 0;
  if (__builtin_mul_overflow(tensor.numel(), core::size_of(tensor.dtype()), &bytes) ||
      __builtin_add_overflow(begin, bytes, &end))
    fail<ShapeError>("save_safetensors: with \"", name, "\" of shape ", tensor.shape(),
                     " the file would have more bytes than 64 bits can count; leave it out");
  return end;
}

void check_names(const NamedTensors& tensors) {
  std::set<std::string> seen;
  for (const auto& [name, tensor] : tensors) {
    if (!tensor.defined())
      fail("save_safetensors: every name needs a tensor, got an undefined one as \"", name,
           "\"; leave it out");
    if (name == "__metadata__")
      fail(
          "save_safetensors: \"__metadata__\" means something else in this format; use another "
          "name, or the argument `metadata`");
    if (!seen.insert(name).second)
      fail("save_safetensors: names must differ, got \"", name, "\" twice; rename one");
  }
}

void check_utf8(const std::string& text) {
  if (!is_utf8(text))
    fail("save_safetensors: names and metadata must be UTF-8, got ", in_quotes(text));
}

void check_name(const std::string& name) {
  if (name.size() > longest_name)
    fail("save_safetensors: names of at most ", longest_name, " bytes are read back, got ",
         name.size(), " in ", in_quotes(name), "; shorten it");
  check_utf8(name);
}

// What read_safetensors() would refuse is not written in the first place.
void check_limits(const NamedTensors& tensors, const Metadata& metadata) {
  const std::size_t count = tensors.size() + metadata.size();
  if (count > most_entries)
    fail("save_safetensors: at most ", most_entries,
         " tensors and words of metadata are read back, got ", count, "; use several files");
  for (const auto& [name, tensor] : tensors) check_name(name);
  for (const auto& [key, text] : metadata) {
    check_name(key);
    if (text.size() > longest_text)
      fail("save_safetensors: metadata of at most ", longest_text, " bytes are read back, got ",
           text.size(), " as ", in_quotes(key), "; save it as a tensor");
    check_utf8(text);
  }
}

// In the order of the format's own writer: by dtype, Int64 first, so that no value needs a gap to
// be aligned; then by name.
NamedTensors ordered(NamedTensors tensors) {
  const auto rank = [](const Tensor& x) {
    return std::pair(core::size_of(x.dtype()), std::string_view(format_name(x.dtype())));
  };
  std::sort(tensors.begin(), tensors.end(), [&](const auto& a, const auto& b) {
    const auto left = rank(a.second), right = rank(b.second);
    return left != right ? left > right : a.first < b.first;
  });
  return tensors;
}

std::string header(const NamedTensors& tensors, const Metadata& metadata) {
  using Fields = std::vector<std::pair<std::string, Json>>;
  Fields entries;
  if (!metadata.empty())
    entries.push_back({"__metadata__", Json::object(Fields(metadata.begin(), metadata.end()))});
  Index begin = 0;
  for (const auto& [name, tensor] : tensors) {
    const Index end = end_of(name, tensor, begin);
    entries.push_back({name, Json::object({{"dtype", format_name(tensor.dtype())},
                                           {"shape", tensor.shape()},
                                           {"data_offsets", Json::list({begin, end})}})});
    begin = end;
  }
  std::string text = Json::object(entries).text();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

}  // namespace

void save_safetensors(const std::string& path, const NamedTensors& tensors,
                      const Metadata& metadata) {
  check_names(tensors);
  check_limits(tensors, metadata);
  const NamedTensors sorted = ordered(tensors);
  const std::string text = header(sorted, metadata);
  const std::uint64_t length = text.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(std::as_bytes(std::span(text)));
  for (const auto& [name, tensor] : sorted)
    with_bytes(tensor, [&](std::span<const std::byte> bytes) { file.write(bytes); });
  file.commit();
}

}  // namespace tapehead::io
