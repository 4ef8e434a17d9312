#include "checksum.h"

#include <zlib.h>

#include <algorithm>
#include <iomanip>

#include "detail/values.h"

namespace tapehead::io {
namespace {

const std::string checksum_key = "checksum";

// Texts are preceded by their length, so that no two lists of them read the same.
class Crc {
 public:
  void add(std::span<const std::byte> bytes) {
    if (bytes.empty()) return;  // zlib takes a null pointer as the wish to begin anew
    value_ = crc32_z(value_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  }
  void add(std::uint64_t number) { add(std::as_bytes(std::span(&number, 1))); }
  void add(const std::string& text) {
    add(std::uint64_t{text.size()});
    add(std::as_bytes(std::span(text)));
  }
  void add(const Tensor& tensor) {
    add(std::string(core::name(tensor.dtype())));
    add(core::to_text(tensor.shape()));
    with_bytes(tensor, [this](std::span<const std::byte> bytes) { add(bytes); });
  }
  uLong value() const { return value_; }
  std::string digits() const {
    return core::to_text(std::hex, std::setw(8), std::setfill('0'), value_);
  }

 private:
  uLong value_ = crc32(0, nullptr, 0);
};

}  // namespace

std::string checksum(const NamedTensors& tensors, const Metadata& metadata) {
  NamedTensors sorted = tensors;
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  Crc crc;
  crc.add(std::uint64_t{sorted.size()});
  for (const auto& [name, tensor] : sorted) {
    crc.add(name);
    crc.add(tensor);
  }
  for (const auto& [name, text] : metadata) {
    crc.add(name);
    crc.add(text);
  }
  return crc.digits();
}

std::uint32_t crc32_of(std::string_view bytes) {
  Crc crc;
  crc.add(std::as_bytes(std::span<const char>(bytes.data(), bytes.size())));
  return static_cast<std::uint32_t>(crc.value());
}

void save_checked(const std::string& path, const NamedTensors& tensors, const Metadata& metadata) {
  if (metadata.count(checksum_key) != 0)
    fail("save_checked: metadata \"checksum\" is for the checksum; use another name");
  Metadata all = metadata;
  all[checksum_key] = checksum(tensors, metadata);
  save_safetensors(path, tensors, all);
}

Safetensors read_checked(const std::string& path) {
  Safetensors file = read_safetensors(path);
  const auto found = file.metadata.find(checksum_key);
  if (found == file.metadata.end())
    fail<IoError>("read_checked: ", path,
                  ": expected metadata \"checksum\", got none; it was not written by "
                  "save_checked()");
  const std::string given = found->second;
  file.metadata.erase(found);
  const std::string own = checksum(file.tensors, file.metadata);
  if (given != own)
    fail<IoError>("read_checked: ", path, ": expected the checksum ", given.substr(0, 8), ", got ",
                  own, "; the file is damaged");
  return file;
}

}  // namespace tapehead::io
