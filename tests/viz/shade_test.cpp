#include <doctest/doctest.h>
#include <tapehead/viz/shade.h>

#include <cmath>
#include <string>

#include "../support/comma_locale.h"

using namespace tapehead::viz;

TEST_CASE("more is a denser shade, and out of range is the nearest") {
  const Terminal unicode{.unicode = true};
  CHECK(shade(0, 2, unicode) == "  ");
  CHECK(shade(0.05, 2, unicode) == "  ");
  CHECK(shade(0.051, 2, unicode) == "░░");  // a little is not nothing
  CHECK(shade(0.28, 2, unicode) == "░░");
  CHECK(shade(0.051, 1, Terminal{}) == ".");
  CHECK(shade(0.5, 1, unicode) == "▒");
  CHECK(shade(1, 1, unicode) == "█");
  CHECK(shade(-1, 1, unicode) == " ");
  CHECK(shade(7, 1, unicode) == "█");
  CHECK(shade(NAN, 2, unicode) == "? ");
}

TEST_CASE("without UTF-8 shades are ASCII, and without colour nothing is to be ended") {
  const Terminal plain;
  CHECK(shade(0.99, 3, plain) == "@@@");
  CHECK(end_of_shades(plain).empty());
  CHECK(shade_legend(0.5, plain) == "0   ..::--==++##@@ 0.5  (blank: 0.025 or less)");
}

TEST_CASE("colours run from black to white") {
  const Terminal color{.color = true};
  CHECK(shade(0, 1, color) == "\033[48;5;16m ");
  CHECK(shade(1, 1, color) == "\033[48;5;231m ");
  CHECK(end_of_shades(color) == "\033[0m");
}

TEST_CASE("the number of a legend does not follow the global locale") {
  const CommaLocale comma;
  CHECK(shade_legend(0.25, Terminal{}) == "0   ..::--==++##@@ 0.25  (blank: 0.013 or less)");
}
