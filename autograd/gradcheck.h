// gradcheck: are the gradients that backward gives the derivatives of the values?
//
//   Tensor a = randn({2, 3}, Float64).requires_grad_();
//   Tensor b = randn({3, 4}, Float64).requires_grad_();
//   CHECK(gradcheck([](const auto& x) { return matmul(x[0], x[1]); }, {a, b}));
//   const auto f = [&](const auto& x) { return layer(x[0]); };   // a module, in Float64
//   std::cout << table(gradcheck(seeded(f), {a}, layer.named_parameters()));
//
// Derivatives are measured by central differences, (f(x + eps) - f(x - eps)) / 2 eps, which need
// Float64. Tolerances and defaults are PyTorch's. Inputs and parameters that require a gradient are
// checked, the others are left alone. Backward is run twice, with and without create_graph, for a
// rule may take a different path in each.
//
// Where the slopes on either side of a point differ, as those of relu at 0 do, central differences
// prove nothing. If backward gives one of the slopes or something between them, the entry is
// checked 100 eps away on both sides instead, and the result says so: which element, which op's
// kink.
//
// All these functions throw Error when there is nothing to check, when what is to be checked is not
// Float64 or shows one element at two places (an expanded tensor), when the function gives
// different bits the second time it is called (dropout, say: see seeded), or more outputs or other
// shapes a step away, and for an eps that is not above 0 or a tolerance that is below. They leave
// every tensor as it was, bit for bit, also if the function throws; a NoGradGuard around them makes
// no difference.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "func.h"

namespace tapehead {

/// A function of tensors; it may also use parameters that it reaches on its own, which
/// are then named beside it. Of what it returns only floating tensors are looked at.
using CheckedFunction = func::Function;

/// f with the default generator seeded before each call, and put back after it: dropout then drops
/// the same elements every time. No other thread should draw from that generator meanwhile.
CheckedFunction seeded(CheckedFunction f, std::uint64_t seed = 0);

struct GradcheckOptions {
  double eps = 1e-6;                // how far an element is moved, either way
  double atol = 1e-5, rtol = 1e-3;  // allowed: |backward - measured| <= atol + rtol |measured|
  /// Compares v^T J u for one random u of length 1 for each input and one v for each output, in
  /// place of every entry of J: a few calls of f whatever the sizes. Sees what is wrong throughout;
  /// one entry in a large J may be wrong without weighing enough. (PyTorch's u and v are positive,
  /// and its atol grows with their sums.)
  bool fast_mode = false;
  /// 2 checks the gradient's own derivatives, as gradgradcheck does, 3 those of these, and so on.
  int order = 1;
};

/// What one input or parameter came to.
struct GradcheckTarget {
  std::string name;  // "input 0", "parameter W_q.weight"
  Shape shape;
  Index checked = 0, disagreeing = 0;  // entries
  Index kinks = 0;                     // of those checked: how many beside a kink
  double worst_absolute = 0, worst_relative = 0;
  /// The entry with the largest error in units of what is allowed: output, element, both values,
  /// their ratio. Empty if none was off at all.
  std::string worst = {};
  double worst_excess = 0;  // its error over what is allowed: above 1 it disagrees
};

struct GradcheckResult {
  bool passed = true;
  /// Of the entry furthest outside what is allowed: input or parameter, element, both values,
  /// their ratio, and what that looks like ("accumulated twice?"). Empty if all agree.
  std::string message;
  /// |backward - measured|; and relative to the larger of the two, or to atol / rtol where both are
  /// smaller than that, for there the absolute tolerance is what counts.
  double worst_absolute = 0, worst_relative = 0;
  Index checked = 0;  // entries compared
  Index skipped = 0;  // entries that gradcheck_sampled had no time for
  Index kinks = 0;    // of those compared: how many beside a kink
  /// The first of these: "input 0 (1) is within 1e-06 of a kink of relu: slopes 0 and 1".
  std::string kink = {};
  std::vector<GradcheckTarget> targets = {};

  explicit operator bool() const { return passed; }
  /// Both as one: all their entries, the worst errors (NaN above all), the first message and kink;
  /// targets of one name and shape become one.
  GradcheckResult& operator+=(const GradcheckResult& other);
};
/// The message or, where all agree, how many entries do, the worst errors and the first kink.
std::ostream& operator<<(std::ostream& out, const GradcheckResult& result);
/// A line for each input and parameter: its shape, entries and worst errors, and below it, where
/// it is wrong, its worst entry.
std::string table(const GradcheckResult& result);

/// The full Jacobian: the derivative of every element of every output by every element of every
/// input and parameter. Error for an order below 1.
GradcheckResult gradcheck(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                          const NamedTensors& parameters = {},
                          const GradcheckOptions& options = {});

/// gradcheck of the gradient of f itself, as a function of inputs, parameters and random incoming
/// gradients: gradcheck with an order of one more.
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
/// whatever the time, then, unless in fast mode, entries of every input and parameter. Error for a
/// negative number of entries.
GradcheckResult gradcheck_sampled(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                                  const NamedTensors& parameters = {},
                                  const SampleOptions& options = {});

}  // namespace tapehead
