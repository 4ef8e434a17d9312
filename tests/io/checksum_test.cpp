#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/io/checksum.h>

#include "../support/compare.h"
#include "../support/folder.h"

using namespace tapehead;
using namespace tapehead::io;

namespace {

const NamedTensors tensors{{"b", tensor({1.5, -2.0})},
                           {"a", tensor({{1, 2, 3}, {4, 5, 6}})},
                           {"empty", zeros({0, 2})},
                           {"number", tensor(0.25, Float64)}};

}  // namespace

TEST_CASE("a checked file gives back tensors and metadata, without the checksum") {
  const Folder folder;
  const std::string path = folder.file("a b.safetensors");
  save_checked(path, tensors, {{"step", "7"}});
  const Safetensors file = read_checked(path);
  CHECK(file.metadata == Metadata{{"step", "7"}});
  CHECK(file.tensors.size() == tensors.size());
  for (const auto& [name, want] : tensors)
    for (const auto& [found, got] : file.tensors)
      if (found == name) CHECK(testing::difference(got, want) == "");
  CHECK(read_safetensors(path).metadata.at("checksum") == checksum(tensors, {{"step", "7"}}));
}

TEST_CASE("a checksum depends on every part, and not on order or layout") {
  const std::string own = checksum(tensors, {{"step", "7"}});
  CHECK(own.size() == 8);
  NamedTensors turned(tensors.rbegin(), tensors.rend());
  turned[2].second = turned[2].second.t().contiguous().t();
  CHECK(checksum(turned, {{"step", "7"}}) == own);
  const auto changed = [&](std::size_t i, const std::string& name, const Tensor& value) {
    NamedTensors other = tensors;
    other[i] = {name, value};
    return checksum(other, {{"step", "7"}});
  };
  for (const std::string& other :
       {checksum(tensors, {{"step", "8"}}), checksum(tensors, {{"steq", "7"}}),
        checksum(tensors, {{"step7", ""}}), checksum(tensors, {}),
        changed(0, "c", tensors[0].second), changed(0, "b", tensor({1.5, 2.0})),
        changed(1, "a", tensor({{1, 2}, {3, 4}, {5, 6}})), changed(2, "empty", zeros({2, 0})),
        changed(2, "empty", zeros({0, 2}, Float64))})
    CHECK(other != own);
}

TEST_CASE("what is not checked, or not right, is refused") {
  const Folder folder;
  const std::string path = folder.file("a");
  save_safetensors(path, tensors);
  CHECK_THROWS_WITH_AS(read_checked(path),
                       ("read_checked: " + path +
                        ": expected metadata \"checksum\", got none; it was not written by "
                        "save_checked()")
                           .c_str(),
                       IoError);
  save_safetensors(path, tensors, {{"checksum", "00000000 and more"}});
  CHECK_THROWS_WITH_AS(read_checked(path),
                       ("read_checked: " + path + ": expected the checksum 00000000, got " +
                        checksum(tensors, {}) + "; the file is damaged")
                           .c_str(),
                       IoError);
  CHECK_THROWS_WITH_AS(save_checked(path, tensors, {{"checksum", "1"}}),
                       "save_checked: metadata \"checksum\" is for the checksum; use another name",
                       Error);
}

TEST_CASE("the CRC-32 of bytes is the one that everybody knows") {
  CHECK(crc32_of("123456789") == 0xCBF43926);
  CHECK(crc32_of("") == 0);
}
