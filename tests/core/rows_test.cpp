#include <doctest/doctest.h>
#include <tapehead/core/detail/rows.h>

#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

TEST_CASE("a long row whose elements lie apart is computed piece by piece") {
  constexpr Index n = 1000;
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64}) {
    const NDArray x = scattered({n}, dtype, -100, 100), y = scattered({n}, dtype, 0, 50);
    const NDArray difference = core::sub(x, y);
    for (const Layout& a : layouts(x))
      for (const Layout& b : layouts(y)) {
        CAPTURE(a.name);
        CAPTURE(b.name);
        CHECK(equal(core::sub(a.array, b.array), difference));
        NDArray target = filled(NDArray::full({n, 3}, 0, dtype).select(1, 1), x);
        core::sub_(target, b.array);
        CHECK(equal(target, difference));
      }
    CHECK(equal(core::sub(x, 7), core::sub(x, NDArray::full({n}, 7, dtype))));
    CHECK(equal(core::sub(7, x), core::sub(NDArray::full({n}, 7, dtype), x)));
  }
  NDArray bits = NDArray::full({n, 2}, false, DType::Bool).select(1, 0);
  core::copy_(bits, core::gt(scattered({n}, DType::Float32), 0));
  CHECK(equal(bits, core::gt(scattered({n}, DType::Float32), 0)));
}
