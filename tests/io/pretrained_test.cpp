#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/io/mingpt.h>
#include <tapehead/io/pretrained.h>

#include <cmath>
#include <map>

#include "../support/compare.h"
#include "../support/folder.h"
#include "../support/real_files.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using nn::Module;
using nn::Tensors;
using testing::difference;

namespace {

// What went into the modules of a model and what came out of them.
class Recorder {
 public:
  explicit Recorder(Module& model) {
    for (const auto& [path, module] : model.named_modules()) {
      const std::string name = path;
      module->register_forward_hook([this, name](Module&, const Tensors& in, const Tensors& out) {
        if (!in.empty()) inputs_[name] = in[0];
        outputs_[name] = out[0];
      });
    }
  }
  const Tensor& into(const std::string& path) const { return inputs_.at("transformer." + path); }
  const Tensor& out_of(const std::string& path) const { return outputs_.at("transformer." + path); }

 private:
  std::map<std::string, Tensor> inputs_, outputs_;
};

// Every sequence of six of three symbols, as rows.
Tensor all_sequences() {
  std::vector<Index> symbols;
  for (Index number = 0; number < 729; ++number)
    for (Index i = 0, rest = number; i < 6; ++i, rest /= 3) symbols.push_back(rest % 3);
  return tensor(symbols, {729, 6});
}

}  // namespace

TEST_CASE("our GPT computes each activation that was recorded of the trained sorter") {
  const std::string path = testing::real_file("gpt-nano-sort/model.json");
  const std::string recorded = testing::real_file("gpt-nano-sort/activations.json");
  if (path.empty() || recorded.empty()) return;
  std::map<std::string, Tensor> want;
  for (const auto& [name, tensor] : io::read_mingpt(recorded).tensors) want.emplace(name, tensor);
  const Tensor tokens = want.at("idx").to(Int64);
  want.erase("idx");

  const auto model = io::load_gpt(path);
  CHECK_FALSE(model->is_training());
  model->transformer.h[0].attn.keep_weights(true);
  const Recorder seen(*model);
  const Tensor logits = (*model)(tokens);
  const Tensor qkv = seen.out_of("h.0.attn.c_attn");
  const auto heads = [&](Index part) { return nn::split_heads(qkv.narrow(2, 48 * part, 48), 3); };
  const Tensor scores = (matmul(heads(0), heads(1).mT()) / 4)
                            .masked_fill(logical_not(nn::causal_mask(11)), -INFINITY);
  const std::map<std::string, Tensor> got{
      {"tok_emb", seen.out_of("wte")},
      {"pos_emb", seen.out_of("wpe").unsqueeze(0)},
      {"x", seen.out_of("drop")},
      {"ln1", seen.out_of("h.0.ln_1")},
      {"q", heads(0)},
      {"k", heads(1)},
      {"v", heads(2)},
      {"qkv", qkv},
      {"att", scores},
      {"attSm", model->transformer.h[0].attn.attention_weights()},
      {"y", seen.into("h.0.attn.c_proj")},
      {"yProj", seen.out_of("h.0.attn.c_proj")},
      {"attnResid", seen.into("h.0.ln_2")},
      {"ln2", seen.out_of("h.0.ln_2")},
      {"fc", seen.out_of("h.0.mlp.c_fc")},
      {"gelu", seen.out_of("h.0.mlp.gelu")},
      {"mlp", seen.out_of("h.0.mlp")},
      {"mlpResid", seen.out_of("h.0")},
      {"block0", seen.out_of("h.0")},
      {"block1", seen.out_of("h.1")},
      {"block2", seen.out_of("h.2")},
      {"ln_f", seen.out_of("ln_f")},
      {"lm_head", logits},
      {"probs", softmax(logits, -1)}};
  CHECK(got.size() == 24);
  CHECK(want.size() == 24);
  for (const auto& one : got) {
    const std::string& name = one.first;
    const bool later = name == "block1" || name == "block2" || name == "ln_f" ||
                       name == "lm_head" || name == "probs";
    CHECK_MESSAGE(difference(one.second, want.at(name), {.atol = later ? 5e-6 : 2e-6}) == "", name);
  }
}

