#include <doctest/doctest.h>
#include <tapehead/io/checksum.h>
#include <tapehead/train/run_folder.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "../support/folder.h"
#include "child.h"
#include "small_run.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::SmallRun;
using testing::variable;
using Names = std::vector<std::string>;

namespace {

constexpr Index half = 10;  // in the middle of the second epoch, of 7 batches

FitOptions options_of(const std::string& optimizer) {
  FitOptions options{.steps = 2 * half, .lr = 0.01, .warmup = 4, .optimizer = optimizer};
  if (optimizer == "muon") options.ema = 0.9, options.accumulate = 2;
  return options;
}

// Until `stop` steps are done.
Progress train_until(Index stop, const RunFolder& folder, SmallRun& run) {
  return train::run(folder, run.trainer, run.batches,
                    {.log_every = 3,
                     .evaluate_every = 4,
                     .save_every = 6,
                     .held_out = [&] { return run.held_out(); },
                     .report = [&](const Progress& p) { return p.step < stop; }});
}

}  // namespace

TEST_CASE("child: trains in a folder, from where that is" * doctest::skip()) {
  if (variable("TAPEHEAD_CHILD").empty()) return;
  SmallRun run(options_of(variable("OPTIMIZER")));
  const RunFolder folder = RunFolder::open(variable("FOLDER"));
  resume(folder, run.trainer, run.batches);
  train_until(std::stoi(variable("STOP")), folder, run);
}

TEST_CASE("N steps, a new process and N steps are 2 N steps, bit for bit, log included") {
  for (const std::string optimizer : {"adam", "adamw", "sgd", "muon"}) {
    CAPTURE(optimizer);
    const Folder parent;
    const auto train = [&](const std::string& folder, Index stop) {
      return testing::run_child(
          "child: trains in a folder*",
          core::to_text("OPTIMIZER=", optimizer, " STOP=", stop, " FOLDER='", folder, "'"));
    };
    const std::string whole = parent.file("in one go"), parts = parent.file("in two");
    RunFolder::create(whole, "x");
    RunFolder::create(parts, "x");
    CHECK(train(whole, 2 * half) == 0);
    CHECK(train(parts, half) == 0);
    CHECK_FALSE(std::filesystem::exists(parts + "/final.safetensors"));
    CHECK(train(parts, 2 * half) == 0);
    for (const std::string file : {"checkpoint.safetensors", "final.safetensors",
                                   "best.safetensors", "log.jsonl", "config.ini"}) {
      CAPTURE(file);
      CHECK_FALSE(parent.read("in one go/" + file).empty());
      CHECK(parent.read("in two/" + file) == parent.read("in one go/" + file));
    }
  }
}

TEST_CASE("a run that goes on from an earlier checkpoint writes the same log") {
  const Folder parent;
  const auto folder = [&](const char* name) { return RunFolder::create(parent.file(name), "x"); };
  const RunFolder whole = folder("whole"), killed = folder("killed");
  SmallRun run(options_of("adam"));
  train_until(2 * half, whole, run);
  const std::string log = parent.read("whole/log.jsonl");

  {
    SmallRun first(options_of("adam"));
    train_until(6, killed, first);
    const std::string checkpoint = parent.read("killed/checkpoint.safetensors");
    train_until(11, killed, first);  // and is killed before it is saved
    parent.write("killed/checkpoint.safetensors", checkpoint);
    parent.write("killed/log.jsonl", parent.read("killed/log.jsonl") + "{\"step\":12,\"lo");
    parent.write("killed/tapehead-1-0.tmp", "half");
  }
  SmallRun second(options_of("adam"));
  const RunFolder again = RunFolder::open(killed.path());
  CHECK_FALSE(std::filesystem::exists(killed.path() + "/tapehead-1-0.tmp"));
  CHECK(resume(again, second.trainer, second.batches) == 6);
  train_until(2 * half, again, second);
  CHECK(parent.read("killed/log.jsonl") == log);
  CHECK(parent.read("killed/best.safetensors") == parent.read("whole/best.safetensors"));
}

TEST_CASE("the log has an object a line, and says nothing of time") {
  const Folder parent;
  const RunFolder folder = RunFolder::create(parent.file("run"), "steps=20\n");
  CHECK(folder.config() == "steps=20\n");
  SmallRun run(options_of("adam"));
  const Progress last = train_until(2 * half, folder, run);
  CHECK(last.step == 20);
  std::istringstream log(parent.read("run/log.jsonl"));
  std::string steps;
  double best = 1e9, accuracy = -1;
  for (std::string line; std::getline(log, line);) {
    const auto json = nlohmann::ordered_json::parse(line);
    Names keys;
    for (const auto& entry : json.items()) keys.push_back(entry.key());
    const bool held_out = json.contains("held_out_loss");
    CHECK(keys == (held_out ? Names{"step", "held_out_loss", "held_out_accuracy"}
                            : Names{"step", "loss", "accuracy", "lr", "grad_norm"}));
    steps += std::to_string(json.at("step").get<Index>()) + (held_out ? "h " : " ");
    if (!held_out) continue;
    best = std::min(best, json.at("held_out_loss").get<double>());
    accuracy = json.at("held_out_accuracy");
  }
  CHECK(steps == "3 4h 6 8h 9 12 12h 15 16h 18 20 20h ");
  CHECK(run.trainer.stopping().best == best);
  CHECK(accuracy == run.held_out().accuracy);
  CHECK(io::read_safetensors(folder.final_weights()).tensors.size() ==
        run.model.state_dict().size());
}

