#include <doctest/doctest.h>
#include <tapehead/train/run_folder.h>

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
                     .held_out = [&] { return run.held_out_loss(); },
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
  double best = 1e9;
  for (std::string line; std::getline(log, line);) {
    const auto json = nlohmann::ordered_json::parse(line);
    Names keys;
    for (const auto& entry : json.items()) keys.push_back(entry.key());
    const bool held_out = json.contains("held_out_loss");
    CHECK(keys == (held_out ? Names{"step", "held_out_loss"}
                            : Names{"step", "loss", "accuracy", "lr", "grad_norm"}));
    steps += std::to_string(json.at("step").get<Index>()) + (held_out ? "h " : " ");
    if (held_out) best = std::min(best, json.at("held_out_loss").get<double>());
  }
  CHECK(steps == "3 4h 6 8h 9 12 12h 15 16h 18 20 20h ");
  CHECK(run.trainer.stopping().best == best);
  CHECK(io::read_safetensors(folder.final_weights()).tensors.size() ==
        run.model.state_dict().size());
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
