// Layer normalisation over the last dimensions: y = (x - mean) / sqrt(var + eps) * weight + bias,
// the variance biased and eps inside the root (Ba, Kiros and Hinton, 2016). And RMS normalisation,
// y = x / sqrt(mean(x^2) + eps) * weight (Zhang and Sennrich, 2019): the same with 0 for the mean.
#pragma once

#include "ndarray.h"

namespace tapehead::core {

/// y (shape of x), and the mean and 1/std of each normalised row.
struct LayerNorm {
  NDArray y, mean, rstd;
};
/// `weight` and `bias` have the shape of the last dimensions of x over which is normalised; either
/// may be undefined (1 and 0), so `normalized` gives that shape.
LayerNorm layer_norm(const NDArray& x, const Shape& normalized, const NDArray& weight,
                     const NDArray& bias, double eps);

/// With h = g w and z = (x - mean) rstd:  dx = rstd (h - mean(h) - z mean(h z)),
/// dweight = sum over rows (g z),  dbias = sum over rows (g).
/// `weight` may be undefined; dweight and dbias are made in any case.
struct LayerNormGrads {
  NDArray x, weight, bias;
};
LayerNormGrads layer_norm_backward(const NDArray& g, const NDArray& x, const Shape& normalized,
                                   const NDArray& weight, const NDArray& mean, const NDArray& rstd);

/// y, and 1 / sqrt(mean(x^2) + eps) of each row; no mean.
LayerNorm rms_norm(const NDArray& x, const Shape& normalized, const NDArray& weight, double eps);
/// With h = g w and z = x rstd:  dx = rstd (h - z mean(h z)),  dweight = sum over rows (g z).
/// There is no bias.
LayerNormGrads rms_norm_backward(const NDArray& g, const NDArray& x, const Shape& normalized,
                                 const NDArray& weight, const NDArray& rstd);

}  // namespace tapehead::core
