#include <doctest/doctest.h>
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <tapehead/viz/terminal.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string>

using namespace tapehead::viz;

namespace {

// Environment variables for the length of a test; the ones that matter and are not named are unset.
using Variables = std::map<std::string, std::string>;

class Environment {
 public:
  explicit Environment(const Variables& values) {
    for (const char* name :
         {"LC_ALL", "LC_CTYPE", "LANG", "COLUMNS", "TERM", "COLORTERM", "NO_COLOR"}) {
      const char* const before = std::getenv(name);
      before_[name] = before != nullptr ? before : "";
      const auto found = values.find(name);
      set(name, found != values.end() ? found->second : "");
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() {
    for (const auto& [name, value] : before_) set(name, value);
  }

 private:
  static void set(const std::string& name, const std::string& value) {
    value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
  }
  Variables before_;
};

// A pseudo terminal of a width.
struct Screen {
  explicit Screen(unsigned short columns) {
    winsize size{};
    size.ws_col = columns;
    size.ws_row = 24;
    REQUIRE(openpty(&outer, &inner, nullptr, nullptr, &size) == 0);
  }
  ~Screen() { close(outer), close(inner); }
  int outer = -1, inner = -1;
};

}  // namespace

TEST_CASE("a file or pipe shows neither colours nor lines written over") {
  const Environment environment(Variables{{"TERM", "xterm-256color"}, {"LANG", "C.UTF-8"}});
  const int file = open("/dev/null", O_WRONLY);
  const Terminal t = terminal_of(file);
  close(file);
  CHECK_FALSE(t.interactive);
  CHECK_FALSE(t.color);
  CHECK(t.unicode);
  CHECK(t.width == 80);
}

TEST_CASE("a terminal of 256 colours shows them, in its own width") {
  const Environment environment(Variables{{"TERM", "screen-256color"}, {"COLUMNS", "70"}});
  const Screen screen(123);
  const Terminal t = terminal_of(screen.inner);
  CHECK(t.interactive);
  CHECK(t.color);
  CHECK_FALSE(t.unicode);
  CHECK(t.width == 123);
}

TEST_CASE("NO_COLOR, a dumb terminal and one of few colours get none") {
  const Screen screen(80);
  {
    const Environment environment(Variables{{"TERM", "xterm-256color"}, {"NO_COLOR", "1"}});
    CHECK_FALSE(terminal_of(screen.inner).color);
    CHECK(terminal_of(screen.inner).interactive);
  }
  {
    const Environment environment(Variables{{"TERM", "dumb"}, {"COLORTERM", "truecolor"}});
    CHECK_FALSE(terminal_of(screen.inner).color);
    CHECK_FALSE(terminal_of(screen.inner).interactive);
  }
  {
    const Environment environment(Variables{{"TERM", "linux"}});
    CHECK_FALSE(terminal_of(screen.inner).color);
    CHECK(terminal_of(screen.inner).interactive);
  }
}

TEST_CASE("the first locale variable that is set decides about UTF-8") {
  const auto unicode = [](const Variables& values) {
    const Environment environment(values);
    return terminal_of(-1).unicode;
  };
  CHECK(unicode({{"LANG", "de_DE.UTF-8"}}));
  CHECK(unicode({{"LC_CTYPE", "C.utf8"}, {"LANG", "C"}}));
  CHECK_FALSE(unicode({{"LC_ALL", "C"}, {"LANG", "de_DE.UTF-8"}}));
  CHECK_FALSE(unicode(Variables{}));
}

TEST_CASE("where there is no terminal, COLUMNS gives the width") {
  const auto width = [](const char* columns) {
    const Environment environment(Variables{{"COLUMNS", columns}});
    return terminal_of(-1).width;
  };
  CHECK(width("120") == 120);
  CHECK(width("") == 80);
  CHECK(width("-5") == 80);
  CHECK(width("wide") == 80);
  CHECK(width("99999999") == 10000);
}
