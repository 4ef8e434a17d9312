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

const std::set<std::string>& ops() {
  static const std::set<std::string> names = [] {
    std::set<std::string> all;
    for (const OpRow& row : op_table()) all.insert(row.op);
    return all;
  }();
  return names;
}

std::vector<OpRow::Shapes> variants(const OpRow::Shapes& shapes) {
  std::set<Index> sizes;
  for (const Shape& shape : shapes) sizes.insert(shape.begin(), shape.end());
  std::vector<OpRow::Shapes> result{OpRow::Shapes(shapes.size(), Shape{})};
  for (const Index size : sizes)
    for (const Index other : {0, 1}) result.push_back(replaced(shapes, size, other));
  return result;
}

bool has_nan(const Outputs& outputs) {
  for (const Tensor& output : outputs)
    for (const double value : values(output))
      if (std::isnan(value)) return true;
  return false;
}

// Those of all ops that are not among these.
std::string without(const std::set<std::string>& these) {
  std::string list;
  for (const std::string& op : ops())
    if (these.count(op) == 0) list += op + " ";
  return list;
}

// Who else may refuse: the kernel of fused_attention, and what a row asks of its inputs.
const std::set<std::string> others{"attention", "size"};

// Whether the row takes the shapes, whose gradients are right then; ops that give NaN are noted.
bool takes(const OpRow& row, const OpRow::Shapes& shapes, std::set<std::string>& of_nan) {
  try {
    const Tensors x = leaves(row, shapes);
    const Outputs outputs = row.f(x);
    if (has_nan(outputs)) {
      of_nan.insert(row.op);
      return true;
    }
    if (outputs.empty() || !row.differentiable) return true;
    const GradcheckResult result = gradcheck(row.f, x, {}, strict);
    CHECK_MESSAGE(result.passed, result.message);
    return true;
  } catch (const Error& error) {
    const std::string message = error.what();
    const std::string named = message.substr(0, message.find(": "));
    CHECK_MESSAGE((ops().count(named) == 1 || others.count(named) == 1), message);
    CHECK_MESSAGE(message.find("derivative rule") == std::string::npos, message);
    return false;
  }
}

}  // namespace

TEST_CASE("every op is right where a size is 0 or 1 or there is none, or refuses it") {
  std::set<std::string> with_none, without_dimensions, of_nan;
  each_example([&](const OpRow& row, const OpRow::Shapes& shapes) {
    for (const OpRow::Shapes& variant : variants(shapes)) {
      CAPTURE(title(row, variant));
      if (!takes(row, variant, of_nan)) continue;
      for (const Shape& shape : variant) {
        if (core::numel(shape) == 0) with_none.insert(row.op);
        if (shape.rank() == 0) without_dimensions.insert(row.op);
      }
    }
  });
  // The mean of nothing, also of losses, and the variance of one.
  std::string list;
  for (const std::string& op : of_nan) list += op + " ";
  CHECK(list ==
        "binary_cross_entropy binary_cross_entropy_with_logits huber_loss kl_div l1_loss mean "
        "mse_loss smooth_l1_loss std var ");
  // The first have rows that need an element; the others say which dimensions they need where
  // their errors are tested.
  CHECK(without(with_none) == "index_copy_ masked_scatter scatter_ scatter_add_ take_along_dim ");
  CHECK(without(without_dimensions) ==
        "addmm_ baddbmm baddbmm_ bmm cat chunk cross_entropy diag diagonal diagonal_backward dot "
        "embedding fused_attention gather_backward index_add_ index_copy index_copy_ index_fill "
        "index_put_ index_select index_select_backward layer_norm linear masked_scatter "
        "masked_scatter_ matmul mm multinomial mv narrow nll_loss outer rms_norm scatter_ "
        "scatter_add_ select slice slice_backward split sum_to take_along_dim tril tril_ triu "
        "triu_ unbind ");
}
