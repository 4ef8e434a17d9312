// Muon: momentum whose direction is made orthogonal, for the matrices inside a network.
//
//   const auto [matrices, others] = optim::split_matrices(model.parameters());
//   optim::Muon muon(matrices, {.lr = 0.02});
//   optim::AdamW rest(others, {.lr = 3e-4});       // biases, norms; better also embeddings and
//   head
//
// Source: K. Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024,
// https://kellerjordan.github.io/posts/muon/ and https://github.com/KellerJordan/Muon, which
// multiplies in bfloat16; here it is the parameter's own dtype.
#pragma once

#include "optimizer.h"

namespace tapehead::optim {

struct MuonOptions {
  double lr = 0.02;
  double weight_decay = 0;  // decoupled, as AdamW's
  double momentum = 0.95;
  bool nesterov = true;
};

/// For each matrix W (n, m) with gradient G, u = momentum:
///   b = u b + (1 - u) G;  D = u b + (1 - u) G, or b without nesterov;
///   W = (1 - lr weight_decay) W - lr max(1, n / m)^(1/2) newton_schulz(D).
class Muon : public Optimizer {
 public:
  /// Error for a parameter that is not a matrix, a negative or infinite option, or a momentum of 1
  /// or more.
  explicit Muon(const std::vector<Tensor>& parameters, const MuonOptions& options = {})
      : Muon(std::vector<ParamGroup>{{.params = parameters}}, options) {}
  explicit Muon(const std::vector<ParamGroup>& groups, const MuonOptions& options = {});

  void step() override;

 private:
  MuonOptions options_;
};

/// (n, m), any strides, to the same: with the same singular vectors, and singular values near 1
/// (between 0.68 and 1.21, where they were at least 0.002 of the norm). Five steps of
///   A = X X^T,  X = a X + (b A + c A^2) X,  (a, b, c) = (3.4445, -4.7750, 2.0315),
/// from X = G / (||G|| + 1e-7), transposed meanwhile where n > m.
NDArray newton_schulz(const NDArray& g);

}  // namespace tapehead::optim