TEST_CASE("after early stopping the weights are the best again, also when it is resumed") {
  for (const double ema : {0.0, 0.5}) {
    CAPTURE(ema);
    const Folder parent;
    const RunFolder folder = RunFolder::create(parent.file("run"), "x");
    const FitOptions options{
        .steps = 40, .lr = 3, .schedule = "constant", .ema = ema, .patience = 3};
    const auto same = [](const NamedTensors& a, const NamedTensors& b) {
      return io::checksum(a, {}) == io::checksum(b, {});
    };
    const auto model_in = [](const NamedTensors& checkpoint) {
      NamedTensors model;
      for (const auto& [name, weight] : checkpoint)
        if (name.starts_with("model.")) model.emplace_back(name.substr(6), weight);
      return model;
    };
    SmallRun run(options);
    const RunOptions every_step{.evaluate_every = 1, .held_out = [&] { return run.held_out(); }};
    const Progress end = train::run(folder, run.trainer, run.batches, every_step);
    CHECK(end.step < 40);
    const NamedTensors best = io::read_safetensors(folder.best()).tensors;
    CHECK(same(run.model.state_dict(), best));
    {
      const Trainer::Averaged averaged(run.trainer);
      CHECK(same(run.model.state_dict(), best));
    }
    const std::string final_weights = parent.read("run/final.safetensors");
    CHECK(final_weights == parent.read("run/best.safetensors"));
    CHECK(run.held_out().loss == run.trainer.stopping().best);
    // What it would go on from is where it was.
    const NamedTensors last = model_in(io::read_checked(folder.checkpoint()).tensors);
    CHECK(last.size() == best.size());
    CHECK_FALSE(same(last, best));

    std::filesystem::remove(folder.final_weights());
    SmallRun again(options);
    CHECK(resume(folder, again.trainer, again.batches) == end.step);
    train::run(folder, again.trainer, again.batches,
               {.evaluate_every = 1, .held_out = [&] { return again.held_out(); }});
    CHECK(again.trainer.steps() == end.step);
    CHECK(parent.read("run/final.safetensors") == final_weights);
    CHECK(same(again.model.state_dict(), best));
  }
}

TEST_CASE("a held-out loss that is never a number stops a run with its last weights") {
  const Folder parent;
  const RunFolder folder = RunFolder::create(parent.file("run"), "x");
  SmallRun run({.steps = 40, .lr = 0.01, .patience = 2});
  const Progress end =
      train::run(folder, run.trainer, run.batches, {.evaluate_every = 1, .held_out = [] {
                                                      return TokenScore{std::nan(""), 0};
                                                    }});
  CHECK(end.step == 2);
  CHECK_FALSE(std::filesystem::exists(folder.best()));
  CHECK(io::checksum(io::read_safetensors(folder.final_weights()).tensors, {}) ==
        io::checksum(run.model.state_dict(), {}));
}

TEST_CASE("a folder holds one run") {
  const Folder parent;
  const std::string path = parent.file("a/b");
  CHECK_THROWS_WITH_AS(RunFolder::open(path),
                       ("RunFolder: " + path + " holds no run: it has no config.ini").c_str(),
                       IoError);
  RunFolder::create(path, "one");
  CHECK_THROWS_WITH_AS(
      RunFolder::create(path, "two"),
      ("RunFolder: " + path + " holds a run already; resume it, or choose another folder").c_str(),
      IoError);
  CHECK(RunFolder::open(path).config() == "one");
  parent.write("file", "");
  CHECK_THROWS_WITH_AS(RunFolder::create(parent.file("file"), "x"),
                       ("RunFolder: cannot make " + parent.file("file") + ": " +
                        parent.file("file") + " is not a folder; choose another name")
                           .c_str(),
                       IoError);
  CHECK_THROWS_WITH_AS(RunFolder::check_free(parent.file("file/a/b")),
                       ("RunFolder: cannot make " + parent.file("file/a/b") + ": " +
                        parent.file("file") + " is not a folder; choose another name")
                           .c_str(),
                       IoError);
  RunFolder::check_free(parent.file("x/y"));
  CHECK_FALSE(std::filesystem::exists(parent.file("x")));
  const RunFolder folder = RunFolder::open(path);
  std::filesystem::remove_all(path);
  CHECK_THROWS_WITH_AS(
      folder.config(),
      ("RunFolder: cannot read " + path + "/config.ini: No such file or directory; check the path")
          .c_str(),
      IoError);
}
