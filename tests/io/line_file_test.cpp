#include <doctest/doctest.h>
#include <sys/resource.h>
#include <tapehead/io/line_file.h>

#include <csignal>

#include "../support/folder.h"

using namespace tapehead;
using io::keep_lines;
using io::LineFile;

TEST_CASE("lines are appended, each at once, also to those of an earlier process") {
  const Folder folder;
  {
    LineFile file(folder.file("log"));
    file.add("one");
    CHECK(folder.read("log") == "one\n");
    file.add("");
    file.sync();
  }
  LineFile(folder.file("log")).add("three");
  CHECK(folder.read("log") == "one\n\nthree\n");
}

TEST_CASE("a piece of a line is removed before others follow, however long it is") {
  const Folder folder;
  for (const std::size_t size : {1U, 4095U, 4096U, 4097U, 10000U}) {
    folder.write("log", "one\n" + std::string(size, 'x'));
    LineFile(folder.file("log")).add("two");
    CHECK(folder.read("log") == "one\ntwo\n");
    folder.write("log", std::string(size, 'x'));
    LineFile(folder.file("log")).add("two");
    CHECK(folder.read("log") == "two\n");
  }
}

TEST_CASE("a line that does not fit on the disk leaves no piece") {
  const Folder folder;
  LineFile file(folder.file("log"));
  file.add("one");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &small);
  std::string message;
  try {
    file.add(std::string(5000, 'x'));
  } catch (const IoError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  CHECK(message == "write: cannot write " + folder.file("log") + ": No space left on device");
  CHECK(folder.read("log") == "one\n");
}

TEST_CASE("lines are kept up to the first that is not wanted") {
  const Folder folder;
  folder.write("log", "1\n2\n3\n1\n4");
  const auto below = [](char limit) {
    return [limit](const std::string& line) { return line[0] < limit; };
  };
  keep_lines(folder.file("log"), below('9'));
  CHECK(folder.read("log") == "1\n2\n3\n1\n");
  keep_lines(folder.file("log"), below('3'));
  CHECK(folder.read("log") == "1\n2\n");
  keep_lines(folder.file("log"), below('0'));
  CHECK(folder.read("log").empty());
  keep_lines(folder.file("none"), below('9'));
  CHECK(folder.names() == std::vector<std::string>{"log"});
}

TEST_CASE("what cannot be a log says why") {
  const Folder folder;
  CHECK_THROWS_WITH_AS(LineFile(folder.path()),
                       ("write: cannot write " + folder.path() + ": Is a directory").c_str(),
                       IoError);
  CHECK_THROWS_WITH_AS(LineFile("/dev/full"), "write: cannot write /dev/full: Invalid argument",
                       IoError);
  CHECK_THROWS_WITH_AS(LineFile(folder.file("log")).add("a\nb"),
                       "LineFile: a line must have no line break in it, got 3 characters with one",
                       Error);
  CHECK_THROWS_WITH_AS(
      keep_lines(folder.path(), [](const std::string&) { return true; }),
      ("keep_lines: cannot read " + folder.path() + "; is it a file that you may read?").c_str(),
      IoError);
}
