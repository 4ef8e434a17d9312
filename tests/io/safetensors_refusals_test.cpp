#include <doctest/doctest.h>
#include <tapehead/io/safetensors.h>

#include "../support/cases.h"
#include "../support/hex.h"
#include "../support/refusals.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::BadFile;
using testing::packed;
using testing::safetensors_file;

namespace {

std::string words(const std::string& bytes) {
  return testing::refusal_of(bytes, "read_safetensors", io::read_safetensors);
}

// One tensor "w" with these fields, and 16 bytes of values.
std::string with_fields(const std::string& fields) {
  return safetensors_file("{\"w\":{" + fields + "}}", std::string(16, '\0'));
}
std::string with_shape(const std::string& shape, const std::string& dtype = "F32") {
  return with_fields("\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[0,16]");
}
// Two tensors of 8 bytes each at these places, and 16 bytes of values.
std::string with_places(const std::string& a, const std::string& b) {
  return safetensors_file(R"({"a":{"dtype":"F64","shape":[1],"data_offsets":)" + a +
                              R"(},"b":{"dtype":"F64","shape":[1],"data_offsets":)" + b + "}}",
                          std::string(16, '\0'));
}

std::string many_tensors(int count) {
  std::string header = "{";
  for (int i = 0; i < count; ++i)
    header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  return safetensors_file(header + "}");
}

}  // namespace

TEST_CASE("a safetensors file that is cut off or lies about its header is refused") {
  testing::check_refusals(
      {{"", "it has 0 bytes, too few for a safetensors file"},
       {"1234567", "it has 7 bytes, too few for a safetensors file"},
       {packed(std::uint64_t{0}), "byte 8: its header does not begin with {"},
       {packed(std::uint64_t{100}) + "{}",
        "it says that its header has 100 bytes, but only 2 follow; it is cut off, or no "
        "safetensors file"},
       {packed(~std::uint64_t{0}) + "{}",
        "it says that its header has 18446744073709551615 bytes, but only 2 follow; it is cut off, "
        "or no safetensors file"},
       {packed(~std::uint64_t{0} - 7) + "{}",
        "it says that its header has 18446744073709551608 bytes, but only 2 follow; it is cut off, "
        "or no safetensors file"},
       {packed(std::uint64_t{1} << 63) + "{}",
        "it says that its header has 9223372036854775808 bytes, but only 2 follow; it is cut off, "
        "or no safetensors file"},
       {safetensors_file("[]"), "byte 8: its header does not begin with {"},
       {safetensors_file(" {}"), "byte 8: its header does not begin with {"},
       {safetensors_file("{"), "byte 8: not JSON after \"{\""},
       {safetensors_file("{} {}"), "byte 12: not JSON after \"{} {\""},
       {safetensors_file(std::string("{}\0  ", 5)), "byte 10: a zero byte, of which JSON has none"},
       {safetensors_file(std::string("{}\0{}", 5)), "byte 10: a zero byte, of which JSON has none"},
       {safetensors_file("{}", "x"), "its tensors need 0 bytes of values, got 1"}},
      "read_safetensors", io::read_safetensors);
}

