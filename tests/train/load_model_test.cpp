#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/data/text_file.h>
#include <tapehead/io/tensor_file.h>
#include <tapehead/train/evaluate.h>
#include <tapehead/train/load_model.h>
#include <tapehead/train/run_folder.h>

#include "../support/folder.h"
#include "../support/peak_memory.h"
#include "../support/real_files.h"
#include "../support/refusals.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using train::Arch;
using train::ModelOptions;
using train::SequenceModel;

namespace {

ModelOptions small_of(Arch arch) {
  return {.vocabulary = 5,
          .context = 6,
          .d_model = 8,
          .heads = 2,
          .layers = 2,
          .d_ff = 24,
          .dropout = 0.1,
          .arch = arch};
}

data::Batch batch() { return {tensor({{1, 2, 3, 0}}), tensor({{2, 3, 0, 4}})}; }

Tensor answer(SequenceModel& model) {
  const train::Evaluating evaluating(model);
  return model.logits(batch());
}

std::string save(const Folder& folder, const SequenceModel& model, io::Metadata more = {}) {
  more.merge(train::model_words(model.options));
  io::save_safetensors(folder.file("w.safetensors"), model.state_dict(), more);
  return folder.file("w.safetensors");
}

}  // namespace

TEST_CASE("a model of every architecture comes back from its weights alone") {
  for (const std::string& arch : train::arch_names()) {
    CAPTURE(arch);
    const Folder folder;
    SequenceModel model(small_of(train::arch_of(arch)));
    const train::LoadedModel loaded = train::load_model(save(folder, model, {{"task", "copy"}}));
    CHECK(loaded.weights == folder.file("w.safetensors"));
    CHECK(loaded.words.at("task") == "copy");
    CHECK_FALSE(loaded.model->is_training());
    CHECK(loaded.model->options.dropout == 0.1);
    CHECK(equal(answer(*loaded.model), answer(model)));
  }
}

TEST_CASE("what is special to an architecture comes back too") {
  const Folder folder;
  ModelOptions llama = small_of(Arch::llama), decoder = small_of(Arch::decoder),
               gpt = small_of(Arch::gpt);
  llama.kv_heads = 1, llama.eps = 0.1 + 1e-17, llama.base = 500.1, llama.tied = false;
  decoder.positions = nn::Positions::ALiBi;
  gpt.tied = false;
  for (const ModelOptions& options : {llama, decoder, gpt}) {
    SequenceModel model(options);
    const train::LoadedModel loaded = train::load_model(save(folder, model));
    const ModelOptions& got = loaded.model->options;
    CHECK(got.kv_heads == model.options.kv_heads);
    CHECK(got.eps == options.eps);
    CHECK(got.base == options.base);
    CHECK(got.tied == options.tied);
    CHECK(got.positions == options.positions);
    CHECK(equal(answer(*loaded.model), answer(model)));
  }
}

TEST_CASE("models of others are opened, and stay models as safetensors") {
  const std::string gpt = testing::real_file("gpt-nano-sort/model.json");
  const std::string llama = testing::real_file("stories260K/stories260K.bin");
  if (gpt.empty() || llama.empty()) return;
  const Folder folder;
  for (const std::string& path : {gpt, llama}) {
    const train::LoadedModel theirs = train::load_model(path);
    io::save_safetensors(folder.file("w"), io::read_tensors(path),
                         train::model_words(theirs.model->options));
    const train::LoadedModel ours = train::load_model(folder.file("w"));
    const Tensor tokens = tensor({{1, 2, 0, 1}});
    CHECK(equal((*ours.model)(tokens), (*theirs.model)(tokens)));
  }
}

TEST_CASE("of a run's weights the final ones are taken, else the best, else the checkpoint's") {
  const Folder folder;
  const std::string path = folder.file("run");
  const train::RunFolder run = train::RunFolder::create(path, "");
  CHECK_THROWS_WITH_AS(train::load_model(path),
                       ("load_model: " + path + " has no weights yet; resume the run").c_str(),
                       IoError);
  SequenceModel model(small_of(Arch::gpt));
  train::Trainer trainer(model, {.steps = 4, .lr = 1e-2});
  train::Batches batches =
      train::drawn(core::Generator(0), [](core::Generator&) { return batch(); });
  Index stop_after = 2;
  const train::RunOptions options{
      .evaluate_every = 3,
      .held_out = [&] { return train::score_tokens(model, {batch()}); },
      .report = [&](const train::Progress& p) { return p.step < stop_after; },
      .weights_metadata =
          [&] {
            io::Metadata words = io::as_pytorch;
            words.merge(train::model_words(model.options));
            return words;
          }()};
  train::run(run, trainer, batches, options);
  train::LoadedModel loaded = train::load_model(path);
  CHECK(loaded.weights == run.checkpoint());
  CHECK(equal(answer(*loaded.model), answer(model)));
  stop_after = 3;
  train::run(run, trainer, batches, options);
  CHECK(train::load_model(path).weights == run.best());
  stop_after = 5;
  train::run(run, trainer, batches, options);
  loaded = train::load_model(path);
  CHECK(loaded.weights == run.final_weights());
  CHECK(equal(answer(*loaded.model), answer(model)));
  CHECK_THROWS_WITH_AS(
      train::load_model(folder.path()),
      ("RunFolder: " + folder.path() + " holds no run: it has no config.ini").c_str(), IoError);
}

