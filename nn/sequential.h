// Sequential: modules of any types, each fed with what the one before it made.
//
//   Sequential net;
//   net.emplace_back<Linear>(4, 16);
//   net.emplace_back<ReLU>();
//   net.emplace_back<Linear>(16, 3);
//   net(x);
#pragma once

#include <functional>
#include <memory>

#include "module.h"

namespace tapehead::nn {

/// Its children are named "0", "1", …
class Sequential : public Layer<Sequential> {
 public:
  /// Makes a module T, which maps a Tensor to a Tensor, from `args`, and appends it. Error if a
  /// subclass has a member of that number.
  template <class T, class... Args>
  T& emplace_back(Args&&... args) {
    auto owner = std::make_unique<T>(std::forward<Args>(args)...);
    T& module = *owner;
    stages_.push_back({std::move(owner), [&module](const Tensor& x) { return module(x); }});
    try {
      add(std::to_string(size() - 1), module);
    } catch (...) {
      stages_.pop_back();
      throw;
    }
    return module;
  }

  std::size_t size() const { return stages_.size(); }
  Tensor forward(const Tensor& x) {
    Tensor y = x;
    for (const Stage& stage : stages_) y = stage.call(y);
    return y;
  }

 private:
  struct Stage {
    std::unique_ptr<Module> module;
    std::function<Tensor(const Tensor&)> call;
  };
  std::vector<Stage> stages_;
};

}  // namespace tapehead::nn
