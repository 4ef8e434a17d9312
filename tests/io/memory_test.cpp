// How much memory readers need: for a bad file at most its size and 16 MiB, for a good one its
// tensors and 16 MiB. Measured as the system does: the most that the process ever held.
#include <doctest/doctest.h>
#include <tapehead/io/byte_pairs.h>
#include <tapehead/io/llama2c.h>
#include <tapehead/io/mingpt.h>
#include <tapehead/io/npy.h>
#include <tapehead/io/npz.h>
#include <tapehead/io/safetensors.h>
#include <tapehead/io/tensor_file.h>

#include "../support/peak_memory.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::check_bad;
using testing::check_good;
using testing::mib;
using testing::safetensors_file;

namespace {

std::string entry(int number, const std::string& dtype, std::size_t size, std::size_t begin,
                  std::size_t end) {
  return (number == 0 ? "\"" : ",\"") + std::to_string(number) + "\":{\"dtype\":\"" + dtype +
         "\",\"shape\":[" + std::to_string(size) + "],\"data_offsets\":[" + std::to_string(begin) +
         "," + std::to_string(end) + "]}";
}

std::string entries(int count, const std::string& pad) {
  std::string header = "{";
  for (int i = 0; i < count; ++i)
    header += (i == 0 ? "\"" : ",\"") + pad + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  return header + "}";
}

std::string metadata(int count) {
  std::string header = R"({"__metadata__":{)";
  for (int i = 0; i < count; ++i) header += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":\"\"";
  return header + "}}";
}

}  // namespace

TEST_CASE("a bad safetensors file costs no more memory than its size and 16 MiB") {
  const std::size_t much = 24 * mib;
  const auto check = [](const std::string& what, const std::string& bytes) {
    check_bad(what, bytes, io::read_safetensors);
  };
  check("spaces", safetensors_file("{" + std::string(much, ' ')));
  check("a long name", safetensors_file("{\"" + std::string(much, 'n') + "\":1}"));
  check("a long text",
        safetensors_file(R"({"__metadata__":{"k":")" + std::string(much, 'v') + "\"}}"));
  check("a string without end", safetensors_file("{\"" + std::string(much, 'n')));
  check("digits", safetensors_file("{\"w\":{\"shape\":[" + std::string(much, '1') + "]}}"));
  check("nesting", safetensors_file("{\"w\":" + std::string(much, '[')));
  check("escapes", safetensors_file("{\"" + std::string(much, '\\') + "\":1}"));
  check("tensors", safetensors_file(entries(400000, "")));
  check("long names", safetensors_file(entries(40000, std::string(500, 'n'))));
  check("metadata", safetensors_file(metadata(400000)));
  // Bytes that would be widened eightfold, and then a tensor that is cut off.
  check("widening", safetensors_file("{" + entry(0, "U8", much, 0, much) +
                                         entry(1, "F32", 1, much, much + 4) + "}",
                                     std::string(much, '\1')));
}

TEST_CASE("a bad npy or npz file costs no more memory than its size and 16 MiB") {
  const std::size_t much = 32 * mib;
  const std::string shape = "(" + std::to_string(much) + ",)";
  const std::string npy =
      testing::npy_file(testing::npy_header("|u1", shape), std::string(much, 1));
  check_bad("widening", npy + "x", io::read_npy);
  check_bad("a long header", testing::npy_file(std::string(much, ' '), "", 2), io::read_npy);
  testing::ZipPart bomb = testing::deflated_part("a.npy", npy);
  bomb.crc ^= 1;
  check_bad("a bomb", testing::zip_file({bomb}), io::read_npz);
  check_bad("a good member before a bad one",
            testing::zip_file({testing::deflated_part("b.npy", npy), bomb}), io::read_npz);
  std::vector<testing::ZipPart> parts;
  for (int i = 0; i < 60000; ++i)
    parts.push_back(testing::stored_part(std::to_string(i) + ".npy", ""));
  check_bad("many members", testing::zip_file(parts), io::read_npz);
}

