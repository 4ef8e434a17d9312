#include <doctest/doctest.h>
#include <tapehead/io/mingpt.h>

#include "../support/refusals.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::small_config;

namespace {

std::string with(const std::string& entries) { return "{" + small_config + "," + entries + "}"; }
std::string with_fields(const std::string& fields) { return with("\"w\":{" + fields + "}"); }
std::string with_data(const std::string& data) {
  return with_fields(R"("shape":[2],"dtype":"torch.float32","data":")" + data + "\"");
}
// The small config with one of its values changed.
std::string with_config(const std::string& from, const std::string& to) {
  std::string file = testing::small_mingpt();
  return file.replace(file.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a minGPT file that is not the JSON it should be is refused") {
  const std::string nested(100000, '[');
  testing::check_refusals(
      {{"", "it does not begin with {, as the JSON of a model does"},
       {"[]", "it does not begin with {, as the JSON of a model does"},
       {"{", "byte 0: not JSON after \"{\""},
       {"{}", "it has no \"config\""},
       {with("\"w\":" + nested), "byte 162: expected an object for \"w\", got a list"},
       {with("\"w\":1"), "byte 162: expected an object for \"w\", got a number"},
       {with("\"config\":{}"), "it has the name \"config\" twice"},
       {with("\"w\":{\"data\":[]}"), "byte 170: expected a string as data of \"w\", got a list"},
       {with("\"w\":{\"shape\":{}}"),
        "byte 171: expected a list of sizes as shape of \"w\", got an object"},
       {with("\"w\":{\"shape\":[0.5]}"),
        "byte 175: expected a size of \"w\", got a fraction, or more than 64 bits"},
       {with("\"w\":{\"shape\":[-1]}"),
        "byte 174: expected a size of \"w\", got a negative number"},
       {with("\"w\":{\"shape\":[1,1,1,1,1,1,1,1,1]}"), "\"w\" has more than 8 dimensions"},
       {with("\"w\":{\"shape\":[2,\xff]}"), "byte 174: not JSON after \"2,\\xff\""},
       {testing::small_mingpt() + "}", "byte 221: not JSON after \"\\\"AACAPwAAAMA=\\\"}}}\""},
       {with("\"\xff\":{}"), "byte 159: text that is not UTF-8"}},
      "read_mingpt", io::read_mingpt);
}

TEST_CASE("a minGPT file with more names than are kept track of is refused") {
  const auto many = [](int count, const std::string& value) {
    std::string list;
    for (int i = 0; i < count; ++i)
      list += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + value;
    return list;
  };
  const std::string empty = R"({"shape":[0],"dtype":"torch.float32","data":""})";
  testing::check_refusals(
      {{with(many(16385, empty)), "it has more than 16384 tensors"},
       {"{\"config\":{" + many(16385, "1") + "}}", "its \"config\" has more than 16384 keys"},
       {with(many(16384, empty)), ""}},
      "read_mingpt", io::read_mingpt);
}

TEST_CASE("a minGPT config that is not one of a model is refused") {
  testing::check_refusals(
      {{with_config("\"n_layer\":1,", ""), "its \"config\" has no n_layer"},
       {with_config("\"n_layer\":1", "\"n_layer\":0"),
        "n_layer of \"config\" must be a whole number from 1 to 2147483647, got 0"},
       {with_config("\"n_head\":1", "\"n_head\":-1"),
        "n_head of \"config\" must be a whole number from 1 to 2147483647, got -1"},
       {with_config("\"n_embd\":2", "\"n_embd\":2.5"),
        "n_embd of \"config\" must be a whole number from 1 to 2147483647, got 2.5"},
       {with_config("\"vocab_size\":3", "\"vocab_size\":3000000000"),
        "vocab_size of \"config\" must be a whole number from 1 to 2147483647, got 3e+09"},
       {with_config("\"block_size\":4", "\"block_size\":\"4\""),
        "byte 100: expected a number, or a word, for \"block_size\" of \"config\", got a string"},
       {with_config("\"block_size\":4", "\"block_size\":null"),
        "byte 101: expected a number, or a word, for \"block_size\" of \"config\", got null"},
       {with_config("\"gpt-nano\"", "1"),
        "byte 26: expected a number, or a word, for \"model_type\" of \"config\", got a number"},
       {with_config("\"gpt-nano\"", "true"),
        "byte 28: expected a number, or a word, for \"model_type\" of \"config\", got true or "
        "false"},
       {with_config("\"embd_pdrop\":0.1", "\"embd_pdrop\":1"),
        "embd_pdrop of \"config\" must be at least 0 and below 1, got 1"},
       {with_config("\"B\":3", "\"B\":{}"),
        "byte 155: expected a number, or a word, for \"B\" of \"config\", got an object"},
       {with_config("\"B\":3", "\"B\":[]"),
        "byte 155: expected a number, or a word, for \"B\" of \"config\", got a list"},
       {with_config("\"B\":3", "\"n_head\":1"), "\"config\" has \"n_head\" twice"}},
      "read_mingpt", io::read_mingpt);
}

TEST_CASE("a minGPT tensor that contradicts itself is refused, by name") {
  testing::check_refusals(
      {{with_fields(R"("dtype":"torch.float32","data":"AACAPwAAAMA=")"), "\"w\": it has no shape"},
       {with_fields(R"("shape":[2],"data":"AACAPwAAAMA=")"), "\"w\": it has no dtype"},
       {with_fields(R"("shape":[2],"dtype":"torch.float32")"), "\"w\": it has no data"},
       {with_fields(R"("shape":[2],"shape":[2])"), "\"w\" has \"shape\" twice"},
       {with_fields(R"("dtype":"x","dtype":"x")"), "\"w\" has \"dtype\" twice"},
       {with_fields(R"("data":"","data":"")"), "\"w\" has \"data\" twice"},
       {with_fields(R"("stride":[1])"),
        "\"w\" has a field \"stride\"; it should have shape, dtype and data alone"},
       {with_fields(R"("shape":[2],"dtype":"float32","data":"AACAPwAAAMA=")"),
        "\"w\": dtype \"float32\" is not read; convert it to torch.float32"},
       {with_fields(R"("shape":[3],"dtype":"torch.float32","data":"AACAPwAAAMA=")"),
        "\"w\": shape (3) of torch.float32 needs 12 bytes, got 12 characters of base64, which are "
        "up to 9"},
       {with_fields(R"("shape":[18446744073709551615],"dtype":"torch.float32","data":"")"),
        "\"w\": its shape has more elements than 64 bits can count: dimension 0 is "
        "18446744073709551615"},
       {with_fields(R"("shape":[4611686018427387904],"dtype":"torch.float32","data":"")"),
        "\"w\": shape (4611686018427387904) of torch.float32 needs 18446744073709551615 bytes, got "
        "0 characters of base64, which are up to 0"},
       {with_data("AACAPwAAAMA"),
        "\"w\": shape (2) of torch.float32 needs 8 bytes, got 11 characters of base64, which are "
        "up to 6"},
       {with_data("AACAPwAAAM=="), "\"w\": byte 216: \"=\" is not base64"},
       {with_data("AACAPwAAAMAA"), "\"w\": byte 217: \"A\" where padding (=) should be"},
       {with_data("AACAPw-AAMA="), "\"w\": byte 212: \"-\" is not base64"},
       {with_data("AACA\\/AAAMA="), "\"w\": byte 210: \"\\\\\" is not base64"},
       {with(R"("a":{"shape":[0],"dtype":"torch.bool","data":"" },"a":{})"),
        "it has the name \"a\" twice"}},
      "read_mingpt", io::read_mingpt);
}
