// Every op gives the same bits on any number of threads, by the rows of the table.
#include <cmath>
#include <set>

#include "../core/kernel_settings.h"
#include "op_table.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

// The shapes with all sizes but 1 multiplied, so that the largest has enough elements to be worth
// several threads. Shapes that fit together still do.
OpRow::Shapes enlarged(const OpRow::Shapes& shapes) {
  constexpr double enough = 40000;
  Shape largest = shapes[0];
  for (const Shape& shape : shapes)
    if (core::numel(shape) > core::numel(largest)) largest = shape;
  int dimensions = 0;
  for (const Index size : largest) dimensions += size > 1;
  if (dimensions == 0) return shapes;
  const double ratio = enough / static_cast<double>(core::numel(largest));
  const auto factor = static_cast<Index>(std::ceil(std::pow(ratio, 1. / dimensions)));
  OpRow::Shapes result = shapes;
  for (Shape& shape : result)
    for (int d = 0; d < shape.rank(); ++d)
      if (shape[d] > 1) shape[d] *= factor;
  return result;
}

// Outputs, then gradients.
Tensors everything(const OpRow& row, const OpRow::Shapes& shapes, DType dtype) {
  const Tensors x = leaves(row, shapes, dtype);
  const Outputs outputs = row.f(x);
  Tensors result = outputs;
  if (!row.differentiable) return result;
  for (const Tensor& g : autograd::grad({projected(outputs)}, x, {}, {}, false, true))
    result.push_back(g);
  return result;
}

double elements(const Tensors& tensors) {
  double n = 0;
  for (const Tensor& tensor : tensors) n += static_cast<double>(tensor.numel());
  return n;
}

// Whether outputs grow faster than inputs, as those of an outer product do.
bool explodes(const OpRow& row) {
  OpRow::Shapes twice = row.inputs[0];
  for (Shape& shape : twice)
    for (int d = 0; d < shape.rank(); ++d)
      if (shape[d] > 1) shape[d] *= 2;
  const Tensors x = example_inputs(row, row.inputs[0]), larger = example_inputs(row, twice);
  return elements(row.f(larger)) / elements(row.f(x)) > 1.5 * elements(larger) / elements(x);
}

// Whether the row's function takes shapes that large; many name sizes of their own.
bool takes(const OpRow& row, const OpRow::Shapes& shapes) {
  try {
    if (explodes(row)) return false;
    everything(row, shapes, Float32);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

TEST_CASE("every op's values and gradients have the same bits on 1 and 3 threads") {
  std::set<std::string> large;
  for (const OpRow& row : op_table()) {
    CAPTURE(row.call);
    OpRow::Shapes shapes = enlarged(row.inputs[0]);
    if (takes(row, shapes))
      large.insert(row.op);
    else
      shapes = row.inputs[0];
    const auto on = [&](int threads) {
      const core::Threads with(threads);
      return everything(row, shapes, Float32);
    };
    const Tensors want = on(1);
    const Tensors got = on(3);
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      CAPTURE(i);
      REQUIRE(got[i].defined() == want[i].defined());
      if (!want[i].defined()) continue;
      CHECK(core::identical(got[i].array().contiguous(), want[i].array().contiguous()));
    }
  }
  // Most ops were large enough to be shared out.
  CHECK(large.size() > 70);
  for (const char* op : {"add", "exp", "sum", "matmul", "linear", "softmax", "fused_attention",
                         "cat", "var", "amax"})
    CHECK_MESSAGE(large.count(op) == 1, std::string(op));
}
