#include "muon.h"

#include <algorithm>
#include <cmath>

#include "../core/elementwise.h"
#include "../core/matmul.h"
#include "../core/update.h"

namespace tapehead::optim {
namespace {

// u x + (1 - u) y
NDArray mixed(double u, const NDArray& x, const NDArray& y) {
  return core::add(core::mul(x, u), core::mul(y, 1 - u));
}

}  // namespace

NDArray newton_schulz(const NDArray& g) {
  constexpr double a = 3.4445, b = -4.7750, c = 2.0315;
  if (g.shape()[0] > g.shape()[1]) return newton_schulz(g.transpose(0, 1)).transpose(0, 1);
  NDArray x = core::div(g, std::sqrt(core::sum_of_squares(g)) + 1e-7);  // (n, m), n <= m
  for (int step = 0; step < 5; ++step) {
    const NDArray A = core::matmul(x, x.transpose(0, 1));                            // (n, n)
    const NDArray B = core::add(core::mul(A, b), core::mul(core::matmul(A, A), c));  // (n, n)
    x = core::add(core::mul(x, a), core::matmul(B, x));                              // (n, m)
  }
  return x;
}

Muon::Muon(const std::vector<ParamGroup>& groups, const MuonOptions& options)
    : Optimizer("Muon", groups, options.lr, options.weight_decay, {"momentum_buffer"}),
      options_(options) {
  check("momentum", options.momentum, 1);
  for (const Tensor& parameter : parameters())
    if (parameter.dim() != 2)
      fail("Muon: parameters must be matrices, got shape ", parameter.shape(),
           "; split_matrices() tells them apart, and AdamW is for the rest");
}

void Muon::step() {
  const double u = options_.momentum;
  for (const std::size_t i : begin_step()) {
    const Tensor& parameter = parameters()[i];
    const NDArray& g = parameter.grad().array();
    NDArray& buffer = state(i).buffers[0];
    buffer = mixed(u, buffer, g);
    const NDArray direction = newton_schulz(options_.nesterov ? mixed(u, buffer, g) : buffer);
    const double n = static_cast<double>(parameter.size(0)),
                 m = static_cast<double>(parameter.size(1));
    NDArray& p = parameter.impl()->array;
    if (weight_decay(i) != 0) core::mul_(p, 1 - lr(i) * weight_decay(i), "Muon");
    core::add_(p, direction, -lr(i) * std::sqrt(std::max(1., n / m)), "Muon");
  }
}

}  // namespace tapehead::optim
