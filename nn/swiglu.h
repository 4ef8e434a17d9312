// SwiGLU: a feed-forward network whose hidden layer is gated, w2(silu(w1 x) * w3 x) (Shazeer,
// 2020). Names and order are Llama's.
//
//   SwiGLU ff(512, 1376);
//   ff(x);                // (..., 512) -> (..., 512)
#pragma once

#include "dropout.h"
#include "linear.h"

namespace tapehead::nn {

class SwiGLU : public Layer<SwiGLU> {
 public:
  /// `p` is the dropout of what it returns. Error for sizes below 1, or p outside [0, 1].
  SwiGLU(Index d_model, Index d_ff, double p = 0.0, bool bias = false)
      : w1(d_model, d_ff, bias), w2(d_ff, d_model, bias), w3(d_model, d_ff, bias), dropout(p) {
    add("w1", w1);
    add("w2", w2);
    add("w3", w3);
    add("dropout", dropout);
  }

  /// (..., d_model) -> the same.
  Tensor forward(const Tensor& x) {
    const Tensor hidden = silu(w1(x)) * w3(x);  // (..., d_ff)
    return dropout(w2(hidden));                 // (..., d_model)
  }

  Linear w1, w2, w3;
  Dropout dropout;
};

}  // namespace tapehead::nn
