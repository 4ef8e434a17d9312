#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/cross_entropy_loss.h>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using nn::CrossEntropyLoss;

TEST_CASE("cross-entropy loss computes the op with its own options") {
  const Tensor logits = testing::noise({3, 4}), target = tensor({0, 3, 1});
  CHECK(testing::difference(CrossEntropyLoss()(logits, target), cross_entropy(logits, target)) ==
        "");
  const CrossEntropyOptions options{
      .ignore_index = 3, .reduction = Reduction::Sum, .label_smoothing = 0.1};
  CHECK(testing::difference(CrossEntropyLoss(options)(logits, target),
                            cross_entropy(logits, target, options)) == "");
}

TEST_CASE("cross-entropy loss has right gradients and no parameters") {
  CrossEntropyLoss loss;
  const Tensor target = tensor({0, 3, 1});
  CHECK(testing::strict_gradcheck([&](const auto& x) { return loss(x[0], target); },
                                  {testing::noise({3, 4}).requires_grad_()}));
  CHECK(loss.parameters().empty());
}
