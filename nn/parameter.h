// Parameter: a tensor that a module learns.
//
//   Parameter weight{zeros({3, 4})};    // a leaf that requires a gradient
//   head.weight = embedding.weight;     // from now on one tensor: tied
#pragma once

#include "../autograd/tensor.h"

namespace tapehead::nn {

/// Every Parameter is to be registered with add() by the module whose member it is, defined or not;
/// one that is not is an error at the module's first call.
class Parameter : public Tensor {
 public:
  /// Undefined, until it is assigned to: one that this module does without, or will make later.
  /// Until then no list has it.
  Parameter();
  /// The memory of `value`, without its history, as a leaf. GraphError for other than floats.
  explicit Parameter(const Tensor& value);
  /// The same tensor again.
  Parameter(const Parameter& other);
  Parameter& operator=(const Parameter&) = default;
  ~Parameter();
};

}  // namespace tapehead::nn