TEST_CASE("the trained sorter sorts 729 of 729 sequences") {
  const std::string path = testing::real_file("gpt-nano-sort/model.json");
  if (path.empty()) return;
  const auto model = io::load_gpt(path);
  const NoGradGuard no_grad;
  const Tensor sequences = all_sequences();
  nn::KVCache cache;
  Tensor logits = (*model)(sequences, &cache);
  std::vector<Tensor> answers;
  for (int i = 0; i < 6; ++i) {
    answers.push_back(argmax(logits.select(1, -1), -1, true));  // (729, 1)
    if (i < 5) logits = (*model)(answers.back(), &cache);
  }
  const Tensor right = all(cat(answers, 1) == sort(sequences, 1).values, 1);
  CHECK(right.sum().item<Index>() == 729);
}

TEST_CASE("a trained Llama is built of its sizes, and its cache changes nothing") {
  const std::string path = testing::real_file("stories260K/stories260K.bin");
  if (path.empty()) return;
  const auto model = io::load_llama(path);
  CHECK(model->options.d_model == 64);
  CHECK(model->options.kv_heads == 4);
  CHECK(model->options.tied);
  CHECK(model->num_parameters() == 260032);
  const NoGradGuard no_grad;
  const Tensor tokens = tensor({{1, 403, 407, 261, 378}});
  const Tensor whole = (*model)(tokens);
  nn::KVCache cache;
  (*model)(tokens.narrow(1, 0, 4), &cache);
  CHECK(difference((*model)(tokens.narrow(1, 4, 1), &cache), whole.narrow(1, 4, 1),
                   {.atol = 1e-5}) == "");
}

TEST_CASE("a file whose tensors are not a GPT's is refused, whatever sizes it claims") {
  const Folder folder;
  const std::string path = folder.write("model.json", testing::small_mingpt());
  CHECK_THROWS_WITH_AS(
      io::load_gpt(path),
      ("load_gpt: " + path + ": by its config it must have transformer.wte.weight (3, 2)").c_str(),
      IoError);
  std::string huge = testing::small_mingpt();
  const std::string size = "\"n_embd\"";
  const std::size_t at = huge.find(size) + size.size();
  huge.replace(huge.find_first_of("0123456789", at), 1, "1000000000");
  const std::string lying = folder.write("huge.json", huge);
  CHECK_THROWS_WITH_AS(
      io::load_gpt(lying),
      ("load_gpt: " + lying + ": by its config it must have transformer.wte.weight (3, 1000000000)")
          .c_str(),
      IoError);
}

TEST_CASE("a file that lacks some of a GPT's tensors is refused with their names") {
  const auto zero = [](const std::string& name, Index rows) {  // (rows, 2), in base64
    const auto bytes = static_cast<std::size_t>(rows * 2 * 4);
    const std::string shape = std::to_string(rows) + ",2";
    std::string data((bytes + 2) / 3 * 4, 'A');
    std::fill_n(data.rbegin(), (3 - bytes % 3) % 3, '=');
    return ",\"" + name + R"(":{"dtype":"torch.float32","shape":[)" + shape + R"(],"data":")" +
           data + "\"}";
  };
  const Folder folder;
  const std::string path =
      folder.write("model.json", "{" + testing::small_config + zero("transformer.wte.weight", 3) +
                                     zero("transformer.wpe.weight", 4) +
                                     zero("transformer.h.0.mlp.c_fc.weight", 8) +
                                     zero("lm_head.weight", 3) + "}");
  CHECK_THROWS_WITH_AS(
      io::load_gpt(path),
      ("load_gpt: " + path +
       ": load_state_dict: the names and shapes must be those of this GPT; missing: "
       "transformer.h.0.ln_1.weight, transformer.h.0.ln_1.bias, "
       "transformer.h.0.attn.c_attn.weight, transformer.h.0.attn.c_attn.bias, "
       "transformer.h.0.attn.c_proj.weight, transformer.h.0.attn.c_proj.bias, "
       "transformer.h.0.ln_2.weight, transformer.h.0.ln_2.bias, and 5 more; nothing was loaded")
          .c_str(),
      IoError);
}
