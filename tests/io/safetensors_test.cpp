#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/io/safetensors.h>

#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../support/compare.h"
#include "../support/folder.h"

using namespace tapehead;
using io::save_safetensors;
using Json = nlohmann::json;

namespace {

struct Parsed {
  Json header;
  std::string values;
};

// As the format's description has it, checking what it demands.
Parsed parse(const std::string& bytes) {
  REQUIRE(bytes.size() >= 8);
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  REQUIRE(length <= bytes.size() - 8);
  CHECK(length % 8 == 0);
  CHECK(bytes[8] == '{');
  return {Json::parse(bytes.substr(8, length)), bytes.substr(8 + length)};
}

template <class T>
std::vector<T> values_of(const Parsed& file, const std::string& name) {
  const auto offsets = file.header.at(name).at("data_offsets").get<std::vector<std::size_t>>();
  std::vector<T> values((offsets[1] - offsets[0]) / sizeof(T));
  std::memcpy(values.data(), file.values.data() + offsets[0], offsets[1] - offsets[0]);
  return values;
}

}  // namespace

TEST_CASE("a safetensors file holds each tensor's name, dtype, shape and values") {
  const Folder folder;
  const std::string path = folder.file("model.safetensors");
  const Tensor half = tensor({{1.5, -2.0, 0.25}, {4.0, 5.0, 6.0}});
  save_safetensors(path,
                   {{"flag", tensor({true, false, true})},
                    {"w", half.t()},
                    {"n", tensor({-1, 5})},
                    {"d", tensor({0.1}, Float64)},
                    {"scalar", tensor(7)},
                    {"nothing", zeros({0, 3})}},
                   {{"format", "pt"}});

  const Parsed file = parse(folder.read("model.safetensors"));
  CHECK(file.header.size() == 7);
  CHECK(file.header.at("__metadata__") == Json{{"format", "pt"}});
  CHECK(file.header.at("w").at("dtype") == "F32");
  CHECK(file.header.at("w").at("shape") == Json{3, 2});
  CHECK(values_of<float>(file, "w") == std::vector<float>{1.5, 4, -2, 5, 0.25, 6});
  CHECK(file.header.at("d").at("dtype") == "F64");
  CHECK(values_of<double>(file, "d") == std::vector<double>{0.1});
  CHECK(file.header.at("n").at("dtype") == "I64");
  CHECK(values_of<std::int64_t>(file, "n") == std::vector<std::int64_t>{-1, 5});
  CHECK(file.header.at("flag").at("dtype") == "BOOL");
  CHECK(values_of<char>(file, "flag") == std::vector<char>{1, 0, 1});
  CHECK(file.header.at("scalar").at("shape") == Json::array());
  CHECK(file.header.at("nothing").at("shape") == Json{0, 3});
}

TEST_CASE("the bytes of a file are those that the format's own writer gives") {
  const Folder folder;
  save_safetensors(folder.file("m"), {{"b", tensor({1.0, -2.0})},
                                      {"flag", tensor({true, false})},
                                      {"n", tensor({258})},
                                      {"a", tensor({{0.5}})},
                                      {"d", tensor({1.0}, Float64)}});
  const std::string header = R"({"__metadata__":{"format":"pt"},)"
                             R"("n":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                             R"("d":{"dtype":"F64","shape":[1],"data_offsets":[8,16]},)"
                             R"("a":{"dtype":"F32","shape":[1,1],"data_offsets":[16,20]},)"
                             R"("b":{"dtype":"F32","shape":[2],"data_offsets":[20,28]},)"
                             R"("flag":{"dtype":"BOOL","shape":[2],"data_offsets":[28,30]}})";
  const auto bytes = [](std::initializer_list<int> list) {
    return std::string(list.begin(), list.end());
  };
  REQUIRE(header.size() == 310);  // and 2 spaces
  CHECK(folder.read("m") == bytes({0x38, 1, 0, 0, 0, 0, 0, 0}) + header + "  " +
                                bytes({2, 1, 0, 0, 0, 0, 0, 0}) +
                                bytes({0, 0, 0, 0, 0, 0, 0xF0, 0x3F}) + bytes({0, 0, 0, 0x3F}) +
                                bytes({0, 0, 0x80, 0x3F}) + bytes({0, 0, 0, 0xC0}) + bytes({1, 0}));
}

TEST_CASE("a file of no tensors is a header alone") {
  const Folder folder;
  save_safetensors(folder.file("m"), {}, {});
  CHECK(folder.read("m") == std::string("\10\0\0\0\0\0\0\0{}      ", 16));
}

