#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/embedding.h>
#include <tapehead/nn/positions.h>

#include "../support/cases.h"
#include "../support/memory_limit.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;

TEST_CASE(
    "LAYR-05: Sinusoidal positions with odd width: works (one cosine column fewer) or a clear "
    "error") {
  const testing::Case c = testing::this_case();
  for (const auto& [name, d] : {std::pair("d4", 4), std::pair("d5", 5), std::pair("d1", 1)})
    CHECK(c.difference(sinusoidal_encoding(3, d, Float64), c.output(name)) == "");
}

TEST_CASE("sinusoidal positions are added, and are a buffer that is neither learnt nor saved") {
  SinusoidalPositions positions(10, 5);
  const Tensor y = positions(ones({2, 3, 5}));
  const Tensor want = sinusoidal_encoding(10, 5).narrow(0, 0, 3) + 1;
  CHECK(difference(y.select(0, 0), want) == "");
  CHECK(difference(y.select(0, 1), want) == "");
  CHECK(positions.parameters().empty());
  CHECK(positions.state_dict().empty());
  CHECK(positions.named_buffers().size() == 1);
  CHECK(positions.to(Float64).named_buffers()[0].second.dtype() == Float64);
}

TEST_CASE("learned positions start as an embedding does and are added") {
  manual_seed(5);
  LearnedPositions positions(4, 3);
  manual_seed(5);
  const Embedding embedding(4, 3);
  CHECK(difference(positions.weight, embedding.weight) == "");
  const Tensor y = positions(zeros({2, 4, 3}));
  CHECK(difference(y.select(0, 1), positions.weight) == "");
}

TEST_CASE("the gradients of positions are right, rows beyond the sequence getting none") {
  LearnedPositions learned(4, 3);
  SinusoidalPositions fixed(4, 3);
  learned.to(Float64);
  fixed.to(Float64);
  const Tensor x = testing::noise({2, 2, 3}).requires_grad_();
  CHECK(testing::strict_gradcheck([&](const auto& in) { return learned(in[0]); }, {x},
                                  learned.named_parameters()));
  CHECK(testing::strict_gradcheck([&](const auto& in) { return fixed(in[0]); }, {x}));
}

TEST_CASE("positions refuse other widths, and sequences longer than they know") {
  SinusoidalPositions fixed(4, 3);
  LearnedPositions learned(4, 3);
  CHECK_THROWS_WITH_AS(fixed(ones({2, 5, 3})),
                       "SinusoidalPositions: expected (B, T, 3) with T up to 4, got (2, 5, 3)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(learned(ones({2, 3})),
                       "LearnedPositions: expected (B, T, 3) with T up to 4, got (2, 3)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(learned(ones({1, 2, 4})),
                       "LearnedPositions: expected (B, T, 3) with T up to 4, got (1, 2, 4)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      sinusoidal_encoding(2, 3, Int64),
      "sinusoidal_encoding: expected Float32 or Float64, got Int64; convert with .to(Float32)",
      DTypeError);
  CHECK_THROWS_WITH_AS(LearnedPositions(0, 3),
                       "LearnedPositions: expected max_len and d_model of at least 1, got 0 and 3",
                       Error);
}

TEST_CASE("positions that no memory could hold are refused before any is taken") {
  constexpr Index many = Index{1} << 31;
  CHECK_THROWS_WITH_AS(SinusoidalPositions(many, many),
                       "shape: a Float32 tensor of shape (2147483648, 2147483648) has more bytes "
                       "than 64 bits can count; use smaller dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(LearnedPositions(many, many),
                       "shape: a Float32 tensor of shape (2147483648, 2147483648) has more bytes "
                       "than 64 bits can count; use smaller dimensions",
                       ShapeError);
  const testing::MemoryLimit limit(std::uint64_t{8} << 30);
  const std::string words =
      "allocate: a Float32 tensor of shape (2147483648, 536870912) needs 4 EiB, with some held and "
      "a limit of 8 GiB; use smaller tensors or raise TAPEHEAD_MEMORY_LIMIT";
  CHECK(testing::refusal([] { SinusoidalPositions(many, many / 4); }) == words);
  CHECK(testing::refusal([] { LearnedPositions(many, many / 4); }) == words);
}

TEST_CASE("positions that are given choose the rows that are added") {
  SinusoidalPositions fixed(6, 4);
  LearnedPositions learnt(6, 4);
  const Tensor x = testing::noise({2, 2, 4}, 1, Float32);
  for (const bool fix : {true, false}) {
    const auto add = [&](const Tensor& positions) {
      return fix ? fixed(x, positions) : learnt(x, positions);
    };
    const Tensor table = fix ? fixed.encoding : Tensor(learnt.weight);
    CHECK(difference(add(arange(2)), add({})) == "");
    CHECK(difference(add(arange(3, 5)), x + table.narrow(0, 3, 2)) == "");
    const Tensor each = add(tensor({{3, 4}, {0, 1}}));
    CHECK(difference(each.select(0, 0), x.select(0, 0) + table.narrow(0, 3, 2)) == "");
    CHECK(difference(each.select(0, 1), x.select(0, 1) + table.narrow(0, 0, 2)) == "");
  }
  CHECK_THROWS_WITH_AS(
      fixed(x, tensor({5, 6})),
      "embedding: index 6 at position (1) is out of range for dimension 0 of size 6; use 0 to 5",
      ShapeError);
}
