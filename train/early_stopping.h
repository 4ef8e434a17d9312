// EarlyStopping: enough, when what the model has not seen gets no better.
//
//   EarlyStopping stopping{.patience = 5};
//   if (stopping.judge(held_out_loss)) save_best();
//   if (stopping.enough()) break;
#pragma once

#include <limits>

#include "../core/shape.h"

namespace tapehead::train {

using core::Index;

struct EarlyStopping {
  Index patience = 0;    // so many judgements without a new best are enough; 0: never
  double min_delta = 0;  // by which a loss must be lower to be a new best

  double best = std::numeric_limits<double>::infinity();
  Index waited = 0;  // judgements since then

  /// Whether this loss is a new best. NaN never is.
  bool judge(double loss) {
    const bool better = loss < best - min_delta;
    waited = better ? 0 : waited + 1;
    if (better) best = loss;
    return better;
  }
  bool enough() const { return patience > 0 && waited >= patience; }
};

}  // namespace tapehead::train
