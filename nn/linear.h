// Linear: y = x W^T + b.
//
//   Linear linear(4, 3);       // weight (3, 4), bias (3)
//   linear(rand({2, 5, 4}));   // (2, 5, 3)
#pragma once

#include "../autograd/ops.h"
#include "module.h"

namespace tapehead::nn {

class Linear : public Layer<Linear> {
 public:
  /// Weight and bias are drawn uniformly within 1 / sqrt(in_features), the weight first, as in
  /// PyTorch. Error for sizes below 1.
  Linear(Index in_features, Index out_features, bool bias = true);

  /// (..., in_features) -> (..., out_features).
  Tensor forward(const Tensor& x) { return linear(x, weight, bias); }

  std::string extra_repr() const override;

  const Index in_features, out_features;
  Parameter weight;  // (out_features, in_features)
  Parameter bias;    // (out_features), or undefined
};

}  // namespace tapehead::nn
