// ForkRng: a scope from which the default generator comes back as it was, as torch.random.fork_rng.
//
//   { const ForkRng fork;  manual_seed(0);  x = randn({3}); }   // who draws next will not notice
#pragma once

#include "../core/generator.h"

namespace tapehead {

/// What other threads draw meanwhile is put back too.
class ForkRng {
 public:
  ForkRng() : before_(copy()) {}
  ~ForkRng() {
    const std::lock_guard lock(core::default_generator_mutex());
    core::default_generator() = before_;
  }
  ForkRng(const ForkRng&) = delete;
  ForkRng& operator=(const ForkRng&) = delete;

 private:
  static core::Generator copy() {
    const std::lock_guard lock(core::default_generator_mutex());
    return core::default_generator();
  }
  core::Generator before_;
};

}  // namespace tapehead
