// ModuleList: as many modules of one type as you like.
//
//   ModuleList<EncoderBlock> blocks;
//   for (int i = 0; i < layers; ++i) blocks.emplace_back(d_model, heads, d_ff);
//   for (EncoderBlock& block : blocks) x = block(x);
#pragma once

#include <deque>

#include "module.h"

namespace tapehead::nn {

/// Its children are named "0", "1", …
template <class T>
class ModuleList : public Layer<ModuleList<T>> {
 public:
  /// Makes one more T from `args`, at the end. Error if a subclass has a member of that number.
  template <class... Args>
  T& emplace_back(Args&&... args) {
    T& module = modules_.emplace_back(std::forward<Args>(args)...);
    try {
      this->add(std::to_string(size() - 1), module);
    } catch (...) {
      modules_.pop_back();
      throw;
    }
    return module;
  }

  std::size_t size() const { return modules_.size(); }
  /// Error if there is no such module.
  T& operator[](std::size_t i) {
    if (i >= size()) fail("ModuleList: index ", i, " is out of range for ", size(), " modules");
    return modules_[i];
  }
  auto begin() { return modules_.begin(); }
  auto end() { return modules_.end(); }

 private:
  bool is_list() const override { return true; }

  std::deque<T> modules_;  // which never moves its elements
};

}  // namespace tapehead::nn
