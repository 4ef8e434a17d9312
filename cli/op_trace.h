// OpTrace: an observer that notes each op, and tells them as chains of what was made from what.
//
//   OpTrace trace;
//   Q = W_q(x).view({32, 50, 8, 64}).transpose(1, 2);
//   trace.lines(80);
//   // W_q (32, 50, 512) -> view (32, 50, 8, 64) -> transpose(1, 2) (32, 8, 50, 64)
#pragma once

#include <string>
#include <vector>

#include "../autograd/observer.h"

namespace tapehead::cli {

class OpTrace : public Observer {
 public:
  /// What has been noted since the last call: each chain, in lines of at most `width` columns where
  /// its ops fit in, and below it a line for each op, with its shape, its strides, whether it is
  /// contiguous, and whether it shares memory with what it was made from.
  std::string lines(int width);
  /// What the columns of an op's line mean.
  static std::string head();

 private:
  struct Noted {
    std::string name;  // of the module whose only op it is, else of the op, with its arguments
    Tensor result;     // kept, so that no later tensor is taken for it
    bool shares;       // memory with its first input
  };
  using Chain = std::vector<Noted>;

  static std::string links(const Chain& chain, int width);
  void after(const OpCall& call, const Tensor& result) override;

  std::vector<Chain> chains_;
};

}  // namespace tapehead::cli
