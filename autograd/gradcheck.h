// gradcheck: are the gradients that backward gives the derivatives of the values?
//
//   Tensor a = randn({2, 3}, Float64).requires_grad_();
//   Tensor b = randn({3, 4}, Float64).requires_grad_();
//   CHECK(gradcheck([](const auto& x) { return matmul(x[0], x[1]); }, {a, b}));
//   const auto f = [&](const auto& x) { return layer(x[0]); };   // a module, in Float64
//   CHECK(gradcheck(f, {a}, layer.named_parameters()));
//
// Derivatives are measured by central differences, (f(x + eps) - f(x - eps)) / 2 eps, which need
// Float64. Tolerances and defaults are PyTorch's. Inputs and parameters that require a gradient are
// checked, the others are left alone. Backward is run twice, with and without create_graph, for a
// rule may take a different path in each.
//
// All these functions throw Error when there is nothing to check, when what is to be checked is not
// Float64 or shows one element at two places (an expanded tensor), and when the function gives
// different bits the second time it is called (dropout, say). They leave every tensor as it was,
// bit for bit, also if the function throws; a NoGradGuard around them makes no difference.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <utility>
#include <vector>

#include "tensor.h"

namespace tapehead {

/// One tensor or several, as the checked function returns them. Only floating ones are looked at.
struct Outputs : std::vector<Tensor> {
  Outputs(Tensor output) : vector{std::move(output)} {}
  Outputs(std::vector<Tensor> outputs) : vector(std::move(outputs)) {}
};
/// A function of tensors; it may also use parameters that it reaches on its own, which
/// are then named beside it.
using CheckedFunction = std::function<Outputs(const std::vector<Tensor>& inputs)>;

struct GradcheckOptions {
  double eps = 1e-6;                // how far an element is moved, either way
  double atol = 1e-5, rtol = 1e-3;  // allowed: |backward - measured| <= atol + rtol |measured|
};

struct GradcheckResult {
  bool passed = true;
  /// Of the entry furthest outside what is allowed: input or parameter, element, both values and
  /// their ratio. Empty if all agree.
  std::string message;
  /// |backward - measured|; and relative to the larger of the two, or to atol / rtol where both are
  /// smaller than that, for there the absolute tolerance is what counts.
  double worst_absolute = 0, worst_relative = 0;
  Index checked = 0;  // entries compared
  Index skipped = 0;  // entries that gradcheck_sampled had no time for

  explicit operator bool() const { return passed; }
  /// Both as one: all their entries, the worst errors (NaN above all), the first message.
  GradcheckResult& operator+=(const GradcheckResult& other);
};
/// The message or, where all agree, how many entries do and the worst errors.
std::ostream& operator<<(std::ostream& out, const GradcheckResult& result);

/// The full Jacobian: the derivative of every element of every output by every element of every
/// input and parameter.
GradcheckResult gradcheck(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                          const NamedTensors& parameters = {},
                          const GradcheckOptions& options = {});

/// gradcheck of the gradient of f itself, as a function of inputs, parameters and random incoming
/// gradients.
GradcheckResult gradgradcheck(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                              const NamedTensors& parameters = {},
                              const GradcheckOptions& options = {});

struct SampleOptions : GradcheckOptions {
  Index entries = 32;  // of each tensor: all if it has no more, else that many drawn at random
  std::uint64_t seed = 0;
  double seconds = 5;  // no entry is begun that might end later; the tensors take turns
};

/// For models too large for a full Jacobian: the loss is the sum of all outputs, each projected on
/// random numbers. Checked are its derivative in one random direction through everything at once,
/// whatever the time, then entries of every input and parameter. Error for a negative number of
/// entries.
GradcheckResult gradcheck_sampled(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                                  const NamedTensors& parameters = {},
                                  const SampleOptions& options = {});

}  // namespace tapehead
