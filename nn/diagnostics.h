// Is it learning at all? Questions to ask of a model between its steps.
//
//   optim::GradientWatch watch(model);
//   optim::UpdateRatios ratios(model);
//   …                                     // some steps, each with watch.look() after backward()
//   watch.never();                        // {"decoder.1.norm.weight"}: forgotten in forward()?
//   ratios.next();                        // {{"head.weight", 1e-3}, …}: about 1e-3 a step is
//   healthy
#pragma once

#include "module.h"

namespace tapehead::optim {

/// Which parameters never get a gradient.
class GradientWatch {
 public:
  explicit GradientWatch(const nn::Module& model);

  /// Looks at the gradients of now: to be called after backward().
  void look();
  /// The names of those that require a gradient and at every look had none, or one of nothing but
  /// zeros. None before the first look.
  std::vector<std::string> never() const;

 private:
  NamedTensors waiting_;
  bool looked_ = false;
};

/// How far one parameter has moved, as a part of its own size.
struct UpdateRatio {
  std::string name;
  double ratio;  // ||w - w before|| / ||w before||; 0 where it has not moved
};

class UpdateRatios {
 public:
  explicit UpdateRatios(const nn::Module& model);

  /// Of all parameters, since the last call, or the construction. Error if one has changed its
  /// shape or dtype.
  std::vector<UpdateRatio> next();

 private:
  NamedTensors parameters_;
  std::vector<NDArray> before_;  // of each parameter
};

}  // namespace tapehead::optim