TEST_CASE("a safetensors header that is not the JSON it should be is refused") {
  const std::string nested(100000, '['), number(100, '1');
  testing::check_refusals(
      {{safetensors_file("{\"w\":1}"), "byte 14: expected an object for \"w\", got a number"},
       {safetensors_file("{\"w\":-1}"),
        "byte 15: expected an object for \"w\", got a negative number"},
       {safetensors_file("{\"w\":null}"), "byte 17: expected an object for \"w\", got null"},
       {safetensors_file("{\"w\":true}"),
        "byte 17: expected an object for \"w\", got true or false"},
       {safetensors_file("{\"w\":\"x\"}"), "byte 16: expected an object for \"w\", got a string"},
       {safetensors_file("{\"w\":" + nested), "byte 14: expected an object for \"w\", got a list"},
       {safetensors_file("{\"w\":{\"shape\":" + nested),
        "byte 24: expected a whole number for \"w\", got a list"},
       {safetensors_file("{\"w\":{\"dtype\":{}}}"),
        "byte 23: expected a dtype for \"w\", got an object"},
       {safetensors_file("{\"w\":" + number + "}"),
        "byte 77: a number or word of more than 64 characters"},
       {safetensors_file("{\"w\":{\"shape\":[1.5]}}"),
        "byte 27: expected a whole number for \"w\", got a fraction, or more than 64 bits"},
       {safetensors_file("{\"w\":{\"shape\":[-1]}}"),
        "byte 26: expected a whole number for \"w\", got a negative number"},
       {safetensors_file("{\"w\":{\"data_offsets\":[\"0\"]}}"),
        "byte 33: expected a whole number for \"w\", got a string"},
       {safetensors_file("{\"\xff\":{}}"), "byte 11: text that is not UTF-8"},
       {safetensors_file("{\"w\\x\":{}}"), "byte 13: not JSON after \"\\\"w\\\\x\""},
       {safetensors_file("{\"" + std::string(513, 'n') + "\":{}}"),
        "byte 10: a name of 513 bytes; at most 512 are read"},
       {safetensors_file("{\"__metadata__\":{\"k\":\"" + std::string((1 << 20) + 1, 'v') + "\"}}"),
        "byte 30: a string of 1048577 bytes; at most 1048576 are read"},
       {safetensors_file("{\"__metadata__\":{\"k\":\"" + std::string((1 << 20) - 1, 'v') +
                         "\xc3\xa9\"}}"),
        "byte 1048608: text that is not UTF-8"},
       {safetensors_file("{\"__metadata__\":{\"k\":1}}"),
        "byte 31: expected a string in \"__metadata__\", got a number"},
       {safetensors_file("{\"__metadata__\":{\"k\":\"1\",\"k\":\"2\"}}"),
        "its \"__metadata__\" has the key \"k\" twice"},
       {safetensors_file("{\"__metadata__\":{},\"__metadata__\":{}}"),
        "it has the name \"__metadata__\" twice"},
       {many_tensors(16385), "it has more than 16384 tensors and words of metadata"}},
      "read_safetensors", io::read_safetensors);
}

TEST_CASE("a safetensors entry that contradicts itself is refused, by name") {
  testing::check_refusals(
      {{with_fields(R"("shape":[4],"data_offsets":[0,16])"), "\"w\" has no dtype"},
       {with_fields(R"("dtype":"F32","data_offsets":[0,16])"), "\"w\" has no shape"},
       {with_fields(R"("dtype":"F32","shape":[4])"), "\"w\" has no data_offsets"},
       {with_fields(R"("dtype":"F32","shape":[4],"data_offsets":[0])"),
        "\"w\" needs two data_offsets, where it begins and ends"},
       {with_fields(R"("dtype":"F32","shape":[4],"data_offsets":[0,16,32])"),
        "\"w\" has more than 2 data_offsets"},
       {with_fields(R"("dtype":"F32","shape":[4],"data_offsets":[16,0])"),
        "\"w\" begins at 16 but ends at 0"},
       {with_fields(R"("dtype":"F32","dtype":"F32")"), "\"w\" has dtype twice"},
       {with_fields(R"("shape":[4],"shape":[4])"), "\"w\" has shape twice"},
       {with_fields(R"("data_offsets":[0,16],"data_offsets":[0,16])"),
        "\"w\" has data_offsets twice"},
       {with_fields(R"("stride":[1])"),
        "\"w\" has a field \"stride\"; it should have dtype, shape and data_offsets alone"},
       {with_shape("[4]", "F8_E4M3"),
        "\"w\" has dtype \"F8_E4M3\", which is not read; convert it to F32 where it was saved"},
       {with_shape("[4]", "f32"),
        "\"w\" has dtype \"f32\", which is not read; convert it to F32 where it was saved"},
       {with_shape("[4]", "F64"),
        "\"w\" of shape (4) and dtype F64 needs 32 bytes, but its data_offsets 0 and 16 leave 16"},
       {with_shape("[5]"),
        "\"w\" of shape (5) and dtype F32 needs 20 bytes, but its data_offsets 0 and 16 leave 16"},
       {with_shape("[3]"),
        "\"w\" of shape (3) and dtype F32 needs 12 bytes, but its data_offsets 0 and 16 leave 16"},
       {with_shape("[]"),
        "\"w\" of shape () and dtype F32 needs 4 bytes, but its data_offsets 0 and 16 leave 16"},
       {with_shape("[0]"),
        "\"w\" of shape (0) and dtype F32 needs 0 bytes, but its data_offsets 0 and 16 leave 16"},
       {with_shape("[4611686018427387904,4]"),
        "\"w\": its shape has more elements than 64 bits can count: dimension 1 is 4"},
       {with_shape("[18446744073709551615]"),
        "\"w\": its shape has more elements than 64 bits can count: dimension 0 is "
        "18446744073709551615"},
       {with_shape("[2305843009213693952]"),
        "\"w\" of shape (2305843009213693952) and dtype F32 needs 9223372036854775808 bytes, but "
        "its data_offsets 0 and 16 leave 16"},
       {with_shape("[99999999999999999999]"),
        "byte 58: expected a whole number for \"w\", got a fraction, or more than 64 bits"},
       {with_shape("[1,1,1,1,1,1,1,1,4]"), "\"w\" has more than 8 dimensions"}},
      "read_safetensors", io::read_safetensors);
}

