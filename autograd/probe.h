// Probe: a function at given tensors, whose elements it can move and puts back. What gradcheck
// measures with.
#pragma once

#include "gradcheck.h"

namespace tapehead {

/// One of the tensors whose gradient is checked. When it goes, every element is put back.
struct Target {
  Target(std::string target_name, const Tensor& target)
      : name(std::move(target_name)), tensor(target), original(target.array().clone()) {}
  Target(Target&&) = default;
  Target& operator=(Target&&) = delete;
  ~Target();

  std::string name;  // "input 0", "parameter W_q.weight"
  Tensor tensor;
  NDArray original;  // its elements before anything was moved, row-major

  Index size() const { return original.size(); }
  double at(Index i) const { return original.data<double>()[i]; }
  /// Writes element i. No version tells of this: it is going to be taken back.
  void set(Index i, double value);
};

class Probe {
 public:
  /// Refuses what gradcheck.h says is refused; calls f twice.
  Probe(const CheckedFunction& f, const std::vector<Tensor>& inputs,
        const NamedTensors& parameters);

  std::vector<Target>& targets() { return targets_; }
  /// The gradients of all targets where `output` has the gradient `g`, row-major; undefined where
  /// there is none.
  std::vector<NDArray> gradients(const Tensor& output, const NDArray& g, bool create_graph) const;
  /// f's floating outputs, recorded.
  std::vector<Tensor> outputs() const;
  /// The derivative of each element of each output by element i of a target.
  std::vector<double> measure(Target& target, Index i, double eps);
  /// The same along a direction, which has an array for each target.
  std::vector<double> measure(const std::vector<NDArray>& direction, double eps);

 private:
  void add_target(std::string name, const Tensor& tensor);
  void move(const std::vector<NDArray>& direction, double step);
  void refuse_nondeterminism();
  std::vector<double> values() const;

  const CheckedFunction& f_;
  const std::vector<Tensor>& inputs_;
  std::vector<Target> targets_;
  std::size_t elements_ = 0;  // of all outputs
};

/// Element i of a row-major gradient; of an undefined one, 0.
inline double element(const NDArray& gradient, Index i) {
  return gradient.defined() ? gradient.data<double>()[i] : 0;
}

}  // namespace tapehead
