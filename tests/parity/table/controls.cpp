// What is no op but belongs to a graph: leaves, and what is asked of the tape.
#include "draws.h"

namespace parity::rows {
namespace {

Drawn never(Draw&) { return {}; }
Operand operand(const Argument& argument) {
  const auto* x = std::get_if<Operand>(&argument);
  return x == nullptr ? Operand() : *x;
}

// Both libraries are asked only for what depends on something: outputs without a history give
// nothing.
Results our_grad(const Call& c) {
  std::vector<Tensor> outputs, weights;
  const std::vector<Tensor> all = c.tensors(0), all_weights = c.tensors(2);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].defined() && all[i].requires_grad())
      outputs.push_back(all[i]), weights.push_back(all_weights[i]);
  const std::vector<Tensor> inputs = c.tensors(1);
  if (outputs.empty()) return std::vector<Tensor>(inputs.size());
  return tapehead::autograd::grad(outputs, inputs, weights, {}, c.flag(3), true);
}

}  // namespace

Rows controls() {
  constexpr auto kind = Row::Control;
  return {
      {"leaf", "leaf", never,
       [](const Call& c) -> Results {
         return tapehead::tensor(c.numbers(2), c.dims(0), c.dtype(1));
       },
       [](Peer& p, const Arguments& a) {
         return Operands{
             p.leaf(std::get<Numbers>(a[2]), std::get<Indices>(a[0]), std::get<DType>(a[1]))};
       },
       kind},
      {"clone", "clone", never, [](const Call& c) -> Results { return clone(c[0]); }, nullptr,
       Row::Fresh},
      {"detach", "detach", never, [](const Call& c) -> Results { return c[0].detach(); }, nullptr,
       Row::View},
      {"requires_grad_", "requires_grad_", never,
       [](const Call& c) -> Results {
         Tensor x = c[0];
         x.requires_grad_(c.flag(1));
         return std::vector<Tensor>();
       },
       [](Peer& p, const Arguments& a) {
         p.requires_grad(operand(a[0]), std::get<bool>(a[1]));
         return Operands();
       },
       kind},
      {"retain_grad", "retain_grad", never,
       [](const Call& c) -> Results {
         Tensor x = c[0];
         x.retain_grad();
         return std::vector<Tensor>();
       },
       [](Peer& p, const Arguments& a) {
         p.retain_grad(operand(a[0]));
         return Operands();
       },
       kind},
      {"zero_grad", "zero_grad", never,
       [](const Call& c) -> Results {
         Tensor x = c[0];
         x.zero_grad();
         return std::vector<Tensor>();
       },
       [](Peer& p, const Arguments& a) {
         p.zero_grad(operand(a[0]));
         return Operands();
       },
       kind},
      {"gradient", "gradient", never,
       [](const Call& c) -> Results {
         const Tensor g = c[0].grad();
         return g.defined() ? g.detach().clone() : Tensor();
       },
       [](Peer& p, const Arguments& a) { return Operands{p.gradient(operand(a[0]))}; }, kind},
      {"backward", "backward", never,
       [](const Call& c) -> Results {
         c[0].backward(c[1], c.flag(2), c.flag(3));
         return std::vector<Tensor>();
       },
       [](Peer& p, const Arguments& a) {
         p.backward(operand(a[0]), operand(a[1]), std::get<bool>(a[2]), std::get<bool>(a[3]));
         return Operands();
       },
       kind},
      {"grad", "grad", never, our_grad,
       [](Peer& p, const Arguments& a) {
         return p.grad(std::get<Operands>(a[0]), std::get<Operands>(a[1]), std::get<Operands>(a[2]),
                       std::get<bool>(a[3]));
       },
       kind},
  };
}

}  // namespace parity::rows
