// Hooks: functions of the user's that are called where something passes, and the handle that
// removes one again.
//
//   RemovableHandle handle = x.register_hook([](const Tensor& g) { return g * 2; });
//   handle.remove();
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/error.h"

namespace tapehead {

/// What registering a hook returns. Dropping it leaves the hook where it is; it owns nothing.
class RemovableHandle {
 public:
  RemovableHandle() = default;
  explicit RemovableHandle(std::function<void()> forget) : forget_(std::move(forget)) {}
  /// Takes the hook away. Does nothing the second time, or once the hook's owner is gone.
  void remove() {
    if (forget_) forget_();
    forget_ = nullptr;
  }

 private:
  std::function<void()> forget_;
};

namespace detail {

/// Hooks in the order of registration. Not for two threads at a time.
template <class Hook>
class HookList {
 public:
  RemovableHandle add(Hook hook) {
    std::erase_if(slots_, [](const auto& slot) { return *slot == nullptr; });
    slots_.push_back(std::make_shared<Slot>(std::make_shared<const Hook>(std::move(hook))));
    return RemovableHandle([slot = std::weak_ptr<Slot>(slots_.back())] {
      if (const auto held = slot.lock()) held->reset();
    });
  }
  /// Those to run now. One that is removed by another meanwhile still runs, as in PyTorch.
  std::vector<std::shared_ptr<const Hook>> now() const {
    std::vector<std::shared_ptr<const Hook>> result;
    for (const auto& slot : slots_)
      if (*slot != nullptr) result.push_back(*slot);
    return result;
  }

 private:
  using Slot = std::shared_ptr<const Hook>;
  std::vector<std::shared_ptr<Slot>> slots_;  // a removed hook leaves its slot empty
};

template <class F>
inline constexpr bool may_be_empty = std::is_pointer_v<F>;
template <class Signature>
inline constexpr bool may_be_empty<std::function<Signature>> = true;

/// Error for a hook with nothing to call. `op` is what registers it.
template <class F>
void check_hook(const char* op, const F& f) {
  if constexpr (may_be_empty<F>)
    if (!f) fail(op, ": the hook is empty; give a function to call");
}

/// A hook that may answer, also of a function that answers nothing.
template <class Answer, class... Args, class F>
std::function<Answer(Args...)> answering(F f) {
  if constexpr (std::is_void_v<std::invoke_result_t<F&, Args...>>)
    return [f = std::move(f)](Args... args) mutable {
      f(args...);
      return Answer();
    };
  else
    return f;
}

}  // namespace detail
}  // namespace tapehead