TEST_CASE("safetensors that overlap, leave holes or reach beyond the file are refused") {
  testing::check_refusals(
      {{with_places("[0,8]", "[0,8]"),
        "\"b\" begins at 0, within the tensor before, which ends at 8"},
       {with_places("[0,8]", "[4,12]"),
        "\"b\" begins at 4, within the tensor before, which ends at 8"},
       {with_places("[0,8]", "[9,17]"), "there is a hole between 8 and 9, before \"b\""},
       {with_places("[8,16]", "[16,24]"), "there is a hole between 0 and 8, before \"a\""},
       {with_places("[0,8]", "[18446744073709551608,18446744073709551616]"),
        "byte 151: expected a whole number for \"b\", got a fraction, or more than 64 bits"},
       {with_places("[0,8]", "[8,16]").substr(0, 140), ""},
       {with_places("[0,8]", "[8,16]") + "x", "its tensors need 16 bytes of values, got 17"}},
      "read_safetensors", io::read_safetensors);
}

TEST_CASE("what cannot be a file of tensors is refused with the reason that the system gives") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(
      io::read_safetensors(folder.file("none")),
      ("read_safetensors: " + folder.file("none") + ": No such file or directory").c_str(),
      IoError);
  CHECK_THROWS_WITH_AS(
      io::read_safetensors(folder.path()),
      ("read_safetensors: " + folder.path() + ": that is a directory; name a file in it").c_str(),
      IoError);
  CHECK_THROWS_WITH_AS(io::read_safetensors("/dev/null"),
                       "read_safetensors: /dev/null: that is no regular file, so it cannot be read "
                       "at any place; copy it into one",
                       IoError);
}

TEST_CASE("a safetensors header longer than the format allows is refused unread") {
  const Folder folder;
  const std::string path = folder.write("long", packed(std::uint64_t{100'000'001}) + "{");
  std::filesystem::resize_file(path, 100'000'009);
  CHECK_THROWS_WITH_AS(io::read_safetensors(path),
                       ("read_safetensors: " + path +
                        ": its header has 100000001 bytes; the format allows 100000000")
                           .c_str(),
                       IoError);
}

TEST_CASE("FILE-02: Header length larger than the file, enormous, or wrapping") {
  const testing::Case c = testing::this_case();
  for (const auto& file : c.json.at("expect").at("files_hex").items())
    CHECK_MESSAGE(words(testing::from_hex(file.value())) != "", file.key());
}

TEST_CASE("FILE-03: Shape times dtype size does not match data_offsets") {
  const testing::Case c = testing::this_case();
  for (const auto& file : c.json.at("expect").at("files_hex").items())
    CHECK_MESSAGE(words(testing::from_hex(file.value())).substr(0, 4) == "\"w\" ", file.key());
}

TEST_CASE("FILE-04: Truncated data section") {
  const testing::Case c = testing::this_case();
  const std::string cut = testing::from_hex(c.json.at("expect").at("file_hex"));
  CHECK(words(cut) == "its tensors need 36 bytes of values, got 31; it is cut off");
  const std::string whole = cut + packed(std::uint8_t{0x3e}, 8.0f);
  CHECK(words(whole) == "");
  for (std::size_t size = 0; size < whole.size(); ++size) CHECK(words(whole.substr(0, size)) != "");
}

TEST_CASE("FILE-05: Duplicate names in the header") {
  const testing::Case c = testing::this_case();
  CHECK(words(testing::from_hex(c.json.at("expect").at("file_hex"))) ==
        "it has the name \"w\" twice");
}
