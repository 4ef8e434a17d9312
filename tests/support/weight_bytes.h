// Weight files as bytes: whole ones for readers to read, and parts to make bad ones of.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tapehead::testing {

/// Numbers as they lie in a file, little endian.
template <class... Numbers>
std::string packed(Numbers... numbers) {
  std::string result;
  (result.append(reinterpret_cast<const char*>(&numbers), sizeof(numbers)), ...);
  return result;
}

template <class T>
std::string packed_list(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

// safetensors

inline std::string safetensors_file(const std::string& header, const std::string& values = "") {
  return packed(std::uint64_t{header.size()}) + header + values;
}

/// One tensor: "w": F32 of shape (2, 2).
inline std::string small_safetensors() {
  return safetensors_file(
      R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})",
      packed(1.0f, 2.0f, 3.0f, -4.5f));
}

// npy and npz

inline std::string npy_file(const std::string& header, const std::string& values = "",
                            int version = 1) {
  std::string length = packed(static_cast<std::uint32_t>(header.size()));
  if (version == 1) length.resize(2);
  return std::string("\x93NUMPY") + static_cast<char>(version) + '\0' + length + header + values;
}

inline std::string npy_header(const std::string& descr, const std::string& shape,
                              bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }\n";
}

inline std::string small_npy() {
  return npy_file(npy_header("<f4", "(2, 2)"), packed(1.0f, 2.0f, 3.0f, -4.5f));
}

inline std::string deflated(const std::string& bytes) {
  std::string result(compressBound(static_cast<uLong>(bytes.size())) + 64, '\0');
  z_stream z{};
  deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  z.avail_in = static_cast<uInt>(bytes.size());
  z.next_out = reinterpret_cast<Bytef*>(result.data());
  z.avail_out = static_cast<uInt>(result.size());
  deflate(&z, Z_FINISH);
  result.resize(z.total_out);
  deflateEnd(&z);
  return result;
}

inline std::uint32_t crc_of(const std::string& bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

/// A member of an archive, with lies where they are asked for.
struct ZipPart {
  std::string name, stored;  // what the directory calls it, and its bytes in the archive
  std::uint32_t size, crc;   // of what they inflate to
  std::uint16_t method = 0, flags = 0;
  std::optional<std::string> local_name{};
  std::optional<std::uint32_t> offset{};  // where the directory says that its header is
  std::string extra{};                    // field of the directory
};

inline ZipPart stored_part(const std::string& name, const std::string& bytes) {
  return {name, bytes, static_cast<std::uint32_t>(bytes.size()), crc_of(bytes)};
}
inline ZipPart deflated_part(const std::string& name, const std::string& bytes) {
  return {name, deflated(bytes), static_cast<std::uint32_t>(bytes.size()), crc_of(bytes), 8};
}

/// The end record of an archive.
inline std::string zip_end(std::uint16_t count, std::uint32_t bytes, std::uint32_t offset,
                           std::uint16_t disk = 0) {
  return packed(0x06054b50u, disk, disk, count, count, bytes, offset, std::uint16_t{0});
}

struct ZipText {
  std::string members, directory;
  std::uint16_t count = 0;
};
inline ZipText zip_text(const std::vector<ZipPart>& parts) {
  ZipText text;
  for (const ZipPart& part : parts) {
    const std::uint32_t stored =
        part.size == 0xffffffff ? 0xffffffff : static_cast<std::uint32_t>(part.stored.size());
    const auto both = [&](const std::string& name, const std::string& extra) {
      return packed(std::uint16_t{20}, part.flags, part.method, std::uint32_t{33} << 16, part.crc,
                    stored, part.size, static_cast<std::uint16_t>(name.size()),
                    static_cast<std::uint16_t>(extra.size()));
    };
    const std::string local = part.local_name.value_or(part.name);
    const auto offset = part.offset.value_or(static_cast<std::uint32_t>(text.members.size()));
    text.members += packed(0x04034b50u) + both(local, "") + local + part.stored;
    text.directory += packed(0x02014b50u, std::uint16_t{20}) + both(part.name, part.extra) +
                      std::string(10, '\0') + packed(offset) + part.name + part.extra;
    ++text.count;
  }
  return text;
}
inline std::string zip_file(const std::vector<ZipPart>& parts) {
  const ZipText text = zip_text(parts);
  return text.members + text.directory +
         zip_end(text.count, static_cast<std::uint32_t>(text.directory.size()),
                 static_cast<std::uint32_t>(text.members.size()));
}

inline std::string small_npz() {
  return zip_file({stored_part("a.npy", small_npy()), deflated_part("b.npy", small_npy())});
}

// llama2.c

/// dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size, seq_len.
inline std::string llama_numbers(std::vector<std::int32_t> numbers) { return packed_list(numbers); }

/// The floats 0, 1, 2, … as so many values.
inline std::string counting_floats(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return packed_list(values);
}

/// dim 4, hidden_dim 6, 2 layers, 2 heads on 1 key-value head, 5 words, 3 positions.
inline std::string small_llama2c(bool shared = true) {
  const std::size_t layer = 4 + 16 + 8 + 8 + 16 + 4 + 3 * 24,
                    count = 20 + 2 * layer + 4 + 2 * 3 + (shared ? 0 : 20);
  return llama_numbers({4, 6, 2, 2, 1, shared ? 5 : -5, 3}) + counting_floats(count);
}
/// The same sizes in version 1.
inline std::string small_llama2c_1(bool shared = true) {
  const std::size_t layer = 4 + 16 + 8 + 8 + 16 + 4 + 3 * 24,
                    count = 20 + 2 * layer + 4 + (shared ? 0 : 20);
  std::string header = packed(0x616b3432u, 1) + llama_numbers({4, 6, 2, 2, 1, 5, 3}) +
                       static_cast<char>(shared ? 1 : 0);
  header.resize(256);
  return header + counting_floats(count);
}

inline std::string llama_piece(const std::string& text, float score) {
  return packed(score, static_cast<std::int32_t>(text.size())) + text;
}
inline std::string small_tokenizer() {
  return packed(std::int32_t{3}) + llama_piece("<u>", 0) + llama_piece("<s>", 0) +
         llama_piece(" ", 0) + llama_piece("a", -1) + llama_piece(" a", -2.5f);
}

// minGPT

inline const std::string small_config =
    R"("config":{"model_type":"gpt-nano","n_layer":1,"n_head":1,"n_embd":2,"vocab_size":3,)"
    R"("block_size":4,"embd_pdrop":0.1,"resid_pdrop":0,"attn_pdrop":0.25,"B":3})";

/// The floats 1 and -2.
inline std::string small_mingpt() {
  return "{" + small_config +
         R"(,"w":{"shape":[2],"dtype":"torch.float32","data":"AACAPwAAAMA="}})";
}

}  // namespace tapehead::testing
