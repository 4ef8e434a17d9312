// Probe: a function at given tensors, whose elements it can move and puts back. What gradcheck
// measures with.
#pragma once

#include "../gradcheck.h"

namespace tapehead {

/// What is checked: a function, what it is called with, and what its outputs are called.
struct Checked {
  CheckedFunction f;
  std::vector<Tensor> inputs;
  NamedTensors parameters;
  std::vector<std::string> outputs = {};  // "output 0", … where empty

  std::string output_name(std::size_t k) const {
    return outputs.empty() ? "output " + std::to_string(k) : outputs[k];
  }
};
/// The gradient of f as a function of its own: its outputs are the gradients of all that requires
/// one, and the random gradients of f's outputs are parameters.
Checked derivative(const Checked& checked);
/// derivative() order - 1 times. Error for an order below 1.
Checked of_order(Checked checked, int order);

/// Those of a function's outputs that are floating. Error unless they are as many as `weights`, and
/// each of its weight's shape: weights are made where a function is first called, and must fit
/// whatever it returns later.
std::vector<Tensor> matched_outputs(const Outputs& outputs, const std::vector<Tensor>& weights);
/// Error unless eps is a positive number, and atol and rtol are none below 0.
void check_options(const GradcheckOptions& options);

/// One of the tensors whose gradient is checked. When it goes, every element is put back.
struct Target {
  Target(std::string target_name, const Tensor& target)
      : name(std::move(target_name)),
        tensor(target),
        original(target.array().clone()),
        here(original) {}
  Target(Target&&) = default;
  Target& operator=(Target&&) = delete;
  ~Target();

  std::string name;  // "input 0", "parameter W_q.weight"
  Tensor tensor;
  NDArray original;  // its elements before anything was moved, row-major
  NDArray here;      // the point that derivatives are measured at; shared until that is another

  Index size() const { return original.size(); }
  double at(Index i) const { return here.data<double>()[i]; }
  /// Writes element i. No version tells of this: it is going to be taken back.
  void set(Index i, double value);
  /// Writes `here` plus `step` times `speeds`, row-major, to all.
  void set_all(const NDArray& speeds, double step);
};

/// A direction through the space of all targets.
struct Direction {
  /// Element i of a target alone, at speed 1.
  static Direction element(std::size_t target, Index i) { return {target, i, {}}; }
  /// How fast each element moves, row-major, for the targets from `first` on; others stay.
  static Direction through(std::size_t first, std::vector<NDArray> speeds) {
    return {first, none, std::move(speeds)};
  }
  bool of_one_element() const { return i != none; }

  static constexpr Index none = -1;
  std::size_t target;
  Index i;
  std::vector<NDArray> speeds;
};

/// How each element of each output changes along a direction: by central differences, and looking
/// only forward or back.
struct Slopes {
  std::vector<double> central, up, down;
};

class Probe {
 public:
  /// Refuses what gradcheck.h says is refused; calls f twice.
  explicit Probe(Checked checked);

  const Checked& checked() const { return checked_; }
  std::vector<Target>& targets() { return targets_; }
  /// The gradients of all targets where `output` has the gradient `g`, row-major; undefined where
  /// there is none.
  std::vector<NDArray> gradients(const Tensor& output, const NDArray& g, bool create_graph) const;
  /// f's floating outputs, recorded.
  std::vector<Tensor> outputs() const;
  /// The slopes at the point that the targets are at.
  Slopes measure(const Direction& direction, double eps);
  /// Goes to that point plus `step` times a direction, and stays there.
  void move(const Direction& direction, double step);
  /// Makes the original point plus `step` times a direction the point that all that follows is
  /// about; with a step of 0 the original is that again.
  void shift(const Direction& direction, double step);

 private:
  void add_target(std::string name, const Tensor& tensor);
  void refuse_nondeterminism();
  std::vector<double> values() const;

  Checked checked_;
  std::vector<Target> targets_;
  std::vector<Tensor> like_;  // the outputs as they were first
  std::vector<double> here_;  // their elements at the point
};

/// Element i of a row-major gradient; of an undefined one, 0.
inline double element(const NDArray& gradient, Index i) {
  return gradient.defined() ? gradient.data<double>()[i] : 0;
}
/// How fast something with these gradients changes along a direction.
double along(const Direction& direction, const std::vector<NDArray>& gradients);

}  // namespace tapehead
