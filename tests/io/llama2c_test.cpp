#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/io/llama2c.h>

#include <map>

#include "../support/compare.h"
#include "../support/folder.h"
#include "../support/real_files.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::difference;

namespace {

io::Llama2c read(const std::string& bytes) {
  const Folder folder;
  return io::read_llama2c(folder.write("x.bin", bytes));
}

// What the checkpoint of counting floats has at `begin`.
Tensor counted(Index begin, const Shape& shape) {
  return arange(begin, begin + core::numel(shape), 1, Float32).view(shape);
}

using Tensors = std::map<std::string, Tensor>;
Tensors by_name(const io::Llama2c& llama) { return {llama.tensors.begin(), llama.tensors.end()}; }

}  // namespace

TEST_CASE("the tensors of a legacy llama2.c checkpoint come layer by layer under Llama's names") {
  const io::Llama2c llama = read(testing::small_llama2c());
  CHECK(llama.config.dim == 4);
  CHECK(llama.config.hidden_dim == 6);
  CHECK(llama.config.n_layers == 2);
  CHECK(llama.config.n_heads == 2);
  CHECK(llama.config.n_kv_heads == 1);
  CHECK(llama.config.vocab_size == 5);
  CHECK(llama.config.seq_len == 3);
  CHECK(llama.config.shared_classifier);
  const Tensors t = by_name(llama);
  CHECK(t.size() == 1 + 2 * 9 + 2);
  const auto check = [&](const char* name, Index begin, const Shape& shape) {
    CHECK_MESSAGE(difference(t.at(name), counted(begin, shape)) == "", name);
  };
  check("tok_embeddings.weight", 0, {5, 4});
  check("layers.0.attention_norm.weight", 20, {4});
  check("layers.1.attention_norm.weight", 24, {4});
  check("layers.1.attention.wq.weight", 28 + 16, {4, 4});
  check("layers.0.attention.wk.weight", 60, {2, 4});
  check("layers.1.attention.wv.weight", 76 + 8, {2, 4});
  check("layers.0.attention.wo.weight", 92, {4, 4});
  check("layers.1.ffn_norm.weight", 124 + 4, {4});
  check("layers.0.feed_forward.w1.weight", 132, {6, 4});
  check("layers.1.feed_forward.w2.weight", 180 + 24, {4, 6});
  check("layers.0.feed_forward.w3.weight", 228, {6, 4});
  check("norm.weight", 276, {4});
  CHECK(t.at("output.weight").impl() == t.at("tok_embeddings.weight").impl());
}

TEST_CASE("a negative vocabulary size means a classifier of its own, behind the frequency tables") {
  const io::Llama2c llama = read(testing::small_llama2c(false));
  CHECK(llama.config.vocab_size == 5);
  CHECK_FALSE(llama.config.shared_classifier);
  CHECK(difference(by_name(llama).at("output.weight"), counted(280 + 6, {5, 4})) == "");
}

TEST_CASE("a llama2.c checkpoint of version 1 has its norms first and no frequency tables") {
  const io::Llama2c shared = read(testing::small_llama2c_1());
  CHECK(shared.config.shared_classifier);
  const Tensors t = by_name(shared);
  CHECK(difference(t.at("layers.1.attention_norm.weight"), counted(4, {4})) == "");
  CHECK(difference(t.at("layers.0.ffn_norm.weight"), counted(8, {4})) == "");
  CHECK(difference(t.at("norm.weight"), counted(16, {4})) == "");
  CHECK(difference(t.at("tok_embeddings.weight"), counted(20, {5, 4})) == "");
  CHECK(difference(t.at("layers.1.feed_forward.w3.weight"), counted(280 - 24, {6, 4})) == "");
  const io::Llama2c own = read(testing::small_llama2c_1(false));
  CHECK_FALSE(own.config.shared_classifier);
  CHECK(difference(by_name(own).at("output.weight"), counted(280, {5, 4})) == "");
}

TEST_CASE("a tokenizer's pieces come with their scores") {
  const Folder folder;
  const io::Llama2cTokenizer t =
      io::read_llama2c_tokenizer(folder.write("t.bin", testing::small_tokenizer()));
  CHECK(t.pieces == std::vector<std::string>{"<u>", "<s>", " ", "a", " a"});
  CHECK(t.scores == std::vector<float>{0, 0, 0, -1, -2.5f});
  CHECK(t.max_token_length == 3);
}

TEST_CASE("stories260K and its tokenizer are read whole") {
  const std::string path = testing::real_file("stories260K/stories260K.bin");
  if (path.empty()) return;
  const io::Llama2c llama = io::read_llama2c(path);
  CHECK(llama.config.dim == 64);
  CHECK(llama.config.hidden_dim == 172);
  CHECK(llama.config.n_layers == 5);
  CHECK(llama.config.n_heads == 8);
  CHECK(llama.config.n_kv_heads == 4);
  CHECK(llama.config.vocab_size == 512);
  CHECK(llama.config.seq_len == 512);
  CHECK(llama.config.shared_classifier);
  const Tensors t = by_name(llama);
  CHECK(t.size() == 48);
  // First, last and sum, as numpy has them.
  const auto check = [&](const char* name, const Shape& shape, double first, double last,
                         double sum) {
    const Tensor x = t.at(name).to(Float64);
    CHECK(x.shape() == shape);
    const Tensor flat = x.flatten();
    CHECK(flat.select(0, 0).item() == first);
    CHECK(flat.select(0, -1).item() == last);
    CHECK(x.sum().item() == doctest::Approx(sum).epsilon(1e-12));
  };
  check("tok_embeddings.weight", {512, 64}, -0.29474878311157227, -0.424032598733902,
        -752.3677446640068);
  check("layers.4.attention.wk.weight", {32, 64}, -0.025860849767923355, -0.2651301622390747,
        2.2722628523088133);
  check("layers.3.feed_forward.w2.weight", {64, 172}, -0.14322075247764587, -0.0631706714630127,
        -9.517077817885365);
  check("layers.0.attention.wo.weight", {64, 64}, 0.017344146966934204, 0.044654909521341324,
        3.87980757763944);
  check("norm.weight", {64}, 2.4583089351654053, 1.7077769041061401, 115.95276230573654);

  const io::Llama2cTokenizer tokenizer =
      io::read_llama2c_tokenizer(testing::real_file("stories260K/tok512.bin"));
  CHECK(tokenizer.pieces.size() == 512);
  CHECK(tokenizer.max_token_length == 7);
  CHECK(tokenizer.pieces[1] == "\n<s>\n");
  CHECK(tokenizer.pieces[3] == "<0x00>");
  CHECK(tokenizer.pieces[265] == " the");
  CHECK(tokenizer.scores[265] == -6);
  CHECK(tokenizer.pieces[511] == "\xe2\x80\x8a");
  CHECK(tokenizer.scores[511] == -252);
}
