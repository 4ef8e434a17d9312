// ShapeTrace: an observer that notes each op, and tells them as chains of what was made from what.
//
//   ShapeTrace trace;
//   Q = W_q(x).view({32, 50, 8, 64}).transpose(1, 2);
//   trace.lines(80);
//   // W_q (32, 50, 512) -> view (32, 50, 8, 64) -> transpose(1, 2) (32, 8, 50, 64)
#pragma once

#include <string>
#include <vector>

#include "observer.h"

namespace tapehead {

/// Keeps the memory of every result until lines() is called, but no handle on the tensor: what is
/// changed in place meanwhile is not held to be shown twice.
class ShapeTrace : public Observer {
 public:
  /// What has been noted since the last call: each chain, in lines of at most `width` columns where
  /// its ops fit in, and below it a line for each op, with its shape, its strides, whether it is
  /// contiguous, whether it shares memory with what it was made from, and the module it ran in. A
  /// call of a module that is a single op goes by the module's name.
  std::string lines(int width = 80);
  /// What the columns of an op's line mean.
  static std::string head();

 private:
  struct Noted {
    std::string name;    // of the module whose only op it is, else of the op, with its arguments
    std::string within;  // the module around that
    const TensorImpl* tensor;
    NDArray result;  // its memory is kept, so that no other tensor's is taken for it
    bool shares;     // memory with its first input

    bool is(const Tensor& x) const;
  };
  using Chain = std::vector<Noted>;

  static std::string links(const Chain& chain, int width);
  void after(const OpCall& call, const Tensor& result) override;
  void enter() override;
  void leave(const std::vector<Tensor>& outputs) override;

  std::vector<Chain> chains_;
  std::size_t noted_ = 0;                                        // so far
  std::vector<std::pair<const PathFrame*, std::size_t>> calls_;  // running; noted before each
  std::size_t last_chain_ = 0;                                   // the one that the last op is in
};

}  // namespace tapehead
