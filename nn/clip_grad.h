// Clipping: keeps one bad batch from throwing the parameters far away.
//
//   loss.backward();
//   optim::clip_grad_norm_(model.parameters(), 1.0);
//   optimizer.step();
#pragma once

#include <vector>

#include "../autograd/tensor.h"

namespace tapehead::optim {

/// Where the norm of all gradients, taken as one vector, exceeds `max_norm`, scales them by
/// max_norm / (norm + 1e-6), PyTorch's formula; never up. Returns the norm before. Parameters
/// without a gradient don't count, and one listed twice counts once. Error unless max_norm >= 0.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm);

}  // namespace tapehead::optim