TEST_CASE("a bad llama2.c or minGPT file costs no more memory than its size and 16 MiB") {
  const std::size_t much = 32 * mib;
  const std::string tail(much, '\0');
  check_bad("a long checkpoint", testing::small_llama2c() + tail, io::read_llama2c);
  check_bad("empty pieces", testing::packed(1) + tail, io::read_llama2c_tokenizer);
  std::string piece = testing::packed(static_cast<std::int32_t>(much)) +
                      testing::packed(0.0f, static_cast<std::int32_t>(much)) + tail;
  check_bad("a long piece, and half a one", piece + "1234", io::read_llama2c_tokenizer);
  const auto json = [&](const std::string& entries) {
    return "{" + testing::small_config + entries;
  };
  const std::string text(much, 'A');  // of zeros
  check_bad("spaces", json(std::string(much, ' ')), io::read_mingpt);
  check_bad("a long name", json(",\"" + text), io::read_mingpt);
  check_bad("long data of no shape", json(",\"w\":{\"data\":\"" + text + "\"}}"), io::read_mingpt);
  check_bad("widening, and then nothing",
            json(",\"w\":{\"dtype\":\"torch.uint8\",\"shape\":[" + std::to_string(much / 4 * 3) +
                 "],\"data\":\"" + text + "\"}"),
            io::read_mingpt);
}

TEST_CASE("a bad file of byte pairs costs no more memory than its size and 16 MiB") {
  const std::size_t much = 32 * mib;
  const auto check = [](const std::string& what, const std::string& bytes) {
    check_bad(what, bytes, io::read_byte_pairs);
  };
  const std::string opening = R"({"format": "tapehead byte pairs", "merges": [)";
  check("spaces", "{" + std::string(much, ' '));
  check("a long name", "{\"" + std::string(much, 'n') + "\":1}");
  check("a long format", R"({"format": ")" + std::string(much, 'f') + "\"}");
  check("nesting", opening + std::string(much, '['));
  check("digits", opening + "[" + std::string(much, '1') + "]]}");
  std::string numbers = "[1", merges = "[1,1]";
  while (numbers.size() < much) numbers += ",1";
  check("a merge of many", opening + numbers + "]]}");
  while (merges.size() < much) merges += ",[1,1]";
  check("many merges", opening + merges + "]}");
}

TEST_CASE("good byte pairs and pieces of tokens cost no more memory than they take, and 16 MiB") {
  std::string merges = R"({"format": "tapehead byte pairs", "merges": [[1,1])";
  Index count = 1;
  for (; count < 65000; ++count) merges += ",[1,1]";
  check_good("byte pairs", merges + "]}", sizeof(std::pair<Index, Index>) * 65000,
             io::read_byte_pairs);
  const auto length = static_cast<std::int32_t>(mib);
  std::string pieces = testing::packed(length);
  for (int i = 0; i < 32; ++i)
    pieces += testing::packed(0.0f, length) + std::string(static_cast<std::size_t>(length), 'p');
  check_good("llama2.c's tokenizer", pieces, 32 * mib, io::read_llama2c_tokenizer);
}

TEST_CASE("a good file costs no more memory than its tensors and 16 MiB") {
  const std::size_t count = 8 * mib;
  const std::string values(count, '\1'), shape = "(" + std::to_string(count) + ",)";
  const std::string npy = testing::npy_file(testing::npy_header("|u1", shape), values);
  const std::uint64_t wide = 8 * count;
  check_good("safetensors", safetensors_file("{" + entry(0, "U8", count, 0, count) + "}", values),
             wide, io::read_safetensors);
  check_good("npy", npy, wide, io::read_npy);
  check_good("whatever its format is", npy, wide, io::read_tensors);
  // 1 layer of width 1024, which has 64 words and 8 positions.
  const std::size_t d = 1024, hidden = 2048,
                    numbers = 64 * d + 2 * d + 4 * d * d + 3 * d * hidden + d + 2 * 8 * (d / 2);
  check_good("llama2.c",
             testing::llama_numbers({1024, 2048, 1, 1, 1, 64, 8}) + std::string(4 * numbers, '\0'),
             4 * numbers, [](const std::string& path) { return io::read_llama2c(path); });
  check_good(
      "npy in Fortran's order",
      testing::npy_file(testing::npy_header("<f4", "(" + std::to_string(count / 8) + ", 2)", true),
                        values),
      count, io::read_npy);
  check_good("npz", testing::zip_file({testing::stored_part("a.npy", npy)}), wide, io::read_npz);
  check_good("npz, deflated", testing::zip_file({testing::deflated_part("a.npy", npy)}), wide,
             io::read_npz);
  check_good("minGPT",
             "{" + testing::small_config + ",\"w\":{\"dtype\":\"torch.float32\",\"shape\":[" +
                 std::to_string(count) + "],\"data\":\"" +
                 std::string((4 * count + 2) / 3 * 4 - 1, 'A') + "=" + "\"}}",
             4 * count, [](const std::string& path) { return io::read_mingpt(path); });
}
