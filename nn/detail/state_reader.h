// Reading a state by name, all or nothing.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "../../autograd/tensor.h"

namespace tapehead::optim::detail {

/// Takes entries from a state one by one and notes what is wrong with them.
class StateReader {
 public:
  /// `whose` state it must be: "Adam: the state must be that of …". Error for a name that is there
  /// twice.
  StateReader(std::string whose, const NamedTensors& state);

  bool has(const std::string& name) const { return given_.count(name) != 0; }
  /// A row-major copy of it; undefined where it is missing or does not fit.
  NDArray take(const std::string& name, const Shape& shape, DType dtype);
  /// Error, with the first of it, if anything was wrong or has not been taken.
  void finish();

 private:
  void note(const char* what, const std::string& name);

  std::string whose_;
  std::vector<std::string> problems_;
  std::map<std::string, Tensor> given_;
};

}  // namespace tapehead::optim::detail