TEST_CASE("weights that do not say of what model are refused, and words that make none") {
  const Folder folder;
  const std::string bare = folder.write("w.npy", testing::small_npy());
  CHECK_THROWS_WITH_AS(
      train::load_model(bare),
      ("load_model: " + bare +
       ": it has weights, but does not say of what model; choose a run folder, weights that "
       "tapehead trained, minGPT's JSON or llama2.c's checkpoint")
          .c_str(),
      IoError);
  const SequenceModel model(small_of(Arch::llama));
  const std::string opening = "load_model: " + folder.file("w.safetensors") + ": ";
  const auto check_refused = [&](const char* key, const char* value, const std::string& why) {
    CAPTURE(key);
    io::Metadata words = train::model_words(model.options);
    words[key] = value;
    if (*value == '\0') words.erase(key);
    io::save_safetensors(folder.file("w.safetensors"), model.state_dict(), words);
    CHECK_THROWS_WITH_AS(train::load_model(folder.file("w.safetensors")), (opening + why).c_str(),
                         IoError);
  };
  check_refused("heads", "", "it does not say \"heads\" among its metadata");
  check_refused("heads", "two", "its heads is \"two\", expected a number");
  check_refused("heads", "2.5", "its heads is \"2.5\", expected a number");
  check_refused("eps", "1e", "its eps is \"1e\", expected a number");
  check_refused("heads", "0", "its sizes must be from 1 to 1073741824, got 0");
  check_refused("context", "9999999999", "its sizes must be from 1 to 1073741824, got 9999999999");
  check_refused("layers", "-1", "its layers must be from 0 to 16384, got -1");
  check_refused("d_model", "1000000", "its sizes need 4000101000000 numbers or more, got 1784");
  check_refused("arch", "rnn",
                "arch_of: expected encoder, decoder, encdec, gpt or llama, got \"rnn\"");
}

TEST_CASE("a context that the weights do not bear out is refused before it costs memory") {
  const std::string table = std::to_string(Index{16777216} * 8);
  const auto check_refused = [&](ModelOptions options, const std::string& why) {
    CAPTURE(train::name(options.arch));
    const Folder folder;
    const SequenceModel model(options);
    const std::string path = save(folder, model);
    io::Metadata words = train::model_words(model.options);
    words["context"] = "16777216";
    io::save_safetensors(path, model.state_dict(), words);
    testing::check_bad(train::name(options.arch), data::read_text_file("test", path),
                       train::load_model);
    Index held = 0;
    for (const auto& [name, weight] : model.state_dict()) held += weight.numel();
    std::string expected = "load_model: " + path + ": " + why;
    expected.replace(expected.find("HELD"), 4, std::to_string(held));
    if (const auto most = expected.find("MOST"); most != std::string::npos)
      expected.replace(most, 4, std::to_string(held + (1 << 21)));
    CHECK_THROWS_WITH_AS(train::load_model(path), expected.c_str(), IoError);
  };
  const std::string sines = "the sines of its context need " + table +
                            " numbers, expected at most MOST beside weights of HELD";
  check_refused(small_of(Arch::encoder), sines);
  check_refused(small_of(Arch::decoder), sines);
  check_refused(small_of(Arch::encdec), sines);
  ModelOptions learned = small_of(Arch::decoder);
  learned.positions = nn::Positions::Learned;
  const std::string weights = "its sizes need 134218792 numbers or more, got HELD";
  check_refused(learned, weights);
  check_refused(small_of(Arch::gpt), "its sizes need 134219048 numbers or more, got HELD");
}

TEST_CASE("a context that costs nothing may be as long as one likes") {
  ModelOptions rotary = small_of(Arch::decoder), alibi = rotary;
  rotary.positions = nn::Positions::Rotary, alibi.positions = nn::Positions::ALiBi;
  for (ModelOptions options : {small_of(Arch::llama), rotary, alibi}) {
    options.context = 1 << 30;
    const Folder folder;
    SequenceModel model(options);
    const std::string path = save(folder, model);
    std::unique_ptr<SequenceModel> loaded;
    testing::check_good("a long context", data::read_text_file("test", path), 0,
                        [&](const std::string& file) {
                          loaded = train::load_model(file).model;
                          return 0;
                        });
    loaded = train::load_model(path).model;
    CHECK(loaded->options.context == 1 << 30);
    CHECK(equal(answer(*loaded), answer(model)));
  }
}
