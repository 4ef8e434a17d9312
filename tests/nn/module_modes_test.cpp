// The mode of every module there is.
#include <doctest/doctest.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/cross_entropy_loss.h>
#include <tapehead/nn/decoder_only.h>
#include <tapehead/nn/encoder_only.h>
#include <tapehead/nn/gpt.h>
#include <tapehead/nn/llama.h>
#include <tapehead/nn/sequential.h>
#include <tapehead/nn/transformer.h>

#include <filesystem>

#include "../support/declared.h"

using namespace tapehead;
using namespace tapehead::nn;

namespace {

// The types of all modules in it, each of which goes along with train() and eval().
std::set<std::string> types_in(Module& module) {
  std::set<std::string> types;
  for (const bool training : {false, true}) {
    module.train(training);
    for (const auto& part : module.named_modules()) {
      CHECK_MESSAGE(part.second->is_training() == training, part.first);
      const std::string type = part.second->type_name();
      types.insert(type.substr(0, type.find('<')));
    }
  }
  return types;
}

}  // namespace

TEST_CASE("eval() and train() reach every module that is nested in one of any type") {
  Sequential parts;
  parts.emplace_back<ReLU>();
  EncoderOnly encoder({.vocabulary = 3, .context = 2});
  DecoderOnly decoder({.vocabulary = 3, .context = 2, .positions = Positions::Learned});
  Transformer transformer({.source_vocabulary = 3,
                           .target_vocabulary = 3,
                           .context = 2,
                           .d_model = 4,
                           .heads = 2,
                           .layers = 1,
                           .d_ff = 3});
  GPT gpt({.vocabulary = 3, .context = 2, .d_model = 4, .heads = 2, .layers = 1});
  Llama llama({.vocabulary = 3,
               .context = 2,
               .d_model = 4,
               .heads = 2,
               .kv_heads = 1,
               .layers = 1,
               .d_ff = 3});
  CrossAttention cross(4, 2, 3, 3);
  CrossEntropyLoss loss;
  std::set<std::string> seen;
  for (Module* const module : std::initializer_list<Module*>{
           &parts, &encoder, &decoder, &transformer, &gpt, &llama, &cross, &loss})
    seen.merge(types_in(*module));

  std::set<std::string> all;
  for (const auto& file : std::filesystem::directory_iterator(TAPEHEAD_TESTS_DIR "/../nn"))
    if (file.path().extension() == ".h")
      all.merge(testing::declared("nn/" + file.path().filename().string(),
                                  "\n(?:class|struct) (\\w+) : (?:public )?Layer<"));
  CHECK(all.size() > 25);
  for (const std::string& type : all) CHECK_MESSAGE(seen.count(type) == 1, type);
}
