// Optimizer: changes parameters by their gradients.
//
//   optim::Adam optimizer(model.parameters(), {.lr = 3e-4});
//   optimizer.zero_grad();
//   loss.backward();
//   optimizer.step();
//
// A parameter without a gradient is left alone: no decay, no momentum, no count of a step. One that
// is listed twice, as tied weights may be, is stepped once. Changing `lr` takes effect at once.
#pragma once

#include <string>
#include <vector>

#include "../autograd/tensor.h"

namespace tapehead::optim {

class Optimizer {
 public:
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;
  virtual ~Optimizer() = default;

  /// One update of every parameter that has a gradient. Error if a parameter has changed its shape
  /// or dtype since its first, has another than its gradient, or shows one element at two places;
  /// then none is updated.
  virtual void step() = 0;
  /// Forgets all gradients: they become undefined.
  void zero_grad();

  double lr() const { return lr_; }
  /// Error unless 0 <= lr < inf.
  void set_lr(double lr);
  /// Each once.
  const std::vector<Tensor>& parameters() const { return parameters_; }

 protected:
  /// Error for no parameters, for one that is the result of an op or shows one element at two
  /// places, and for two that share memory and are not the same tensor.
  Optimizer(std::string name, const std::vector<Tensor>& parameters, double lr);

  /// Error naming the optimiser unless 0 <= value < limit.
  void check(const char* what, double value, double limit) const;
  /// Those that have a gradient, by their place in parameters(). ShapeError if one of them is not
  /// like its gradient, or shows one element at two places.
  std::vector<std::size_t> due() const;
  /// A zeroed array like `parameter` in `state`, made if it is not there yet; Error if one is there
  /// that no longer fits.
  void prepare(NDArray& state, const Tensor& parameter) const;

 private:
  void append(const Tensor& parameter);

  std::string name_;
  std::vector<Tensor> parameters_;
  double lr_ = 0;
};

}  // namespace tapehead::optim
