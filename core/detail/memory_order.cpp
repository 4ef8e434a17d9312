#include "memory_order.h"

namespace tapehead::core {

// Where dimension a lies against b: below 0 further in, above 0 further out, 0 undecided.
static int compare(const NDArray& x, int a, int b) {
  const Index sa = x.strides()[a], sb = x.strides()[b];
  if (sa == 0 || sb == 0) return 0;
  if (sa != sb) return sa < sb ? -1 : 1;
  return x.shape()[a] > x.shape()[b] ? 1 : 0;
}

// The sort is PyTorch's, since undecided pairs make its result a matter of the steps it takes.
Dims memory_order(const NDArray& x) {
  Dims order;
  for (int d = 0; d < x.rank(); ++d) order.push_back(d);
  for (int start = x.rank() - 2; start >= 0; --start) {
    for (int at = start, inner = start + 1; inner < x.rank(); ++inner) {
      const int position = compare(x, static_cast<int>(order[inner]), static_cast<int>(order[at]));
      if (position < 0) break;
      if (position > 0) std::swap(order[inner], order[at]), at = inner;
    }
  }
  return order;
}

}  // namespace tapehead::core
