// Who carries out a plan: tapehead or PyTorch.
#pragma once

#include <memory>
#include <stdexcept>

#include "reading.h"

namespace parity {

/// A library said no.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Interpreter {
 public:
  virtual ~Interpreter() = default;
  /// Runs a step; its results are numbered from step.first on. Returns how many there are, or
  /// throws the Refusal of the library.
  virtual int run(const Step& step) = 0;
  virtual Reading read(int number) const = 0;
  /// Whether somebody has run the step that gives this number; it may be an undefined tensor.
  virtual bool has(int number) const = 0;
};

}  // namespace parity
