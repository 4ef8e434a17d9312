// ParamGroup: parameters that an optimiser treats in a way of their own.
//
//   const auto [matrices, others] = optim::split_matrices(model.parameters());
//   optim::AdamW optimizer({{.params = matrices, .weight_decay = 0.1},
//                           {.params = others, .weight_decay = 0}}, {.lr = 3e-4});
#pragma once

#include <optional>
#include <vector>

#include "../autograd/tensor.h"

namespace tapehead::optim {

/// What is not given is the optimiser's.
struct ParamGroup {
  std::vector<Tensor> params;
  std::optional<double> lr = {}, weight_decay = {};
};

struct Split {
  std::vector<Tensor> matrices, others;
};
/// By rank, in the order given: weights of linear layers and embeddings have two dimensions or
/// more, biases and the parameters of norms fewer. Weight decay is for the former (GPT-3's and
/// nanoGPT's rule).
Split split_matrices(const std::vector<Tensor>& parameters);

}  // namespace tapehead::optim
