// What single ops promise beyond the table's rows.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include "../support/compare.h"

using namespace tapehead;
using namespace tapehead::testing;

TEST_CASE("fused attention's gradients are right in Float32 too where a row sees no key") {
  const auto gradients = [](DType dtype) {
    std::vector<Tensor> x;
    for (const Shape& shape : {Shape{1, 1, 3, 2}, Shape{1, 1, 4, 2}, Shape{1, 1, 4, 2}})
      x.push_back(noise(shape, 3, dtype).requires_grad_());
    const Tensor mask = tensor(
        {{true, true, false, true}, {false, false, false, false}, {true, false, false, false}});
    const Tensor y = fused_attention(x[0], x[1], x[2], mask, {}, {}, 0.7, false).output;
    std::vector<Tensor> grads = autograd::grad({sum(y * noise(y.shape(), 5, dtype))}, x);
    grads.push_back(y);
    return grads;
  };
  const auto fine = gradients(Float64), coarse = gradients(Float32);
  for (std::size_t i = 0; i < fine.size(); ++i)
    CHECK(difference(coarse[i], fine[i].to(Float32), {.atol = 1e-6}) == "");
}
