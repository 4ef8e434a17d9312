// Random numbers written over a tensor.
#include "../../core/random.h"
#include "../create.h"
#include "../ops.h"

namespace tapehead {
namespace {

// Nothing of the old value is left, so its gradient is zero.
template <class Draw, class Given>
Tensor& redrawn(const char* op, Tensor& self, Draw draw, Given given) {
  return record_in_place(
      op, self,
      [&](NDArray& x) {
        const std::lock_guard lock(core::default_generator_mutex());
        draw(core::default_generator(), x);
      },
      wrt(self, [](const Tensor& g) { return zeros_like(g); }), given);
}

}  // namespace

Tensor& Tensor::uniform_(double from, double to) {
  return redrawn(
      "uniform_", *this, [&](core::Generator& g, NDArray& x) { core::uniform_(g, x, from, to); },
      args(from, to));
}
Tensor& Tensor::normal_(double mean, double std) {
  return redrawn(
      "normal_", *this, [&](core::Generator& g, NDArray& x) { core::normal_(g, x, mean, std); },
      args(mean, std));
}
Tensor& Tensor::bernoulli_(double p) {
  return redrawn(
      "bernoulli_", *this, [&](core::Generator& g, NDArray& x) { core::bernoulli_(g, x, p); },
      args(p));
}
Tensor& Tensor::random_(Index from, Index to) {
  return redrawn(
      "random_", *this,
      [&](core::Generator& g, NDArray& x) { core::randint_(g, x, from, to, "random_"); },
      args(from, to));
}

}  // namespace tapehead
