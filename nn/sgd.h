// SGD: stochastic gradient descent, with momentum if wished. Formulas: core/update.h.
#pragma once

#include "optimizer.h"

namespace tapehead::optim {

struct SGDOptions {
  double lr;
  double momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;
};

/// torch.optim.SGD, bit for bit.
class SGD : public Optimizer {
 public:
  /// Error for a negative or infinite lr, momentum or weight_decay, or nesterov without momentum or
  /// with dampening.
  SGD(const std::vector<Tensor>& parameters, const SGDOptions& options)
      : SGD(std::vector<ParamGroup>{{.params = parameters}}, options) {}
  SGD(const std::vector<ParamGroup>& groups, const SGDOptions& options);

  void step() override;

 private:
  SGDOptions options_;
};

}  // namespace tapehead::optim
