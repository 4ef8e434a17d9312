#include <zlib.h>

#include <algorithm>
#include <limits>

#include "zip.h"
#include "zip_records.h"

namespace tapehead::io {
namespace {

constexpr std::uint16_t name_is_utf8 = 1 << 11;

bool is_ascii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

template <class... Numbers>
std::string packed(Numbers... numbers) {
  std::string result;
  (result.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
  return result;
}

}  // namespace

void ZipWriter::add(const std::string& name,
                    std::initializer_list<std::span<const std::byte>> parts) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  std::uint64_t size = 0;
  for (const auto part : parts) size += part.size();
  const std::uint64_t around = local_bytes + central_bytes + end_bytes + 2 * name.size();
  if (size + around + directory_.size() + written_ > most)
    fail("save_npz: at most 4 GiB fit, and with \"", name,
         "\" there would be more; save as .safetensors");
  uLong crc = 0;
  for (const auto part : parts)
    crc = crc32_z(crc, reinterpret_cast<const Bytef*>(part.data()), part.size());
  // What both headers have: version 2.0, flags, stored, 1980-01-01 0:00, checksum, sizes, no extra.
  const std::string both =
      packed(std::uint16_t{20}, is_ascii(name) ? std::uint16_t{0} : name_is_utf8, std::uint16_t{0},
             std::uint16_t{0}, std::uint16_t{33}, static_cast<std::uint32_t>(crc),
             static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size),
             static_cast<std::uint16_t>(name.size()), std::uint16_t{0});
  directory_ += packed(central_mark, std::uint16_t{20}) + both +
                packed(std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
                       static_cast<std::uint32_t>(written_)) +
                name;
  const std::string header = packed(local_mark) + both + name;
  file_.write(bytes_of(header));
  for (const auto part : parts) file_.write(part);
  written_ += header.size() + size;
  ++count_;
}

void ZipWriter::commit() {
  file_.write(bytes_of(directory_));
  file_.write(bytes_of(packed(end_mark, std::uint32_t{0}, count_, count_,
                              static_cast<std::uint32_t>(directory_.size()),
                              static_cast<std::uint32_t>(written_), std::uint16_t{0})));
  file_.commit();
}

}  // namespace tapehead::io
