// Activations as modules, for Sequential.
#pragma once

#include <string>

#include "../autograd/ops.h"
#include "../core/text.h"
#include "module.h"

namespace tapehead::nn {

/// max(x, 0).
class ReLU : public Layer<ReLU> {
 public:
  Tensor forward(const Tensor& x) { return relu(x); }
};

/// x Phi(x), or with "tanh" its approximation (Hendrycks and Gimpel, 2016).
class GELU : public Layer<GELU> {
 public:
  explicit GELU(std::string approximation = "none") : approximate(std::move(approximation)) {}
  Tensor forward(const Tensor& x) { return gelu(x, approximate); }

  std::string extra_repr() const override {
    return core::to_text("approximate='", approximate, "'");
  }

  const std::string approximate;
};

/// Which of them a block uses.
enum class Activation { ReLU, GELU };
inline Tensor activate(Activation activation, const Tensor& x) {
  return activation == Activation::ReLU ? relu(x) : gelu(x);
}

}  // namespace tapehead::nn
