#include "../core/print.h"

#include <ostream>

#include "node.h"

namespace tapehead {

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "tensor(undefined)";
  std::vector<std::string> suffixes = core::suffixes(tensor.array());
  if (tensor.requires_grad())
    suffixes.push_back(tensor.is_leaf() ? "requires_grad=True"
                                        : "grad_fn=<" + std::string(tensor.node()->op) + ">");
  return core::with_suffixes("tensor(" + core::to_string(tensor.array(), 7), suffixes);
}

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  return out << to_string(tensor);
}

}  // namespace tapehead
