#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/fork_rng.h>

#include "../support/compare.h"

using namespace tapehead;

TEST_CASE("what is drawn or seeded within a fork is not noticed after it, also where it throws") {
  manual_seed(1);
  randn({3});  // an odd number: the fourth is kept back
  const Tensor want = randn({3});
  manual_seed(1);
  randn({3});
  try {
    const ForkRng fork;
    manual_seed(7);
    rand({5});
    fail("on the way");
  } catch (const Error&) {
  }
  CHECK(testing::difference(randn({3}), want) == "");
}
