#include "../op_table.h"

#include "../create.h"

namespace tapehead {

const std::vector<OpRow>& op_table() {
  static const std::vector<OpRow> table = [] {
    std::vector<OpRow> rows;
    for (const auto part :
         {op_rows::creation, op_rows::arithmetic, op_rows::pointwise, op_rows::comparisons,
          op_rows::reductions, op_rows::products, op_rows::shapes, op_rows::joining,
          op_rows::indexing, op_rows::rearranging, op_rows::by_index, op_rows::scattering,
          op_rows::sorting, op_rows::einsums, op_rows::normalisation, op_rows::attention,
          op_rows::class_losses, op_rows::losses, op_rows::in_place})
      for (OpRow& row : part()) rows.push_back(std::move(row));
    return rows;
  }();
  return table;
}

// Sixty-fourths, so that every float dtype holds them exactly. 37 and 97 have no common factor:
// the first 97 numbers are all different.
std::vector<Tensor> example_inputs(const OpRow& row, const OpRow::Shapes& shapes) {
  std::vector<Tensor> inputs;
  Index count = 0;
  for (const Shape& shape : shapes) {
    std::vector<double> values(static_cast<std::size_t>(core::numel(shape)));
    for (double& value : values) {
      const Index step = (37 * count++ + 11) % 97;
      value = 0.25 + static_cast<double>(step) / 64;
      if (!row.positive && step % 3 == 0) value = -value;
    }
    inputs.push_back(tensor(values, shape, Float64));
  }
  return inputs;
}

GradcheckResult gradcheck(const OpRow& row, const GradcheckOptions& options) {
  GradcheckResult all;
  for (const OpRow::Shapes& shapes : row.inputs) {
    std::vector<Tensor> inputs = example_inputs(row, shapes);
    for (Tensor& input : inputs) input.requires_grad_();
    GradcheckResult one = gradcheck(row.f, inputs, {}, options);
    if (!one.passed) one.message = row.call + ": " + one.message;
    all += one;
  }
  return all;
}

}  // namespace tapehead
