#include <doctest/doctest.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/train/batches.h>

#include <algorithm>
#include <numeric>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::difference;

namespace {

// Batches that are the numbers of their examples.
Batches numbers(Index count, Index size, std::uint64_t seed = 0) {
  return in_epochs(core::Generator(seed), count, size, [](const std::vector<Index>& which) {
    const Tensor all = tensor(which, {1, static_cast<Index>(which.size())});
    return data::Batch{all, all};
  });
}

std::vector<Index> epoch(Batches& batches, Index count) {
  std::vector<Index> seen;
  while (static_cast<Index>(seen.size()) < count)
    for (const double i : testing::values(batches.next().inputs))
      seen.push_back(static_cast<Index>(i));
  return seen;
}

}  // namespace

TEST_CASE("each example comes once an epoch, in another order each time") {
  Batches batches = numbers(10, 4);
  std::vector<Index> want(10);
  std::iota(want.begin(), want.end(), 0);
  const std::vector<Index> first = epoch(batches, 10), second = epoch(batches, 10);
  CHECK(first.size() == 10);  // the last batch is what is left
  CHECK(first != second);
  for (std::vector<Index> seen : {first, second}) {
    std::sort(seen.begin(), seen.end());
    CHECK(seen == want);
  }
  CHECK(batches.next().inputs.size(1) == 4);
}

TEST_CASE("batches go on from every place of an epoch, and from between two") {
  for (Index steps = 0; steps < 8; ++steps) {
    Batches batches = numbers(10, 4), resumed = numbers(10, 4, 99);
    for (Index i = 0; i < steps; ++i) batches.next();
    resumed.set_state(batches.state());
    CHECK(resumed.state() == batches.state());
    for (Index i = 0; i < 8; ++i)
      CHECK(difference(resumed.next().inputs, batches.next().inputs) == "");
  }
}

TEST_CASE("what is drawn goes on with the generator") {
  const auto draw = [](core::Generator& random) {
    const Tensor all(core::randint(random, 0, 1000, {2, 3}, Int64));
    return data::Batch{all, all};
  };
  Batches batches = drawn(core::Generator(1), draw), resumed = drawn(core::Generator(2), draw);
  batches.next();
  resumed.set_state(batches.state());
  CHECK(difference(resumed.next().inputs, batches.next().inputs) == "");
  CHECK_FALSE(equal(resumed.next().inputs, resumed.next().inputs));
}

TEST_CASE("a state that is none, or of other data, is refused and changes nothing") {
  Batches batches = numbers(10, 4), other = numbers(11, 4);
  batches.next();
  const std::string before = batches.state();
  CHECK_THROWS_WITH_AS(batches.set_state("place"),
                       "in_epochs: expected a state of batches of 10 examples, got \"place\"",
                       Error);
  CHECK_THROWS_WITH_AS(batches.set_state(other.state()),
                       ("in_epochs: expected a state of batches of 10 examples, got \"" +
                        other.state().substr(0, 40) + "…\"")
                           .c_str(),
                       Error);
  CHECK_THROWS_WITH_AS(batches.set_state("place 11 of 10 " + before.substr(14)),
                       ("in_epochs: expected a state of batches of 10 examples, got \"" +
                        ("place 11 of 10 " + before.substr(14)).substr(0, 40) + "…\"")
                           .c_str(),
                       Error);
  CHECK_THROWS_WITH_AS(batches.set_state("place +4 of 10 " + before.substr(14)),
                       ("in_epochs: expected a text made by state(), got \"" +
                        ("place +4 of 10 " + before.substr(14)).substr(0, 40) + "…\"")
                           .c_str(),
                       Error);
  CHECK_THROWS_WITH_AS(batches.set_state("place 4 of 10 mt19937 1"),
                       "set_state: expected a text made by state(), got \"mt19937 1\" (9 "
                       "characters)",
                       Error);
  CHECK(batches.state() == before);
  CHECK_THROWS_WITH_AS(numbers(0, 4), "in_epochs: count and size must be at least 1, got 0 and 4",
                       Error);
}
