#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/io/safetensors.h>

#include <map>

#include "../support/cases.h"
#include "../support/folder.h"
#include "../support/hex.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::difference;
using testing::packed;
using testing::safetensors_file;

namespace {

io::Safetensors read(const std::string& bytes) {
  const Folder folder;
  return io::read_safetensors(folder.write("x.safetensors", bytes));
}

// The only tensor of a file, of one dimension.
template <class... Numbers>
Tensor read_as(const std::string& dtype, Numbers... numbers) {
  const std::string values = packed(numbers...);
  return read(safetensors_file("{\"x\":{\"dtype\":\"" + dtype + "\",\"shape\":[" +
                                   std::to_string(sizeof...(numbers)) + "],\"data_offsets\":[0," +
                                   std::to_string(values.size()) + "]}}",
                               values))
      .tensors.at(0)
      .second;
}

}  // namespace

TEST_CASE("what save_safetensors writes, read_safetensors gives back") {
  const Folder folder;
  const std::map<std::string, Tensor> tensors{{"flag", tensor({{true, false}})},
                                              {"w", testing::noise({4, 3}).t()},
                                              {"n", tensor({-1, 5})},
                                              {"f", testing::noise({2, 1, 2}, 3, Float32)},
                                              {"scalar", tensor(7)},
                                              {"été", tensor(0.5)},
                                              {"nothing", zeros({0, 3})},
                                              {"none either", zeros({2, 0}, Float64)}};
  const io::Metadata metadata{{"format", "pt"}, {"step", "12"}, {"", ""}};
  io::save_safetensors(folder.file("x"), {tensors.begin(), tensors.end()}, metadata);
  const io::Safetensors back = io::read_safetensors(folder.file("x"));
  CHECK(back.metadata == metadata);
  CHECK(back.tensors.size() == tensors.size());
  for (const auto& [name, x] : back.tensors) CHECK(difference(x, tensors.at(name)) == "");
  io::save_safetensors(folder.file("x"), {}, {});
  CHECK(io::read_safetensors(folder.file("x")).tensors.empty());
}

TEST_CASE("tensors come in the order of their places, whatever that of the header") {
  const io::Safetensors file = read(
      safetensors_file("{ \"b\" : {\"data_offsets\":[4, 8], \"shape\":[1],\"dtype\":\"F32\"},\n"
                       "\t\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}    ",
                       packed(1.0f, 2.0f)));
  REQUIRE(file.tensors.size() == 2);
  CHECK(file.tensors[0].first == "a");
  CHECK(difference(file.tensors[0].second, tensor({1.0})) == "");
  CHECK(difference(file.tensors[1].second, tensor({2.0})) == "");
  CHECK(file.metadata.empty());
}

TEST_CASE("half precision becomes Float32, whole numbers become Int64") {
  const auto half = [](int bits) { return static_cast<std::uint16_t>(bits); };
  CHECK(difference(read_as("F16", half(0x3c00), half(0xc580), half(1), half(0x7c00)),
                   tensor({1.0, -5.5, 0x1p-24, static_cast<double>(INFINITY)})) == "");
  CHECK(difference(read_as("BF16", half(0x3f80), half(0xc0b0), half(1), half(0xff80)),
                   tensor({1.0, -5.5, 0x1p-133, -static_cast<double>(INFINITY)})) == "");
  CHECK(std::isnan(read_as("BF16", half(0x7fc0)).item()));
  CHECK(difference(read_as("F32", 0.5f, -2.0f), tensor({0.5, -2.0})) == "");
  CHECK(difference(read_as("F64", 0.1), tensor({0.1}, Float64)) == "");
  CHECK(difference(read_as("I64", std::numeric_limits<Index>::min(), Index{7}),
                   tensor({std::numeric_limits<Index>::min(), Index{7}})) == "");
  CHECK(difference(read_as("I32", -5, 7), tensor({-5, 7})) == "");
  CHECK(difference(read_as("I16", std::int16_t{-5}), tensor({-5})) == "");
  CHECK(difference(read_as("I8", std::int8_t{-5}), tensor({-5})) == "");
  CHECK(difference(read_as("U32", 4000000000u), tensor({4000000000})) == "");
  CHECK(difference(read_as("U16", half(60000)), tensor({60000})) == "");
  CHECK(difference(read_as("U8", std::uint8_t{255}), tensor({255})) == "");
  CHECK(difference(read_as("BOOL", std::uint8_t{1}, std::uint8_t{0}), tensor({true, false})) == "");
}

TEST_CASE("names with escapes, and values that need no alignment, are read") {
  const io::Safetensors file =
      read(safetensors_file(R"({"a\"\u00e9\\":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                            R"("d":{"dtype":"F64","shape":[],"data_offsets":[1,9]}})",
                            "\7" + packed(0.1)));
  CHECK(file.tensors.at(0).first == "a\"é\\");
  CHECK(difference(file.tensors.at(1).second, tensor({0.1}, Float64).sum()) == "");
}

TEST_CASE("FILE-01: A minimal valid safetensors file") {
  const testing::Case c = testing::this_case();
  const io::Safetensors file = read(testing::from_hex(c.json.at("expect").at("file_hex")));
  const testing::Json& want = c.json.at("expect").at("outputs");
  const auto check = [&](const io::Safetensors& got) {
    REQUIRE(got.tensors.size() == 2);
    for (const auto& [name, x] : got.tensors)
      CHECK(difference(x, testing::to_tensor(want.at(name))) == "");
    CHECK(got.metadata == want.at("metadata").get<io::Metadata>());
  };
  check(file);
  const Folder folder;
  io::save_safetensors(folder.file("again"), file.tensors, file.metadata);
  check(io::read_safetensors(folder.file("again")));
}
