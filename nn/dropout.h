// Dropout: while training, each element is 0 with probability p and the others are scaled by
// 1 / (1 - p), so that nothing need change at evaluation (Srivastava et al., 2014).
//
//   Dropout dropout(0.1);
//   dropout(x);                 // draws from the default generator, as PyTorch does
//   dropout.eval(), dropout(x); // x itself
#pragma once

#include "../autograd/ops.h"
#include "../core/text.h"
#include "module.h"
#include "repr.h"

namespace tapehead::nn {

class Dropout : public Layer<Dropout> {
 public:
  /// Error unless 0 <= p <= 1.
  explicit Dropout(double probability = 0.5) : p(probability) {
    if (!(p >= 0 && p <= 1)) fail("Dropout: p is a probability from 0 to 1, got ", p);
  }

  Tensor forward(const Tensor& x) { return dropout(x, p, is_training()); }

  std::string extra_repr() const override {
    return core::to_text("p=", detail::python(p), ", inplace=False");
  }

  const double p;
};

}  // namespace tapehead::nn
