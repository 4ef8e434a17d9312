#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/io/mingpt.h>

#include <map>

#include "../support/compare.h"
#include "../support/folder.h"
#include "../support/real_files.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::difference;

namespace {

io::MinGpt read(const std::string& bytes) {
  const Folder folder;
  return io::read_mingpt(folder.write("model.json", bytes));
}

std::string entry(const std::string& name, const std::string& shape, const std::string& dtype,
                  const std::string& data) {
  return ",\"" + name + R"(": {"data": ")" + data + R"(", "dtype": "torch.)" + dtype +
         R"(", "shape": )" + shape + "}";
}

}  // namespace

TEST_CASE("a minGPT file holds a config, and tensors by name in base64") {
  const io::MinGpt gpt = read(testing::small_mingpt());
  CHECK(gpt.config.model_type == "gpt-nano");
  CHECK(gpt.config.n_layer == 1);
  CHECK(gpt.config.n_head == 1);
  CHECK(gpt.config.n_embd == 2);
  CHECK(gpt.config.vocab_size == 3);
  CHECK(gpt.config.block_size == 4);
  CHECK(gpt.config.embd_pdrop == 0.1);
  CHECK(gpt.config.resid_pdrop == 0);
  CHECK(gpt.config.attn_pdrop == 0.25);
  REQUIRE(gpt.tensors.size() == 1);
  CHECK(gpt.tensors[0].first == "w");
  CHECK(difference(gpt.tensors[0].second, tensor({1.0, -2.0})) == "");
}

TEST_CASE("dtypes and lengths that need padding, or none, are read, in any order of the fields") {
  const io::MinGpt gpt =
      read("{" + testing::small_config + entry("d", "[1]", "float64", "mpmZmZmZuT8=") +
           entry("n", "[1, 1]", "int64", "/v////////8=") + entry("i", "[]", "int32", "/v///w==") +
           entry("s", "[2]", "int16", "/v8HAA==") + entry("u", "[3]", "uint8", "AAH/") +
           entry("t", "[2]", "bool", "AQA=") + entry("h", "[1]", "float16", "ADw=") +
           entry("f", "[1]", "bfloat16", "wL8=") + entry("none", "[0]", "float32", "") + " }\n");
  const std::map<std::string, Tensor> t(gpt.tensors.begin(), gpt.tensors.end());
  CHECK(difference(t.at("d"), tensor({0.1}, Float64)) == "");
  CHECK(difference(t.at("n"), tensor({{-2}})) == "");
  CHECK(difference(t.at("i"), tensor(-2)) == "");
  CHECK(difference(t.at("s"), tensor({-2, 7})) == "");
  CHECK(difference(t.at("u"), tensor({0, 1, 255})) == "");
  CHECK(difference(t.at("t"), tensor({true, false})) == "");
  CHECK(difference(t.at("h"), tensor({1.0})) == "");
  CHECK(difference(t.at("f"), tensor({-1.5})) == "");
  CHECK(difference(t.at("none"), zeros({0})) == "");
}

TEST_CASE("a config may have more than is asked for, but lists and objects") {
  const std::string more = R"("a":1.5,"b":-2,"c":true,"d":null,"e":"text",)";
  std::string file = testing::small_mingpt();
  CHECK(read(file.insert(file.find("\"n_layer\""), more)).config.n_layer == 1);
}

TEST_CASE("the trained sorter is read whole") {
  const std::string path = testing::real_file("gpt-nano-sort/model.json");
  if (path.empty()) return;
  const io::MinGpt gpt = io::read_mingpt(path);
  CHECK(gpt.config.model_type == "gpt-nano");
  CHECK(gpt.config.n_layer == 3);
  CHECK(gpt.config.n_head == 3);
  CHECK(gpt.config.n_embd == 48);
  CHECK(gpt.config.vocab_size == 3);
  CHECK(gpt.config.block_size == 11);
  CHECK(gpt.config.attn_pdrop == 0.1);
  Index count = 0;
  for (const auto& [name, x] : gpt.tensors) count += x.numel();
  CHECK(gpt.tensors.size() == 44);
  CHECK(count == 86091);
  // A last element and the sum, as numpy has them.
  const std::map<std::string, Tensor> t(gpt.tensors.begin(), gpt.tensors.end());
  const auto check = [&](const char* name, const Shape& shape, double last, double sum) {
    const Tensor x = t.at(name).to(Float64);
    CHECK(x.shape() == shape);
    CHECK(x.flatten().select(0, -1).item() == last);
    CHECK(x.sum().item() == doctest::Approx(sum).epsilon(1e-12));
  };
  CHECK(t.at("transformer.wte.weight").flatten().select(0, 0).item() == 0.05984091758728027);
  CHECK(t.at("transformer.wte.weight").to(Float64).sum().item() ==
        doctest::Approx(0.11897434333513957).epsilon(1e-12));
  check("transformer.h.1.mlp.c_fc.weight", {192, 48}, -0.017508214339613914, 1.3396709529642976);
  check("transformer.h.2.attn.c_attn.bias", {144}, 0.007482585962861776, 0.09763746234295922);
  check("lm_head.weight", {3, 48}, -0.2251800149679184, 0.29240013399976306);
}
