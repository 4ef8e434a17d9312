// multinomial, of random.h.
#include <doctest/doctest.h>
#include <tapehead/core/random.h>

#include <fstream>
#include <limits>
#include <string>

#include "golden.h"
#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

NDArray weights_of(std::initializer_list<double> values) {
  return NDArray::of(values, {static_cast<Index>(values.size())}, DType::Float64);
}

}  // namespace

TEST_CASE("multinomial draws what PyTorch draws, and leaves the generator as PyTorch does") {
  std::ifstream file(TAPEHEAD_TESTS_DIR "/goldens/core/multinomial.txt");
  std::uint64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    CAPTURE(line);
    std::istringstream in(line);
    const DType dtype = golden::read_dtype(in);
    const Shape shape = golden::read_shape(in);
    std::string layout, word;
    Index n = 0;
    bool replacement = false;
    in >> layout >> n >> replacement >> word;
    REQUIRE(word == ":");
    const NDArray weights =
        filled(golden::laid_out(layout, shape, dtype), scattered(shape, dtype, 0, 1));
    Generator generator(++number);
    const NDArray drawn = multinomial(generator, weights, n, replacement);
    Shape expected = shape;
    expected[-1] = n;
    CHECK(drawn.shape() == expected);
    bool right = true;
    for (const Index index : elements<Index>(drawn))
      right &= in >> word && golden::number<Index>(word) == index;
    CHECK(right);
    in >> word;
    CHECK(golden::number<float>(word) == generator.uniform_float());
  }
  CHECK(number == 120);
}

TEST_CASE("multinomial draws by weight, and without replacement each category at most once") {
  Generator generator(1);
  const NDArray weights = weights_of({1, 0, 3});
  const std::vector<Index> many = elements<Index>(multinomial(generator, weights, 40000, true));
  CHECK(std::count(many.begin(), many.end(), 1) == 0);
  CHECK(std::abs(static_cast<double>(std::count(many.begin(), many.end(), 0)) - 10000) < 400);
  int first = 0;
  for (int round = 0; round < 4000; ++round) {
    const std::vector<Index> both = elements<Index>(multinomial(generator, weights, 2, false));
    CHECK(both[0] + both[1] == 2);
    CHECK(both[0] != 1);
    first += both[0] == 0;
  }
  CHECK(std::abs(first - 1000) < 150);
}

TEST_CASE("multinomial refuses weights and numbers that make no sense") {
  Generator generator(0);
  const std::string state = generator.state();
  const auto draw = [&](const NDArray& weights, Index n, bool replacement) {
    return multinomial(generator, weights, n, replacement);
  };
  const NDArray fair = weights_of({1, 1});
  CHECK_THROWS_WITH_AS(draw(NDArray::full({2}, 1, DType::Int64), 1, true),
                       "multinomial: expected Float32 or Float64, got Int64; convert with "
                       ".to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(draw(NDArray::full({}, 1, DType::Float64), 1, true),
                       "multinomial: weights must be (categories) or (rows, categories), got ()",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      draw(NDArray::full({2, 2, 2}, 1, DType::Float64), 1, true),
      "multinomial: weights must be (categories) or (rows, categories), got (2, 2, 2)", ShapeError);
  CHECK_THROWS_WITH_AS(draw(NDArray::full({2, 0}, 1, DType::Float64), 1, true),
                       "multinomial: expected at least one category, got weights of shape (2, 0)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(draw(fair, 0, true),
                       "multinomial: expected at least one sample to draw, got num_samples = 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(draw(fair, 3, false),
                       "multinomial: cannot draw 3 of 2 categories without replacement; draw "
                       "fewer, or with replacement = true",
                       ShapeError);
  CHECK_THROWS_WITH_AS(draw(weights_of({1, -0.5}), 1, true),
                       "multinomial: weights must be finite and not negative, got -0.5 at position "
                       "(1); exp or softmax makes weights of logits",
                       Error);
  CHECK_THROWS_WITH_AS(draw(weights_of({std::numeric_limits<double>::quiet_NaN(), 1}), 1, false),
                       "multinomial: weights must be finite and not negative, got nan at position "
                       "(0); exp or softmax makes weights of logits",
                       Error);
  CHECK_THROWS_WITH_AS(draw(weights_of({1, std::numeric_limits<double>::infinity()}), 2, true),
                       "multinomial: weights must be finite and not negative, got inf at position "
                       "(1); exp or softmax makes weights of logits",
                       Error);
  CHECK_THROWS_WITH_AS(draw(NDArray::of({1, 1, 0, 0}, {2, 2}, DType::Float32), 5, true),
                       "multinomial: a row of weights must have 1 above 0, got 0 in row 1", Error);
  CHECK_THROWS_WITH_AS(
      draw(weights_of({0, 1, 0}), 2, false),
      "multinomial: without replacement a row of weights must have 2 above 0, got 1 in row 0",
      Error);
  CHECK(generator.state() == state);
  CHECK(draw(NDArray::full({0, 3}, 1, DType::Float32), 2, false).shape() == Shape{0, 2});
  CHECK(draw(NDArray::full({0, 3}, 1, DType::Float32), 2, true).shape() == Shape{0, 2});
}
