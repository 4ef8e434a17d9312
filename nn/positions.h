// Positions: attention alone does not know the order of its inputs, so each position adds a vector.
//
//   SinusoidalPositions positions(512, d_model);
//   x = positions(embedding(tokens));   // (B, T, d_model), T <= 512
#pragma once

#include "../autograd/ops.h"
#include "module.h"

namespace tapehead::nn {

/// pe[t, 2i] = sin(t / 10000^(2i / d)), pe[t, 2i + 1] = cos of the same angle; (max_len, d_model).
/// An odd d_model has one cosine fewer. Float32 or Float64. (Vaswani et al., 2017, section 3.5)
Tensor sinusoidal_encoding(Index max_len, Index d_model, DType dtype = Float32);

/// Adds fixed sines and cosines.
class SinusoidalPositions : public Layer<SinusoidalPositions> {
 public:
  /// Error for sizes below 1.
  SinusoidalPositions(Index max_len, Index d_model);

  /// (B, T, d_model) -> the same. The tokens are at `positions`, Int64 (T) or (B, T), by default
  /// the first T. ShapeError for one of max_len or more.
  Tensor forward(const Tensor& x, const Tensor& positions = {});

  Tensor encoding;  // (max_len, d_model), a buffer that is not saved
};

/// Adds vectors that are learnt, drawn at first as those of Embedding(max_len, d_model).
class LearnedPositions : public Layer<LearnedPositions> {
 public:
  /// Error for sizes below 1.
  LearnedPositions(Index max_len, Index d_model);

  /// (B, T, d_model) -> the same. The tokens are at `positions`, Int64 (T) or (B, T), by default
  /// the first T. ShapeError for one of max_len or more.
  Tensor forward(const Tensor& x, const Tensor& positions = {});

  Parameter weight;  // (max_len, d_model)
};

}  // namespace tapehead::nn
