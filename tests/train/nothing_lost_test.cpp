// A process that is killed, or whose disk fails, at any moment of a save: the old checkpoint or the
// new one is there, whole.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <tapehead/io/checksum.h>
#include <tapehead/train/checkpoint.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "../support/folder.h"
#include "../support/sanitizers.h"
#include "child.h"
#include "small_run.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::SmallRun;
using testing::variable;
using Names = std::vector<std::string>;

namespace {

const FitOptions options{.steps = 1000000, .lr = 0.01, .optimizer = "sgd", .schedule = "constant"};

const char* const renames = "?rename,?renameat,?renameat2";  // whichever the system has

Index steps_in(const std::string& path) {
  for (const auto& [name, tensor] : io::read_checked(path).tensors)
    if (name == "run.steps") return tensor.item<Index>();
  return -1;
}

// A sanitizer writes files of its own, and its search for leaks does not run under a trace.
bool has_strace() {
  if (testing::sanitized) {
    MESSAGE("SKIPPED: a sanitizer watches");
    return false;
  }
  static const bool found = std::system("strace -o /dev/null -e trace=fsync true 2>/dev/null") == 0;
  if (!found) MESSAGE("SKIPPED: strace is missing, or may not trace here");
  return found;
}

// A folder with a checkpoint of one step, of which a child makes one of two steps.
class Save {
 public:
  Save() {
    SmallRun run(options, 0);
    run.trainer.step(run.batches.next);
    save_checkpoint(path(), run.trainer, run.batches);
    old_ = folder.read("a");
  }

  std::string path() const { return folder.file("a"); }
  bool is_old() const { return folder.read("a") == old_; }
  /// The child's exit code with `fault` injected into the `nth` such call.
  int with(const std::string& call, const std::string& fault, int nth) const {
    return testing::run_child(
        "child: takes one step more*",
        core::to_text("FOLDER='", folder.path(), "' strace -o /dev/null -e trace=", call,
                      " -e inject=", call, ":", fault, ":when=", nth));
  }

  const Folder folder;

 private:
  std::string old_;
};

}  // namespace

TEST_CASE("child: takes one step more" * doctest::skip()) {
  if (variable("TAPEHEAD_CHILD").empty()) return;
  const std::string path = variable("FOLDER") + "/a";
  SmallRun run(options, 0);
  load_checkpoint(path, run.trainer, run.batches);
  run.trainer.step(run.batches.next);
  try {
    save_checkpoint(path, run.trainer, run.batches);
  } catch (const IoError& error) {
    std::ofstream(variable("FOLDER") + "/message") << error.what();
  }
}

TEST_CASE("child: saves until it is killed" * doctest::skip()) {
  if (variable("TAPEHEAD_CHILD").empty()) return;
  alarm(60);
  const std::string path = variable("FOLDER") + "/a";
  SmallRun run(options, 0);
  load_checkpoint(path, run.trainer, run.batches);
  std::ofstream(variable("FOLDER") + "/ready") << "ready";
  for (;;) {
    run.trainer.step(run.batches.next);
    save_checkpoint(path, run.trainer, run.batches);
  }
}

TEST_CASE("a process killed at any write, fsync, link or rename of a save loses nothing") {
  if (!has_strace()) return;
  for (const std::string call : {"write", "fsync", "linkat", renames}) {
    CAPTURE(call);
    int kills = 0;
    for (int nth = 1;; ++nth) {
      CAPTURE(nth);
      const Save save;
      const int code = save.with(call, "signal=KILL", nth);
      const Index steps = steps_in(save.path());
      CHECK((steps == 1 || steps == 2));
      if (steps == 1) CHECK(save.is_old());
      CHECK(save.folder.names().size() <= 2);  // a name for the new one, at most
      if (steps == 2 && call != "fsync") break;
      if (code == 0) break;
      REQUIRE(code == 128 + SIGKILL);
      ++kills;
    }
    CHECK(kills == (call == "write" ? 21 : call == "fsync" ? 2 : 1));
  }
}

TEST_CASE("a disk that fails or is full at any call of a save: an error, and the old checkpoint") {
  if (!has_strace()) return;
  struct Fault {
    std::string error, reason, call;
    int nth;
  };
  std::vector<Fault> faults;
  for (const char* const call : {"write", "fsync", "linkat", renames}) {
    faults.push_back({"EIO", "Input/output error", call, 1});
    faults.push_back({"ENOSPC", "No space left on device", call, 1});
  }
  for (const int nth : {2, 3, 9})
    faults.push_back({"ENOSPC", "No space left on device", "write", nth});
  for (const Fault& fault : faults) {
    CAPTURE(fault.error);
    CAPTURE(fault.call);
    CAPTURE(fault.nth);
    const Save save;
    CHECK(save.with(fault.call, "error=" + fault.error, fault.nth) == 0);
    CHECK(save.folder.read("message") ==
          "write: cannot write " + save.path() + ": " + fault.reason);
    CHECK(save.is_old());
    CHECK(save.folder.names() == Names{"a", "message"});
  }
  // The folder's own fsync comes when the new file is there.
  const Save save;
  CHECK(save.with("fsync", "error=EIO", 2) == 0);
  CHECK(save.folder.read("message") ==
        "write: cannot write " + save.path() + ": Input/output error");
  CHECK(steps_in(save.path()) == 2);
}

TEST_CASE("of 200 processes killed at random while they save, none loses a checkpoint") {
  const Save save;
  const std::string command = "exec env FOLDER='" + save.folder.path() + "' " +
                              testing::child_command("child: saves until*", "");
  std::uint32_t random = 1;
  Index last = 1;
  for (int i = 0; i < 200; ++i) {
    std::filesystem::remove(save.folder.file("ready"));
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    for (int wait = 0; wait < 20000 && !std::filesystem::exists(save.folder.file("ready")); ++wait)
      usleep(500);
    random = random * 1664525 + 1013904223;
    usleep(random >> 20);  // up to 4 ms
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    const Index steps = steps_in(save.path());
    CHECK(steps >= last);
    last = steps;
  }
  if (!testing::sanitized) CHECK(last > 20);  // with one a step takes far longer
}
