#include "sgd.h"

#include <limits>

#include "../core/update.h"

namespace tapehead::optim {

SGD::SGD(const std::vector<Tensor>& params, const SGDOptions& options)
    : Optimizer("SGD", params, options.lr), options_(options), momentum_(parameters().size()) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check("momentum", options.momentum, infinity);
  check("weight_decay", options.weight_decay, infinity);
  if (options.nesterov && (options.momentum == 0 || options.dampening != 0))
    fail("SGD: nesterov needs a momentum and no dampening, got momentum ", options.momentum,
         " and dampening ", options.dampening);
}

void SGD::step() {
  std::vector<bool> first(parameters().size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i] = !momentum_[i].defined();
    if (options_.momentum != 0 && parameters()[i].grad().defined())
      prepare(momentum_[i], parameters()[i]);
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Tensor &parameter = parameters()[i], grad = parameter.grad();
    if (!grad.defined()) continue;
    core::sgd_(parameter.impl()->array, grad.array(), momentum_[i],
               {lr(), options_.momentum, options_.dampening, options_.weight_decay,
                options_.nesterov, first[i]});
  }
}

}  // namespace tapehead::optim
