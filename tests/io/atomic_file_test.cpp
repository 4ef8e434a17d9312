#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <tapehead/io/atomic_file.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <memory>

#include "../support/folder.h"

// The C library's, counted: it would change what files any thread makes at that moment.
static int umask_calls = 0;
extern "C" mode_t umask(mode_t mask) noexcept {
  ++umask_calls;
  return static_cast<mode_t>(syscall(SYS_umask, mask));
}

// The C library's, that can be told to be of a system where each file has a name.
static bool only_named_files = false;
extern "C" int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const auto permissions = va_arg(more, mode_t);
  va_end(more);
  if (only_named_files && (flags & O_TMPFILE) == O_TMPFILE) return errno = EOPNOTSUPP, -1;
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, permissions));
}

using namespace tapehead;
using io::AtomicFile;
using Names = std::vector<std::string>;

namespace {

void write(AtomicFile& file, const std::string& text) {
  file.write(std::as_bytes(std::span(text)));
}

// While it lives, a file without a name cannot be had.
struct OnlyNamedFiles {
  OnlyNamedFiles() { only_named_files = true; }
  ~OnlyNamedFiles() { only_named_files = false; }
};

bool has_unnamed_files(const Folder& folder) {
  const int descriptor = open(folder.path().c_str(), O_WRONLY | O_TMPFILE, 0600);
  if (descriptor >= 0) close(descriptor);
  return descriptor >= 0;
}

std::string refusal(const std::string& path) {
  try {
    io::check_writable(path);
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("an atomic file appears when it is committed") {
  const Folder folder;
  {
    AtomicFile file(folder.file("a"));
    write(file, "one ");
    write(file, "two");
    CHECK_FALSE(std::filesystem::exists(folder.file("a")));
    file.commit();
  }
  CHECK(folder.read("a") == "one two");
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("an atomic file is complete and alone where each file has a name, too") {
  const Folder folder;
  const OnlyNamedFiles only_named_files_here;
  {
    AtomicFile file(folder.file("a")), dropped(folder.file("a"));
    CHECK(folder.names().size() == 2);
    write(dropped, "none");
    write(file, "one");
    file.commit();
  }
  CHECK(folder.read("a") == "one");
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("a file has no name before it is complete, for a killed process to leave behind") {
  const Folder folder;
  if (!has_unnamed_files(folder)) return;
  AtomicFile file(folder.file("a"));
  write(file, "one");
  CHECK(folder.names().empty());
}

TEST_CASE("a name may be as long as names may be") {
  const Folder folder;
  const std::string longest(255, 'a');
  const auto try_it = [&] {
    AtomicFile file(folder.file(longest));
    write(file, "one");
    file.commit();
    CHECK(folder.names() == Names{longest});
  };
  try_it();
  const OnlyNamedFiles only_named_files_here;
  try_it();
  CHECK(refusal(folder.file(longest + "a")) ==
        "write: cannot write " + folder.file(longest + "a") + ": File name too long");
}

TEST_CASE("an atomic file that is committed takes nothing more") {
  const Folder folder;
  AtomicFile file(folder.file("a"));
  write(file, "one");
  file.commit();
  const std::string message =
      "write: cannot write " + folder.file("a") + ": it is complete; make another AtomicFile";
  CHECK_THROWS_WITH_AS(write(file, "two"), message.c_str(), IoError);
  CHECK_THROWS_WITH_AS(file.commit(), message.c_str(), IoError);
  CHECK(folder.read("a") == "one");
}

TEST_CASE("without a commit the old file stays, and nothing else") {
  const Folder folder;
  folder.write("a", "old");
  {
    AtomicFile file(folder.file("a"));
    write(file, "new");
  }
  CHECK(folder.read("a") == "old");
  CHECK(folder.names() == Names{"a"});
}

namespace {

std::filesystem::perms permissions(const std::string& path) {
  return std::filesystem::status(path).permissions();
}

void replace(const std::string& path) {
  AtomicFile file(path);
  write(file, "new");
  file.commit();
}

}  // namespace

TEST_CASE("a new file gets the permissions that any new file gets") {
  const Folder folder;
  const mode_t before = umask(027);
  replace(folder.file("a"));
  umask(002);
  replace(folder.file("b"));
  umask(before);
  CHECK(permissions(folder.file("a")) == std::filesystem::perms(0640));
  CHECK(permissions(folder.file("b")) == std::filesystem::perms(0664));
}

TEST_CASE("a private file is private while it is replaced, and afterwards") {
  const Folder folder;
  const OnlyNamedFiles only_named_files_here;
  folder.write("a", "old");
  std::filesystem::permissions(folder.file("a"), std::filesystem::perms(0640));
  {
    AtomicFile file(folder.file("a"));
    for (const std::string& name : folder.names())
      if (name != "a") CHECK(permissions(folder.file(name)) == std::filesystem::perms(0600));
    CHECK(folder.names().size() == 2);
    file.commit();
  }
  CHECK(permissions(folder.file("a")) == std::filesystem::perms(0640));
}

TEST_CASE("a file that runs as its owner does so no more with another content") {
  const Folder folder;
  folder.write("a", "old");
  std::filesystem::permissions(folder.file("a"), std::filesystem::perms(06755));
  replace(folder.file("a"));
  CHECK(permissions(folder.file("a")) == std::filesystem::perms(0755));
}

TEST_CASE("two writers of one file do not disturb each other") {
  const Folder folder;
  AtomicFile one(folder.file("a")), two(folder.file("a"));
  write(one, "one");
  write(two, "two");
  two.commit();
  one.commit();
  CHECK(folder.read("a") == "one");
  CHECK(folder.names() == Names{"a"});
}

TEST_CASE("a file that was committed no longer minds what others do") {
  const Folder folder;
  auto first = std::make_unique<AtomicFile>(folder.file("a"));
  first->commit();
  AtomicFile second(folder.file("a"));
  write(second, "second");
  first.reset();
  second.commit();
  CHECK(folder.read("a") == "second");
}

TEST_CASE("no file that another thread makes meanwhile gets other permissions") {
  const Folder folder;
  const int before = umask_calls;
  replace(folder.file("a"));
  replace(folder.file("a"));
  CHECK(umask_calls == before);
}

TEST_CASE("a link is followed, not replaced") {
  const Folder folder;
  folder.write("a", "old");
  std::filesystem::create_symlink("a", folder.file("link"));
  AtomicFile file(folder.file("link"));
  write(file, "new");
  file.commit();
  CHECK(folder.read("a") == "new");
  CHECK(std::filesystem::is_symlink(folder.file("link")));
}

TEST_CASE("what cannot be written says why") {
  const Folder folder;
  CHECK(refusal(folder.path()) ==
        "write: cannot write " + folder.path() + ": it is a directory; name a file in it");
  CHECK(refusal("") == "write: cannot write \"\": that names no file; add a file name");
  CHECK(refusal(folder.file("new/")) ==
        "write: cannot write \"" + folder.file("new/") + "\": that names no file; add a file name");
  CHECK(refusal(folder.file("no/a")) ==
        "write: cannot write " + folder.file("no/a") + ": No such file or directory");
  CHECK(refusal("/dev/null") ==
        "write: cannot write /dev/null: it is not a regular file; choose another name");
  std::filesystem::create_symlink("nowhere", folder.file("link"));
  CHECK(refusal(folder.file("link")) == "write: cannot write " + folder.file("link") +
                                            ": it is a link to nowhere; remove it or choose "
                                            "another name");
  CHECK(folder.names() == Names{"link"});
}

TEST_CASE("a file that may not be changed is not replaced") {
  const Folder folder;
  folder.write("a", "old");
  std::filesystem::permissions(folder.file("a"), std::filesystem::perms::owner_read);
  if (geteuid() == 0) return;  // who may do everything
  CHECK(refusal(folder.file("a")) ==
        "write: cannot write " + folder.file("a") + ": Permission denied; choose another name");
}

TEST_CASE("a check leaves no trace") {
  const Folder folder;
  folder.write("a", "old");
  CHECK(refusal(folder.file("a")).empty());
  CHECK(refusal(folder.file("b")).empty());
  CHECK(folder.names() == Names{"a"});
  CHECK(folder.read("a") == "old");
}

TEST_CASE("a disk that is full leaves the old file") {
  const Folder folder;
  folder.write("a", "old");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    AtomicFile file(folder.file("a"));
    write(file, std::string(5000, 'x'));
  } catch (const IoError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message == "write: cannot write " + folder.file("a") + ": File too large");
  CHECK(folder.read("a") == "old");
  CHECK(folder.names() == Names{"a"});
}
