// OpTrace: an observer that notes each op, and tells them as chains of what was made from what.
//
//   OpTrace trace;
//   Q = W_q(x).view({32, 50, 8, 64}).transpose(1, 2);
//   trace.lines();
//   // W_q (32, 50, 512) -> view (32, 50, 8, 64) -> transpose(1, 2) (32, 8, 50, 64)
#pragma once

#include <string>
#include <vector>

#include "../autograd/observer.h"

namespace tapehead::cli {

class OpTrace : public Observer {
 public:
  /// What has been noted since the last call: a chain a line, below it a line for each of its ops.
  std::string lines();

 private:
  struct Noted {
    std::string name;  // of the module whose only op it is, else of the op, with its arguments
    Tensor result;     // kept, so that no later tensor is taken for it
    bool shares;       // memory with its first input
  };
  using Chain = std::vector<Noted>;

  void after(const OpCall& call, const Tensor& result) override;

  std::vector<Chain> chains_;
};

}  // namespace tapehead::cli
