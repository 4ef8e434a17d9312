#include <nlohmann/json.hpp>

#include "process.h"

namespace {

Result trained(const std::string& what) {
  return run_tapehead("train " + what + " --d-model 8 --heads 2 --layers 1 --steps 2 --batch 2");
}

}  // namespace

TEST_CASE("every architecture learns what it can, with every optimiser and schedule") {
  for (const auto& [options, shown] :
       {std::pair{"copy --arch encoder --optimizer sgd",
                  "encoder: 1 layer of 2 heads, d_model 8, no mask"},
        std::pair{"sort --arch encdec --schedule noam --label-smoothing 0.1", "encdec: 1 layer"},
        std::pair{"reverse --arch gpt --optimizer muon --schedule linear", "gpt: 1 layer"},
        std::pair{"copy --arch llama --kv-heads 1 --d-ff 12 --optimizer adamw", "llama: 1 layer"},
        std::pair{"addition --arch decoder --positions alibi --schedule step", "causal, "},
        std::pair{"recall --arch decoder --positions rotary --accumulate 2", "decoder: 1 layer"},
        std::pair{"induction --arch decoder --positions learned --ema 0.9", "decoder: 1 layer"},
        std::pair{"brackets --arch llama --schedule constant --max-norm 0.5", "llama: 1 layer"},
        std::pair{"modular --arch gpt --symbols 7 --weight-decay 0.5", "gpt: 1 layer"},
        std::pair{"modular --arch encoder --symbols 7", "encoder: 1 layer"},
        std::pair{"recall --arch encdec --length 3", "encdec: 1 layer"},
        std::pair{"brackets --arch encoder", "encoder: 1 layer"}}) {
    const Result r = trained(options);
    const std::string asked = options;
    CAPTURE(asked);
    CAPTURE(r.err);
    CHECK(r.code == 0);
    CHECK(has(r.out, shown));
    CHECK(has(r.out, "held-out accuracy "));
  }
}

TEST_CASE("a causal model is asked a question and then writes the answer") {
  const Result r = run_tapehead(
      "train sort --arch gpt --length 3 --symbols 3 --steps 150 --d-model 16 --layers 1 --seed 1");
  CHECK(r.code == 0);
  CHECK(has(r.out, "\nheld-out accuracy 100.0 %"));
  const auto at = r.out.find("for example ") + 12;
  CHECK(r.out.substr(at + 3, 14) == " was answered ");
  CHECK(has(r.out, ": right\n"));
}

TEST_CASE("what an architecture or a task cannot have is refused before anything starts") {
  for (const auto& [arguments, message] :
       {std::pair{"addition --arch encoder",
                  "an encoder would see the answers of addition; choose decoder, gpt or llama"},
        std::pair{"induction --arch encdec",
                  "an encdec would see the answers of induction; choose decoder, gpt or llama"},
        std::pair{"names --file x --arch encoder",
                  "an encoder would see the answers of names; choose decoder, gpt or llama"},
        std::pair{"text --file x --arch encdec",
                  "an encdec would see the answers of text; choose decoder, gpt or llama"},
        std::pair{"copy --positions rotary",
                  "--positions is for --arch decoder, not for --arch encoder"},
        std::pair{"copy --arch gpt --kv-heads 2",
                  "--kv-heads is for --arch llama, not for --arch gpt"},
        std::pair{"copy --arch gpt --d-ff 2",
                  "--d-ff is for all but --arch gpt, not for it: it has 4 d_model"},
        std::pair{"copy --arch llama --kv-heads 3", "--kv-heads 3 must divide --heads 4"},
        std::pair{"copy --tokenizer bytes", "--tokenizer is for text, not for copy"},
        std::pair{"text --file x --tokens 300", "--tokens is for --tokenizer bpe, not for text"},
        std::pair{"names --file x --length 3", "--length is for toy tasks, not for names"},
        std::pair{"text --file x --tokenizer bpe",
                  "--tokenizer bpe needs a run folder, where it is kept; add --run DIR"}}) {
    const Result r = run_tapehead(std::string("train ") + arguments);
    const std::string given = arguments;
    CAPTURE(given);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(r.err == std::string("tapehead: ") + message + "\n");
  }
  CHECK(run_tapehead("train copy --length 1000").err ==
        "tapehead: copy: expected length from 1 to 512, got 1000; usual: 8\n");
  CHECK(run_tapehead("train copy --arch transfromer").err ==
        "tapehead: --arch: expected encoder, decoder, encdec, gpt or llama, got \"transfromer\" "
        "(see tapehead train --help)\n");
}

TEST_CASE("parameters that no gradient ever reached are told") {
  // A layer norm of one number leaves nothing of it.
  const Result r = run_tapehead("train copy --d-model 1 --heads 1 --steps 2 --batch 2");
  CHECK(r.code == 0);
  CHECK(r.err ==
        "tapehead: warning: no gradient ever reached embedding.weight, blocks.0.norm1.weight, "
        "blocks.0.norm1.bias, blocks.0.attn.W_q.weight and 14 more; nothing that the loss depends "
        "on goes through them\n");
}

TEST_CASE("what a training came to is told to programs on standard output, alone") {
  const Folder folder;
  const Result r = trained("copy --json");
  CHECK(r.code == 0);
  CHECK(lines(r.out) == 1);
  const auto json = nlohmann::json::parse(r.out);
  CHECK(json.at("task") == "copy");
  CHECK(json.at("arch") == "encoder");
  CHECK(json.at("steps") == 2);
  CHECK(json.at("questions") == 1000);
  CHECK(json.at("train_loss").get<double>() > 0);
  CHECK(has(r.err, "held-out accuracy "));
  CHECK(has(r.err, "step 2/2 "));
}

TEST_CASE("gradcheck and trace tell programs what they tell people") {
  const Result checked = run_tapehead("gradcheck softmax argmax --json");
  CHECK(checked.code == 0);
  const auto table = nlohmann::json::parse(checked.out);
  CHECK(table.at(0).at("name") == "argmax");  // as in the catalogue
  CHECK(table.at(0).at("differentiable") == false);
  CHECK(table.at(1).at("name") == "softmax");
  CHECK(table.at(1).at("ok") == true);
  CHECK(table.at(1).at("entries").get<int>() > 0);
  CHECK(table.at(1).at("worst_relative").get<double>() > 0);

  const Result traced = run_tapehead("trace --batch 2 --length 3 --d-model 8 --heads 4 --json");
  CHECK(traced.code == 0);
  const auto steps = nlohmann::json::parse(traced.out);
  CHECK(steps.size() == 4);
  const auto& ops = steps.at(0).at("ops");
  CHECK(steps.at(0).at("step") == "1. project, 2. split into heads");
  CHECK(ops.at(1).at("op") == "view");
  CHECK(ops.at(1).at("shape") == nlohmann::json{2, 3, 4, 2});
  CHECK(ops.at(2).at("arguments") == "1, 2");
  CHECK(ops.at(2).at("strides") == nlohmann::json{24, 2, 8, 1});
  CHECK(ops.at(2).at("contiguous") == false);
  CHECK(ops.at(2).at("shares_memory") == true);
  CHECK(ops.at(0).at("shares_memory") == false);
}
