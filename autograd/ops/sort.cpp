// Order and chance. The gradient of a chosen element goes back to where it was.
#include "../../core/sort.h"

#include "../../core/random.h"
#include "../ops.h"
#include "check_defined.h"
#include "chosen.h"

namespace tapehead {

ValuesIndices sort(const Tensor& x, int d, bool descending, bool) {
  check_defined("sort", x);
  const auto choose = [&](const NDArray& array, int along, bool) {
    return core::sort(array, along, descending);
  };
  return chosen("sort", x, d, true, choose, descending);
}

Tensor argsort(const Tensor& x, int d, bool descending, bool) {
  check_defined("argsort", x);
  return record(
      "argsort", [&] { return core::sort(x.array(), d, descending).indices; }, with(x),
      args(d, descending));
}

ValuesIndices topk(const Tensor& x, Index k, int d, bool largest, bool sorted) {
  check_defined("topk", x);
  const auto choose = [&](const NDArray& array, int along, bool) {
    return core::topk(array, k, along, largest, sorted);
  };
  return chosen("topk", x, d, true, choose, k, largest, sorted);
}

Tensor multinomial(const Tensor& weights, Index num_samples, bool replacement) {
  check_defined("multinomial", weights);
  return record(
      "multinomial",
      [&] {
        const std::lock_guard lock(core::default_generator_mutex());
        return core::multinomial(core::default_generator(), weights.array(), num_samples,
                                 replacement);
      },
      with(weights), args(num_samples, replacement));
}

}  // namespace tapehead
