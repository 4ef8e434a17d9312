// CrossEntropyLoss: how surprised the model is by the right answer, -log softmax(logits)[target].
//
//   CrossEntropyLoss loss;
//   loss(logits, targets).backward();   // (N, C) and Int64 (N) -> ()
#pragma once

#include "../autograd/ops.h"
#include "module.h"

namespace tapehead::nn {

class CrossEntropyLoss : public Layer<CrossEntropyLoss> {
 public:
  explicit CrossEntropyLoss(const CrossEntropyOptions& settings = {}) : options(settings) {}

  /// Shapes, and what is thrown, as for cross_entropy.
  Tensor forward(const Tensor& logits, const Tensor& target) {
    return cross_entropy(logits, target, options);
  }

  const CrossEntropyOptions options;
};

}  // namespace tapehead::nn
