// Softmax and its relatives, each in one pass over memory, the maximum subtracted first.
// Float32 and Float64; `d` may be negative; a 0-d array accepts 0 or -1.
#pragma once

#include "reduce.h"

namespace tapehead::core {

/// y_i = exp(x_i) / sum_j exp(x_j) along d.
NDArray softmax(const NDArray& x, int d);
/// dx = y (g - sum(g y)).
NDArray softmax_backward(const NDArray& g, const NDArray& y, int d);

/// y_i = x_i - log sum_j exp(x_j) along d.
NDArray log_softmax(const NDArray& x, int d);
/// dx = g - exp(y) sum(g).
NDArray log_softmax_backward(const NDArray& g, const NDArray& y, int d);

/// log sum exp over `axes`, -inf where every element is (or none is there).
NDArray logsumexp(const NDArray& x, const Axes& axes, bool keepdim = false);

/// ShapeError for a class number outside [0, classes) that is not `ignore_index`.
void check_targets(const char* op, const NDArray& target, Index classes, Index ignore_index);
/// Cross-entropy of each row of logits (N, C) with an Int64 target class (N), label smoothing
/// included, PyTorch's definition; 0 where the target is `ignore_index`. ShapeError for a target
/// outside [0, C) that is not ignored.
struct CrossEntropy {
  NDArray loss;         // (N)
  NDArray log_softmax;  // (N, C), which the backward needs: a log sum exp alone would round away
                        // small differences between large logits
};
CrossEntropy cross_entropy(const NDArray& logits, const NDArray& target, Index ignore_index,
                           double label_smoothing);
/// (N, C) from the gradient (N) of each row's loss; rows that were ignored get zeros.
NDArray cross_entropy_backward(const NDArray& g, const NDArray& log_softmax, const NDArray& target,
                               Index ignore_index, double label_smoothing);

}  // namespace tapehead::core
