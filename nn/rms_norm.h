// RMSNorm: x / sqrt(mean(x^2) + eps) * weight over the last dimensions of each element (Zhang and
// Sennrich, 2019).
//
//   RMSNorm norm(512, 1e-5);
//   norm(x);               // (..., 512) -> (..., 512)
#pragma once

#include <optional>

#include "../autograd/create.h"
#include "../autograd/ops.h"
#include "../core/text.h"
#include "module.h"
#include "repr.h"

namespace tapehead::nn {

/// torch.nn.RMSNorm, which PyTorch has from 2.4 on.
class RMSNorm : public Layer<RMSNorm> {
 public:
  /// Without an epsilon it is the distance from 1 to the next number of the dtype.
  /// `elementwise_affine`: with a weight, at first 1, per element.
  explicit RMSNorm(Index size, std::optional<double> epsilon = {}, bool elementwise_affine = true)
      : RMSNorm(Shape{size}, epsilon, elementwise_affine) {}
  explicit RMSNorm(const Shape& shape, std::optional<double> epsilon = {},
                   bool elementwise_affine = true)
      : normalized_shape(shape), eps(epsilon) {
    add("weight", weight);
    if (elementwise_affine) weight = Parameter(ones(shape));
  }

  /// (..., *normalized_shape) -> the same.
  Tensor forward(const Tensor& x) { return rms_norm(x, normalized_shape, weight, eps); }

  std::string extra_repr() const override {
    return core::to_text(detail::python(normalized_shape),
                         ", eps=", eps ? detail::python(*eps) : "None",
                         ", elementwise_affine=", detail::python(weight.defined()));
  }

  const Shape normalized_shape;
  const std::optional<double> eps;
  Parameter weight;  // normalized_shape, or undefined
};

}  // namespace tapehead::nn
