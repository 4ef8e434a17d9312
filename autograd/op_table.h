// The table of ops: every op of ops.h and create.h that takes a tensor, and every in-place method,
// in a call that shows how it is used. gradcheck runs over it, and so do the tests.
//
//   for (const OpRow& row : op_table()) std::cout << row.call << ": " << gradcheck(row) << "\n";
#pragma once

#include "gradcheck.h"

namespace tapehead {

struct OpRow {
  using Shapes = std::vector<Shape>;  // one for each input

  std::string op;    // as in ops.h: "sum"
  std::string call;  // no two rows have the same: "sum(a, dim=(0, 2))"; inputs are a, b, c, …
  std::vector<Shapes> inputs;  // several sets of inputs, the first the most telling
  CheckedFunction f;
  bool positive = false;       // elements must be positive
  bool choosing = false;       // picks elements by size: equal ones would be a kink
  bool differentiable = true;  // if not, no output has a gradient
  bool forgets_first = false;  // the first input's gradient is zero: it is overwritten
};

/// Every row, in the order of the catalogue.
const std::vector<OpRow>& op_table();

/// Float64 inputs of these shapes: all elements differ, and none is nearer to 0 than a quarter.
std::vector<Tensor> example_inputs(const OpRow& row, const OpRow::Shapes& shapes);

/// gradcheck of the row with each set of inputs.
GradcheckResult gradcheck(const OpRow& row, const GradcheckOptions& options = {});

namespace op_rows {  // the parts of the table
using Rows = std::vector<OpRow>;
Rows creation();
Rows arithmetic();
Rows pointwise();
Rows comparisons();
Rows reductions();
Rows products();
Rows shapes();
Rows joining();
Rows indexing();
Rows rearranging();
Rows by_index();
Rows scattering();
Rows sorting();
Rows einsums();
Rows normalisation();
Rows attention();
Rows class_losses();
Rows losses();
Rows in_place();
}  // namespace op_rows

}  // namespace tapehead
