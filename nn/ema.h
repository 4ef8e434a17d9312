// EMA: a running average of a model's weights, which is often better than the last of them.
//
//   optim::EMA ema(model, 0.999);
//   optimizer.step();
//   ema.update();
//   ema.swap();              // now the model has the averages, e.g. to evaluate
//   ema.swap();              // and now its own weights again
#pragma once

#include "module.h"

namespace tapehead::optim {

class EMA {
 public:
  /// The averages begin as copies of all parameters. Error unless 0 <= decay <= 1.
  EMA(const nn::Module& model, double decay);

  /// average = decay average + (1 - decay) parameter. Error if a parameter has changed its shape or
  /// dtype since; then none is updated.
  void update();
  /// Exchanges parameters and averages, in place. Error as update().
  void swap();

  /// The averages by the parameters' names, sharing memory; a tied parameter is there once.
  NamedTensors state_dict() const;
  /// Error, with all that is missing, unexpected or does not fit, or with a name that is there
  /// twice, and nothing loaded.
  void load_state_dict(const NamedTensors& state);

 private:
  void check() const;

  NamedTensors parameters_;
  std::vector<NDArray> averages_;  // of each parameter, row-major
  double decay_;
};

}  // namespace tapehead::optim
