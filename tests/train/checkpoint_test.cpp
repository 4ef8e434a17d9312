#include <doctest/doctest.h>
#include <sys/resource.h>
#include <tapehead/io/checksum.h>
#include <tapehead/train/checkpoint.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>

#include "../support/compare.h"
#include "../support/folder.h"
#include "../support/memory_file.h"
#include "small_run.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::difference;
using testing::SmallRun;
using Names = std::vector<std::string>;

namespace {

const FitOptions options{.steps = 20, .lr = 0.01};

std::string refusal(const std::string& path, SmallRun& run) {
  try {
    load_checkpoint(path, run.trainer, run.batches);
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

std::string saving_refused(const std::string& path, SmallRun& run) {
  try {
    save_checkpoint(path, run.trainer, run.batches);
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a checkpoint brings back weights, optimiser, random numbers and place in the data") {
  const Folder folder;
  SmallRun run(options);
  for (int i = 0; i < 3; ++i) run.trainer.step(run.batches.next);
  save_checkpoint(folder.file("a"), run.trainer, run.batches, {{"note", "mine"}});
  const std::string random = core::default_generator().state();

  SmallRun resumed(options);
  CHECK(load_checkpoint(folder.file("a"), resumed.trainer, resumed.batches) ==
        io::Metadata{{"note", "mine"}});
  CHECK(core::default_generator().state() == random);
  CHECK(resumed.batches.state() == run.batches.state());
  const NamedTensors got = resumed.trainer.state_dict(), want = run.trainer.state_dict();
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    CHECK(difference(got[i].second, want[i].second) == "");
  save_checkpoint(folder.file("b"), resumed.trainer, resumed.batches, {{"note", "mine"}});
  CHECK(folder.read("b") == folder.read("a"));
}

namespace {

// "blocks.1.attn.W_k.bias, …": in the order of the alphabet, the first 8 of them.
std::string names_of_second_layer(const SmallRun& run) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : run.model.state_dict())
    if (name.starts_with("blocks.1.")) names.push_back(name);
  std::sort(names.begin(), names.end());
  std::string result;
  for (std::size_t i = 0; i < 8; ++i) result += names[i] + ", ";
  return core::to_text(result, "and ", names.size() - 8, " more");
}

}  // namespace

TEST_CASE("a checkpoint that does not fit changes nothing") {
  const Folder folder;
  SmallRun run(options), other(options, 2);
  const std::string path = folder.file("a b"),
                    opening = "load_checkpoint: cannot go on from " + path + ": ";
  run.trainer.step(run.batches.next);
  const std::string before = io::checksum(run.trainer.state_dict(), {}),
                    place = run.batches.state(), random = core::default_generator().state();
  const auto unchanged = [&] {
    return io::checksum(run.trainer.state_dict(), {}) == before && run.batches.state() == place &&
           core::default_generator().state() == random;
  };

  save_checkpoint(path, other.trainer, other.batches);
  CHECK(refusal(path, run) ==
        opening +
            "load_state_dict: the names and shapes must be those of this SequenceModel; "
            "unexpected: " +
            names_of_second_layer(other) + "; nothing was loaded");
  CHECK(unchanged());

  FitOptions longer = options;
  longer.steps = 40;
  SmallRun differs(longer);
  core::default_generator().set_state(random);
  save_checkpoint(path, differs.trainer, differs.batches);
  CHECK(refusal(path, run) == opening + "its options are " + to_string(longer) +
                                  " and those of this run " + to_string(options) +
                                  "; give the same");
  CHECK(unchanged());

  const auto with = [&](const char* key, const char* text) {
    io::Metadata metadata{{"format", "tapehead checkpoint 1"},
                          {"options", to_string(options)},
                          {"random", random},
                          {"batches", place}};
    metadata[key] = text;
    if (*text == '\0') metadata.erase(key);
    io::save_checked(path, run.trainer.state_dict(), metadata);
    const std::string refused = refusal(path, run);
    CHECK(unchanged());
    return refused;
  };
  CHECK(with("note", "mine").empty());
  CHECK(with("random", "") ==
        opening + "it has no \"random\" among its metadata; it is not a checkpoint");
  CHECK(with("format", "pt") ==
        opening + "its format is \"pt\", expected \"tapehead checkpoint 1\"");
  CHECK(with("random", "dice") ==
        opening + "set_state: expected a text made by state(), got \"dice\" (4 characters)");
  CHECK(with("batches", "dice") ==
        opening + "in_epochs: expected a state of batches of 50 examples, got \"dice\"");
}

TEST_CASE("words that a checkpoint needs itself are refused") {
  const Folder folder;
  SmallRun run(options);
  CHECK_THROWS_WITH_AS(
      save_checkpoint(folder.file("a"), run.trainer, run.batches, {{"random", "1"}}),
      "save_checkpoint: metadata \"random\" is taken; use another name", Error);
  CHECK(folder.names().empty());
}

TEST_CASE("a save that fails says why, and leaves the old checkpoint and nothing else") {
  const Folder folder;
  SmallRun run(options, 0);
  const std::string path = folder.file("a");
  CHECK(saving_refused(path, run).empty());
  const std::string old = folder.read("a");
  run.trainer.step(run.batches.next);

  // A file-size limit, as a full disk, in the middle of it.
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{old.size() / 2, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string full = saving_refused(path, run);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(full == "write: cannot write " + path + ": File too large");
  CHECK(folder.read("a") == old);
  CHECK(folder.names() == Names{"a"});

  // A folder that may not be changed; root may change any, so not as root.
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const uid_t user = geteuid();
  if (user == 0) CHECK(seteuid(65534) == 0);
  const std::string read_only = saving_refused(path, run);
  if (user == 0) CHECK(seteuid(0) == 0);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  CHECK(read_only == "write: cannot write " + path + ": Permission denied");
  CHECK(folder.read("a") == old);
  CHECK(folder.names() == Names{"a"});
}

namespace {

std::string small_checkpoint() {
  const Folder folder;
  SmallRun run(options, 0);
  save_checkpoint(folder.file("a"), run.trainer, run.batches);
  return folder.read("a");
}

bool refused(const testing::MemoryFile& file, const std::string& bytes) {
  try {
    io::read_checked(file.write(bytes));
  } catch (const IoError&) {
    return true;
  }
  return false;
}

}  // namespace

TEST_CASE("every truncation of a small checkpoint is refused") {
  const std::string bytes = small_checkpoint();
  const testing::MemoryFile file;
  REQUIRE_FALSE(refused(file, bytes));
  std::size_t accepted = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    accepted += !refused(file, bytes.substr(0, size));
  CHECK(accepted == 0);
}

TEST_CASE("every flipped bit of a small checkpoint is refused") {
  std::string bytes = small_checkpoint();
  const testing::MemoryFile file;
  // Of the thousands of digits that are the generators' states one bit each, by turns.
  const auto in_digits = [&](std::size_t i) {
    return i > 4 && i + 4 < bytes.size() &&
           bytes.substr(i - 4, 9).find_first_not_of("0123456789 ") == std::string::npos;
  };
  std::size_t accepted = 0, flips = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const std::size_t i = bit / 8;
    if (bit % 8 != i % 8 && in_digits(i)) continue;
    const char mask = static_cast<char>(1 << bit % 8);
    bytes[i] ^= mask;
    accepted += !refused(file, bytes);
    bytes[i] ^= mask;
    ++flips;
  }
  CHECK(accepted == 0);
  CHECK(flips > bytes.size());
}
