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

#include "param_group.h"

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
  /// Error unless 0 <= lr < inf. A group with a rate of its own keeps its ratio to this one.
  void set_lr(double lr);
  /// Each once.
  const std::vector<Tensor>& parameters() const { return parameters_; }

  /// All that goes from one step to the next: `lr` and, of each parameter that has been stepped,
  /// `state.I.step` and its buffers by PyTorch's names (`state.I.exp_avg`), I its place in
  /// parameters(). The buffers share memory with this optimiser. The options that it was made with
  /// are not among them.
  NamedTensors state_dict() const;
  /// Goes on from there. Error, with all that is missing, unexpected or does not fit, or with a
  /// name that is there twice, and nothing loaded.
  void load_state_dict(const NamedTensors& state);

 protected:
  /// What step() remembers of a parameter.
  struct State {
    Index steps = 0;
    std::vector<NDArray> buffers;  // row-major
  };

  /// `buffers` are the names of those that each parameter has. Error for no parameters, for one
  /// that is the result of an op, shows one element at two places or is in two groups, for two that
  /// share memory and are not the same tensor, and for a rate or decay that is negative or
  /// infinite.
  Optimizer(std::string name, const std::vector<ParamGroup>& groups, double lr, double weight_decay,
            std::vector<std::string> buffers);

  /// Error naming the optimiser unless 0 <= value < limit.
  void check(const char* what, double value, double limit) const;
  /// Those that have a gradient, by their place in parameters(). Their buffers are there, at first
  /// all zero, and the step is counted. Error as step(); then none is counted.
  std::vector<std::size_t> begin_step();

  State& state(std::size_t i) { return states_[i]; }
  double lr(std::size_t i) const;
  double weight_decay(std::size_t i) const;

 private:
  struct Settings {
    std::optional<double> lr;
    double weight_decay;
  };

  void append(const ParamGroup& group, double weight_decay);
  void append(const Tensor& parameter, std::size_t group);
  void check_gradient(std::size_t i, const Tensor& grad) const;
  void prepare(std::size_t i);

  std::string name_;
  std::vector<Tensor> parameters_;
  std::vector<std::size_t> group_of_;  // of each parameter
  std::vector<Settings> settings_;     // of each group
  std::vector<std::string> buffers_;
  std::vector<State> states_;  // of each parameter
  double lr_ = 0, first_lr_ = 0;
};

}  // namespace tapehead::optim
