// LayerNorm: (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions of each element,
// the variance biased (Ba, Kiros and Hinton, 2016).
//
//   LayerNorm norm(512);
//   norm(x);               // (..., 512) -> (..., 512)
#pragma once

#include "../autograd/create.h"
#include "../autograd/ops.h"
#include "../core/text.h"
#include "module.h"
#include "repr.h"

namespace tapehead::nn {

class LayerNorm : public Layer<LayerNorm> {
 public:
  /// `elementwise_affine`: with a weight, at first 1, and a bias, at first 0, per element.
  explicit LayerNorm(Index size, double epsilon = 1e-5, bool elementwise_affine = true)
      : LayerNorm(Shape{size}, epsilon, elementwise_affine) {}
  explicit LayerNorm(const Shape& shape, double epsilon = 1e-5, bool elementwise_affine = true)
      : normalized_shape(shape), eps(epsilon) {
    add("weight", weight);
    add("bias", bias);
    if (!elementwise_affine) return;
    weight = Parameter(ones(shape));
    bias = Parameter(zeros(shape));
  }

  /// (..., *normalized_shape) -> the same.
  Tensor forward(const Tensor& x) { return layer_norm(x, normalized_shape, weight, bias, eps); }

  std::string extra_repr() const override {
    return core::to_text(detail::python(normalized_shape), ", eps=", detail::python(eps),
                         ", elementwise_affine=", detail::python(weight.defined()));
  }

  const Shape normalized_shape;
  const double eps;
  Parameter weight, bias;  // normalized_shape, or undefined
};

}  // namespace tapehead::nn
