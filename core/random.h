// Random arrays, the same ones as PyTorch's on the CPU for the same seed and calls.
//
//   Generator generator(0);
//   rand(generator, {3}, DType::Float32)   // 0.4963, 0.7682, 0.0885
//
// Each function consumes the generator exactly as the PyTorch function of that name does. A caller
// that draws from default_generator() holds its lock.
#pragma once

#include "generator.h"
#include "ndarray.h"

namespace tapehead::core {

/// Uniform in [0, 1). Float32 or Float64.
NDArray rand(Generator& generator, const Shape& shape, DType dtype);
/// Normal, mean 0 and deviation 1. Float32 or Float64.
NDArray randn(Generator& generator, const Shape& shape, DType dtype);
/// Whole numbers in [low, high), of any dtype that holds them all. Error if there are none.
NDArray randint(Generator& generator, Index low, Index high, const Shape& shape, DType dtype);
/// 0 … n-1 in random order. Int64. One 32-bit draw a step, as in PyTorch 1.13; later versions
/// shuffle otherwise from n = 214,748,364 on.
NDArray randperm(Generator& generator, Index n);

/// 1 with probability p, else 0. Any dtype; Error unless 0 <= p <= 1.
NDArray bernoulli(Generator& generator, double p, const Shape& shape, DType dtype);
/// The same for each element's own probability; the result has their dtype. Float32 or Float64.
NDArray bernoulli(Generator& generator, const NDArray& probabilities);

/// Int64 (n) or (rows, n): indices drawn by the weights (categories) or (rows, categories), which
/// need not add up to 1; each at most once unless `replacement`. Float32 or Float64. ShapeError for
/// other ranks and for n outside [1, categories] (any n above 0 with replacement); Error for
/// weights that are negative or not finite, and for rows with fewer than n weights above 0 (1 with
/// replacement).
NDArray multinomial(Generator& generator, const NDArray& weights, Index n, bool replacement);

// In place, for initialisers: Tensor.uniform_, Tensor.normal_ and Tensor.bernoulli_. Any strides;
// the draws follow the order in memory. ShapeError where the target's memory overlaps itself.
// Messages name `op`.

/// Whole numbers in [low, high), as randint.
void randint_(Generator& generator, NDArray& target, Index low, Index high, const char* op);
/// Uniform in [from, to). Float32 or Float64; Error unless from <= to and both are in its range.
void uniform_(Generator& generator, NDArray& target, double from, double to,
              const char* op = "uniform_");
/// Normal. Float32 or Float64; Error unless std >= 0.
void normal_(Generator& generator, NDArray& target, double mean, double std,
             const char* op = "normal_");
/// Exponential, mean 1. Float32 or Float64.
void exponential_(Generator& generator, NDArray& target);
/// 1 with probability p, else 0.
void bernoulli_(Generator& generator, NDArray& target, double p);

}  // namespace tapehead::core
