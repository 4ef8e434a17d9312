// FeedForward: two linear layers with an activation between, applied to each position alone.
#pragma once

#include "activations.h"
#include "dropout.h"
#include "linear.h"

namespace tapehead::nn {

class FeedForward : public Layer<FeedForward> {
 public:
  /// `p` is the dropout after the activation. Error for sizes below 1, or p outside [0, 1].
  FeedForward(Index d_model, Index d_ff, double p = 0.1, Activation chosen = Activation::ReLU)
      : linear1(d_model, d_ff), linear2(d_ff, d_model), dropout(p), activation(chosen) {
    add("linear1", linear1);
    add("linear2", linear2);
    add("dropout", dropout);
  }

  /// (..., d_model) -> the same.
  Tensor forward(const Tensor& x) {
    const Tensor hidden = activate(activation, linear1(x));  // (..., d_ff)
    return linear2(dropout(hidden));                         // (..., d_model)
  }

  Linear linear1, linear2;
  Dropout dropout;
  const Activation activation;
};

}  // namespace tapehead::nn
