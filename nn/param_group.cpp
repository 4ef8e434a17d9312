#include "param_group.h"

namespace tapehead::optim {

Split split_matrices(const std::vector<Tensor>& parameters) {
  Split result;
  for (const Tensor& parameter : parameters) {
    if (!parameter.defined())
      fail("split_matrices: parameter ", &parameter - parameters.data(),
           " is undefined (made by Tensor()); pass leaves, such as model.parameters()");
    (parameter.dim() >= 2 ? result.matrices : result.others).push_back(parameter);
  }
  return result;
}

}  // namespace tapehead::optim
