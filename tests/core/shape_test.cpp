#include <doctest/doctest.h>
#include <tapehead/core/shape.h>

#include <limits>
using namespace tapehead;
using namespace tapehead::core;

namespace {
template <class T>
std::string text(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
}  // namespace

TEST_CASE("dimensions count from both ends and compare by value") {
  const Shape s{2, 3, 5};
  CHECK(s.rank() == 3);
  CHECK(s[0] == 2);
  CHECK(s[-1] == 5);
  CHECK(s == Shape(std::vector<Index>{2, 3, 5}));
  CHECK_FALSE(s == Shape{2, 3});
  CHECK_FALSE(s == Shape{2, 3, 4});
  CHECK(Shape::filled(3, 7) == Shape{7, 7, 7});
  CHECK(std::vector<Index>(s.begin(), s.end()) == std::vector<Index>{2, 3, 5});
}

TEST_CASE("an element's place is counted in row-major order") {
  CHECK(index_of({2, 3, 5}, 0) == Dims{0, 0, 0});
  CHECK(index_of({2, 3, 5}, 22) == Dims{1, 1, 2});
  CHECK(index_of({}, 0) == Dims{});
}

TEST_CASE("a copy of a shape of any rank equals it") {
  Shape s;
  for (Index size = 1; size <= Shape::max_rank; ++size) {
    s.push_back(size * size);
    const Shape copy = s;
    Shape assigned{9, 9};
    assigned = s;
    CHECK(copy == s);
    CHECK(assigned == s);
  }
}

TEST_CASE("a ninth dimension is refused") {
  Shape s = Shape::filled(8, 1);
  CHECK_THROWS_WITH_AS(s.push_back(1),
                       "shape: at most 8 dimensions are supported; merge some with view",
                       ShapeError);
}

TEST_CASE("shapes print as tuples") {
  CHECK(text(Shape{}) == "()");
  CHECK(text(Shape{3}) == "(3)");
  CHECK(text(Shape{2, -1, 4}) == "(2, -1, 4)");
}

TEST_CASE("numel multiplies, and is 1 for a scalar and 0 where a size is 0") {
  CHECK(numel({}) == 1);
  CHECK(numel({2, 3, 4}) == 24);
  CHECK(numel({5, 0, 7}) == 0);
}

TEST_CASE("shapes that 64 bits cannot count are refused by name") {
  const Index big = Index{1} << 40, huge = Index{1} << 62;
  CHECK_THROWS_WITH_AS(numel({big, big}),
                       "shape: (1099511627776, 1099511627776) holds more elements than 64 bits can "
                       "count; use smaller dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(numel({huge, 8}),
                       "shape: (4611686018427387904, 8) holds more elements than 64 bits can "
                       "count; use smaller dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      numel({-1}), "shape: sizes cannot be negative, got (-1); -1 is for view, reshape and expand",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      numel({0, -2}),
      "shape: sizes cannot be negative, got (0, -2); -1 is for view, reshape and expand",
      ShapeError);
  CHECK_THROWS_WITH_AS(numel({huge, 8, -2}),
                       "shape: sizes cannot be negative, got (4611686018427387904, 8, -2); -1 is "
                       "for view, reshape and expand",
                       ShapeError);
}

TEST_CASE("a product that does not fit is an error, not a small number") {
  CHECK(checked_product(-3, 4) == -12);
  CHECK(checked_product(Index{1} << 31, Index{1} << 31) == Index{1} << 62);
  CHECK_THROWS_WITH_AS(checked_product(Index{1} << 32, Index{1} << 31),
                       "shape: 4294967296 x 2147483648 overflows 64 bits; use smaller dimensions",
                       ShapeError);
}

TEST_CASE("a user's dimension may count from the end but not leave the range") {
  CHECK(dim("sum", 0, 3) == 0);
  CHECK(dim("sum", -1, 3) == 2);
  CHECK(dim("sum", -3, 3) == 0);
  CHECK_THROWS_WITH_AS(dim("sum", 3, 3),
                       "sum: dimension 3 is out of range for a tensor of 3 dimensions; use -3 to 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(dim("sum", -2, 1),
                       "sum: dimension -2 is out of range for a tensor of 1 dimension; use -1 to 0",
                       ShapeError);
}

TEST_CASE("a dimension that no tensor of 0 dimensions has is refused without a range to use") {
  CHECK_THROWS_WITH_AS(dim("narrow", 0, 0),
                       "narrow: dimension 0 is out of range for a tensor of 0 dimensions; "
                       "unsqueeze(0) it first",
                       ShapeError);
}

TEST_CASE("row-major strides treat an empty dimension as one") {
  CHECK(row_major({}) == Strides{});
  CHECK(row_major({2, 3, 4}) == Strides{12, 4, 1});
  CHECK(row_major({2, 0, 4}) == Strides{4, 4, 1});
}

TEST_CASE("entries are left out and put in") {
  CHECK(without({2, 3, 4}, 0) == Dims{3, 4});
  CHECK(without({2, 3, 4}, 2) == Dims{2, 3});
  CHECK(with_inserted({2, 3}, 0, 9) == Dims{9, 2, 3});
  CHECK(with_inserted({2, 3}, 2, 9) == Dims{2, 3, 9});
  CHECK(with_inserted({}, 0, 9) == Dims{9});
}

TEST_CASE("shapes broadcast from the last dimension") {
  CHECK(broadcast("add", {}, {2, 3}) == Shape{2, 3});
  CHECK(broadcast("add", {2, 1}, {3}) == Shape{2, 3});
  CHECK(broadcast("add", {4, 1, 3}, {5, 1}) == Shape{4, 5, 3});
  CHECK(broadcast("add", {1}, {0}) == Shape{0});
  CHECK(broadcast("add", {3, 0}, {1, 1}) == Shape{3, 0});
  CHECK_THROWS_WITH_AS(broadcast("add", {2, 3}, {2, 4}),
                       "add: shapes (2, 3) and (2, 4) do not broadcast: 3 against 4 in dimension "
                       "-1; sizes must be equal, or one of them 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(broadcast("mul", {2, 3}, {4, 0, 3}),
                       "mul: shapes (2, 3) and (4, 0, 3) do not broadcast: 2 against 0 in "
                       "dimension -2; sizes must be equal, or one of them 1",
                       ShapeError);
}

TEST_CASE("expanding sets the stride of what is repeated to 0") {
  CHECK(expanded("expand", {3, 1}, {1, 1}, {2, 3, 4}) == Strides{0, 1, 0});
  CHECK(expanded("expand", {2, 3}, {1, 2}, {2, 3}) == Strides{1, 2});
  CHECK(expanded("expand", {}, {}, {2}) == Strides{0});
  CHECK_THROWS_WITH_AS(expanded("expand", {3, 2}, {2, 1}, {2}),
                       "expand: cannot expand (3, 2) to (2); sizes must be equal or 1, counted "
                       "from the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(expanded("add_", {3}, {1}, {4}),
                       "add_: cannot expand (3) to (4); sizes must be equal or 1, counted from "
                       "the last dimension",
                       ShapeError);
}
