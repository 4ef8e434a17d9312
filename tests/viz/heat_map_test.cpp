#include <doctest/doctest.h>
#include <tapehead/viz/heat_map.h>

#include <cmath>

using namespace tapehead;
using namespace tapehead::viz;
using core::NDArray;
using enum DType;
using Labels = std::vector<std::string>;

namespace {

const NDArray weights = NDArray::of({1, 0, 0, 0.5, 0.5, 0, 0, 0.2, 0.8}, {3, 3}, Float64);
const Terminal ascii{.width = 80}, unicode{.width = 80, .unicode = true};
const Terminal color{.width = 80, .interactive = true, .color = true, .unicode = true};

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0, length = 0;
  for (const char c : text)
    length = c == '\n' ? 0 : length + 1, longest = std::max(longest, length);
  return longest;
}

}  // namespace

TEST_CASE("without UTF-8 a heat map is letters") {
  CHECK(heat_map({{"head 0", weights}}, {"a", "b", "c"}, {"x", "y", "z"}, ascii) ==
        "head 0\n"
        "  x y z\n"
        "a @@\n"
        "b ====\n"
        "c   ::##\n"
        "\n"
        "0   ..::--==++##@@ 1  (blank: 0.05 or less)\n");
}

TEST_CASE("with UTF-8 it is blocks, without any escape code") {
  const std::string map =
      heat_map({{"head 0", weights}}, {"a", " ", "\n"}, {"x", "y", "z"}, unicode);
  CHECK(map ==
        "head 0\n"
        "  x y z\n"
        "a ██\n"
        "␣ ▒▒▒▒\n"
        "↵   ░░██\n"
        "\n"
        "0   ░░▒▒▓▓██ 1  (blank: 0.05 or less)\n");
}

TEST_CASE("on a colour terminal each cell is a background, switched off at the end of the line") {
  const std::string map = heat_map({{"", weights}}, {"a", "b", "c"}, {"x", "y", "z"}, color);
  CHECK(map.find("a \033[48;5;231m  \033[48;5;16m  \033[48;5;16m  \033[0m\n") != std::string::npos);
  CHECK(count(map, "\033[0m") == 4);  // three rows and the legend
}

TEST_CASE("shades run up to the greatest value of all panels") {
  const NDArray small = NDArray::of({0.1, 0.05}, {1, 2}, Float32);
  const NDArray large = NDArray::of({0.2, 0}, {1, 2}, Float32);
  const std::string map = heat_map({{"s", small}, {"l", large}}, {"q"}, {"a", "b"}, ascii);
  CHECK(map ==
        "s       l\n"
        "  a b     a b\n"
        "q ==::  q @@\n"
        "\n"
        "0   ..::--==++##@@ 0.2  (blank: 0.01 or less)\n");
}

TEST_CASE("panels stand side by side as far as the terminal is wide") {
  const std::vector<Panel> four(4, Panel{"p", weights});
  const Labels labels{"a", "b", "c"};
  // A panel is 8 wide, and 2 columns lie between two.
  for (const auto& [width, lines] :
       {std::pair(80, 1), {38, 1}, {37, 2}, {18, 2}, {17, 4}, {1, 4}}) {
    const std::string map = heat_map(four, labels, labels, {.width = width});
    CHECK(count(map, "p") == 4);
    CHECK(count("\n" + map, "\np") == static_cast<std::size_t>(lines));
  }
}

TEST_CASE("eight tokens and four heads fit into 80 columns") {
  const NDArray heads = NDArray::full({4, 8, 8}, 1, Float32);
  const Labels digits{"3", "1", "4", "1", "5", "9", "2", "6"};
  const std::string map = attention_map(heads, digits, digits, ascii);
  CHECK(longest_line(map) <= 80);
  CHECK(map.substr(0, map.find('\n')) ==
        "head 0              head 1              head 2              head 3");
}

TEST_CASE("what does not fit is made narrower, then left out, which a line says") {
  const NDArray wide = NDArray::full({30, 30}, 1, Float32);
  const Labels labels(30, "a");
  CHECK(longest_line(heat_map({{"", wide}}, labels, labels, {.width = 62})) == 62);
  const std::string narrow = heat_map({{"", wide}}, labels, labels, {.width = 40});
  CHECK(narrow.find("a @@@@@@@@@@@@@@@@@@@@@@@@@@@@@@\n") != std::string::npos);
  const std::string cut = heat_map({{"", wide}}, labels, labels, {.width = 20});
  CHECK(cut.find("(the first 18 of 30 columns: the terminal is 20 wide)\n") != std::string::npos);
  CHECK(count(cut, "a @@@@@@@@@@@@@@@@@@\n") == 18);
}

TEST_CASE("labels are cut where they are long, and wide characters keep the columns aligned") {
  const NDArray one = NDArray::full({1, 2}, 1, Float32);
  const std::string map =
      heat_map({{"", one}}, {"averyveryverylongname"}, {"中", "elephants"}, unicode);
  CHECK(map.substr(0, map.find("\n\n", 1)) == "\n             中   eleph\naveryveryver ██████████");
}

TEST_CASE("NaN is shown as a question mark, and a panel of zeros as empty") {
  const NDArray odd = NDArray::of({NAN, 1}, {1, 2}, Float64);
  CHECK(heat_map({{"", odd}}, {"a"}, {"x", "y"}, ascii).find("a ? @@\n") != std::string::npos);
  const NDArray none = NDArray::full({1, 2}, 0, Float64);
  CHECK(heat_map({{"", none}}, {"a"}, {"x", "y"}, ascii).find("a\n") != std::string::npos);
}

TEST_CASE("labels and panels that do not fit together are refused") {
  CHECK_THROWS_WITH_AS(
      heat_map({{"head 0", weights}}, {"a", "b"}, {"x", "y", "z"}, ascii),
      "heat_map: the labels are for (2, 3), got (3, 3) in \"head 0\"; give a label "
      "for each row and column",
      ShapeError);
  CHECK_THROWS_WITH_AS(heat_map({}, {"a"}, {"x"}, ascii),
                       "heat_map: expected at least one panel, row and column, got 0 panels and "
                       "labels for (1, 1); leave the drawing out",
                       ShapeError);
  CHECK_THROWS_WITH_AS(attention_map(weights, {"a"}, {"a"}, ascii),
                       "attention_map: expected weights (H, Tq, Tk), got (3, 3); choose one of the "
                       "batch with select(0, i)",
                       ShapeError);
}
