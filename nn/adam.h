// Adam and AdamW: steps of a size adapted to each number's gradients. Formulas: core/update.h.
#pragma once

#include <array>

#include "optimizer.h"

namespace tapehead::optim {

struct AdamOptions {
  double lr = 1e-3;
  std::array<double, 2> betas{0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 0;
};

/// torch.optim.Adam, bit for bit: weight decay is added to the gradient (Kingma and Ba, 2015).
class Adam : public Optimizer {
 public:
  /// Error for a negative or infinite option, or a beta of 1 or more.
  explicit Adam(const std::vector<Tensor>& parameters, const AdamOptions& options = {})
      : Adam(std::vector<ParamGroup>{{.params = parameters}}, options) {}
  explicit Adam(const std::vector<ParamGroup>& groups, const AdamOptions& options = {})
      : Adam("Adam", groups, options, Decay::L2) {}

  void step() override;

 protected:
  enum class Decay { L2, Decoupled };
  Adam(const char* name, const std::vector<ParamGroup>& groups, const AdamOptions& options,
       Decay decay);

 private:
  AdamOptions options_;
  Decay decay_;
};

struct AdamWOptions {
  double lr = 1e-3;
  std::array<double, 2> betas{0.9, 0.999};
  double eps = 1e-8;
  double weight_decay = 1e-2;
};

/// torch.optim.AdamW, bit for bit: weight decay shrinks the parameter itself, by lr weight_decay
/// (Loshchilov and Hutter, 2019).
class AdamW : public Adam {
 public:
  explicit AdamW(const std::vector<Tensor>& parameters, const AdamWOptions& options = {})
      : AdamW(std::vector<ParamGroup>{{.params = parameters}}, options) {}
  explicit AdamW(const std::vector<ParamGroup>& groups, const AdamWOptions& options = {})
      : Adam("AdamW", groups, {options.lr, options.betas, options.eps, options.weight_decay},
             Decay::Decoupled) {}
};

}  // namespace tapehead::optim
