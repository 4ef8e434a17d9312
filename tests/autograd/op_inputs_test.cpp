// Every op on shapes that its rows do not show: with a size 0 or 1 in place of another, and without
// dimensions. It takes them and is right, or refuses them in an op's name.
#include <cmath>
#include <set>

#include "../support/strict_gradcheck.h"
#include "op_table.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

// The shapes with every `size` become `other`: what fitted together still does.
OpRow::Shapes replaced(OpRow::Shapes shapes, Index size, Index other) {
  for (Shape& shape : shapes)
    for (int d = 0; d < shape.rank(); ++d)
      if (shape[d] == size) shape[d] = other;
  return shapes;
}

std::vector<OpRow::Shapes> variants(const OpRow::Shapes& shapes) {
  std::set<Index> sizes;
  for (const Shape& shape : shapes) sizes.insert(shape.begin(), shape.end());
  std::vector<OpRow::Shapes> result{OpRow::Shapes(shapes.size(), Shape{})};
  for (const Index size : sizes)
    for (const Index other : {0, 1}) result.push_back(replaced(shapes, size, other));
  return result;
}

// The mean of nothing is NaN, and so is what comes of it.
bool has_nan(const Outputs& outputs) {
  for (const Tensor& output : outputs)
    for (const double value : values(output))
      if (std::isnan(value)) return true;
  return false;
}

// Whether the row takes the shapes, whose gradients are right then.
bool takes(const OpRow& row, const OpRow::Shapes& shapes) {
  try {
    const Tensors x = leaves(row, shapes);
    const Outputs outputs = row.f(x);
    if (outputs.empty() || has_nan(outputs) || !row.differentiable) return true;
    const GradcheckResult result = gradcheck(row.f, x, {}, strict);
    CHECK_MESSAGE(result.passed, result.message);
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    CHECK_MESSAGE(message.find(": ") != std::string::npos, message);
    CHECK_MESSAGE(message.find("gradcheck") == std::string::npos, message);
    CHECK_MESSAGE(message.find("derivative rule") == std::string::npos, message);
    return false;
  }
}

}  // namespace

TEST_CASE("every op is right where a size is 0 or 1 or there is none, or refuses it") {
  std::set<std::string> with_none, without_dimensions;
  each_example([&](const OpRow& row, const OpRow::Shapes& shapes) {
    for (const OpRow::Shapes& variant : variants(shapes)) {
      CAPTURE(title(row, variant));
      if (!takes(row, variant)) continue;
      for (const Shape& shape : variant) {
        if (core::numel(shape) == 0) with_none.insert(row.op);
        if (shape.rank() == 0) without_dimensions.insert(row.op);
      }
    }
  });
  // What few ops refuse is said where their errors are tested.
  CHECK(with_none.size() > 70);
  CHECK(without_dimensions.size() > 60);
}