TEST_CASE("values lie without gaps, each aligned to its size") {
  const Folder folder;
  save_safetensors(
      folder.file("m"),
      {{"flag", tensor({true})}, {"f", ones({3})}, {"d", ones({2}, Float64)}, {"g", ones({1})}},
      {});
  const Parsed file = parse(folder.read("m"));
  std::vector<std::pair<std::size_t, std::size_t>> places;
  for (const auto& [name, entry] : file.header.items()) {
    const auto offsets = entry.at("data_offsets").get<std::vector<std::size_t>>();
    places.emplace_back(offsets[0], offsets[1]);
    const std::size_t size = entry.at("dtype") == "F64" ? 8 : entry.at("dtype") == "F32" ? 4 : 1;
    CHECK(offsets[0] % size == 0);
  }
  std::sort(places.begin(), places.end());
  std::size_t end = 0;
  for (const auto& [from, to] : places) {
    CHECK(from == end);
    end = to;
  }
  CHECK(end == file.values.size());
}

TEST_CASE("a new file takes the place of an old one, and leaves nothing else") {
  const Folder folder;
  folder.write("m", "old");
  std::filesystem::permissions(folder.file("m"), std::filesystem::perms(0640));
  save_safetensors(folder.file("m"), {{"w", ones({2})}});
  CHECK(parse(folder.read("m")).header.contains("w"));
  CHECK(folder.names() == std::vector<std::string>{"m"});
  CHECK(std::filesystem::status(folder.file("m")).permissions() == std::filesystem::perms(0640));
}

TEST_CASE("tensors that no file could hold are refused, and no file is made") {
  const Folder folder;
  const auto expanded = [](DType dtype) { return zeros({1}, dtype).expand({Index{1} << 62}); };
  CHECK_THROWS_WITH_AS(save_safetensors(folder.file("m"), {{"w", expanded(Float32)}}),
                       "save_safetensors: with \"w\" of shape (4611686018427387904) the file would "
                       "have more bytes than 64 bits can count; leave it out",
                       ShapeError);
  CHECK_THROWS_AS(
      save_safetensors(folder.file("m"), {{"a", expanded(Bool)}, {"b", expanded(Bool)}}),
      ShapeError);
  CHECK_THROWS_AS(save_safetensors(folder.file("m"), {{"a", expanded(Bool)}}), MemoryError);
  CHECK(folder.names().empty());
}

TEST_CASE("names that cannot be written are refused, and no file is made") {
  const Folder folder;
  const Tensor x = ones({1});
  CHECK_THROWS_WITH_AS(save_safetensors(folder.file("m"), {{"a", x}, {"a", x}}),
                       "save_safetensors: names must differ, got \"a\" twice; rename one", Error);
  CHECK_THROWS_WITH_AS(save_safetensors(folder.file("m"), {{"__metadata__", x}}),
                       "save_safetensors: \"__metadata__\" means something else in this format; "
                       "use another name, or the argument `metadata`",
                       Error);
  CHECK_THROWS_WITH_AS(
      save_safetensors(folder.file("m"), {{"a", Tensor()}}),
      "save_safetensors: every name needs a tensor, got an undefined one as \"a\"; "
      "leave it out",
      Error);
  CHECK_THROWS_WITH_AS(save_safetensors(folder.file("m"), {{"\xff", x}}),
                       "save_safetensors: names and metadata must be UTF-8, got \"\\xff\"", Error);
  CHECK(folder.names().empty());
}

TEST_CASE("what could not be read back is refused, and no file is made") {
  const Folder folder;
  const Tensor x = ones({1});
  const auto save = [&](const NamedTensors& tensors, const io::Metadata& metadata) {
    save_safetensors(folder.file("m"), tensors, metadata);
  };
  const std::string name(513, 'n'), shown = std::string(60, 'n') + "\"...";
  NamedTensors many;
  for (int i = 0; i < 16384; ++i) many.emplace_back(std::to_string(i), x);
  CHECK_THROWS_WITH_AS(save(many, io::as_pytorch),
                       "save_safetensors: at most 16384 tensors and words of metadata are read "
                       "back, got 16385; use several files",
                       Error);
  for (const bool as_tensor : {true, false})
    CHECK_THROWS_WITH_AS(as_tensor ? save({{name, x}}, {}) : save({}, {{name, ""}}),
                         ("save_safetensors: names of at most 512 bytes are read back, got 513 in "
                          "\"" +
                          shown + "; shorten it")
                             .c_str(),
                         Error);
  CHECK_THROWS_WITH_AS(save({}, {{"k", std::string((1 << 20) + 1, 'v')}}),
                       "save_safetensors: metadata of at most 1048576 bytes are read back, got "
                       "1048577 as \"k\"; save it as a tensor",
                       Error);
  CHECK(folder.names().empty());
  save(NamedTensors(many.begin(), many.end() - 1), {{"k", std::string(1 << 20, 'v')}});
  CHECK(io::read_safetensors(folder.file("m")).tensors.size() == 16383);
}
