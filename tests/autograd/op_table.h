// What the tests do with the rows of the library's table of ops.
#pragma once

#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/op_table.h>
#include <tapehead/autograd/ops.h>

#include <functional>
#include <string>
#include <vector>

#include "../support/compare.h"

namespace tapehead::testing {

using Tensors = std::vector<Tensor>;

/// "add(a, b) | (2, 3) (3)"; with a + before the bar where inputs must be positive.
inline std::string title(const OpRow& row, const OpRow::Shapes& shapes) {
  std::ostringstream out;
  out << row.call << (row.positive ? " +|" : " |");
  for (const Shape& shape : shapes) out << " " << shape;
  return out.str();
}

/// The rows under test: all of the table, unless somebody leaves some out.
inline std::vector<OpRow>& rows() {
  static std::vector<OpRow> chosen = op_table();
  return chosen;
}

/// Calls visit(row, shapes) for every row and each of its sets of inputs.
template <class Visit>
void each_example(Visit visit) {
  for (const OpRow& row : rows()) {
    for (const OpRow::Shapes& shapes : row.inputs) {
      CAPTURE(title(row, shapes));
      visit(row, shapes);
    }
  }
}

inline Tensors leaves(const OpRow& row, const OpRow::Shapes& shapes, DType dtype = Float64) {
  Tensors result;
  for (const Tensor& input : example_inputs(row, shapes))
    result.push_back(input.to(dtype).clone().requires_grad_());
  return result;
}

/// The sum of the floating outputs, each projected on noise; undefined if there are none.
inline Tensor projected(const Outputs& outputs) {
  Tensor loss;
  std::uint32_t seed = 100;
  for (const Tensor& output : outputs) {
    if (!is_floating(output.dtype())) continue;
    const Tensor term = sum(output * noise(output.shape(), ++seed, output.dtype()));
    loss = loss.defined() ? loss + term : term;
  }
  return loss;
}

/// d projected(row.f(x)) / dx; undefined tensors where there is none.
inline Tensors gradients(const OpRow& row, const Tensors& x, bool create_graph = false) {
  return autograd::grad({projected(row.f(x))}, x, {}, {}, create_graph, true);
}

/// The same values in another layout, as a view that `show` makes of a leaf of its own.
struct Layout {
  const char* name;
  /// `along`: the dimension that is to show its first element again and again, or -1.
  std::function<Tensor(const Tensor& values, int along)> leaf;
  std::function<Tensor(const Tensor& leaf, const Shape& shape)> show;
};
const std::vector<Layout>& layouts();

}  // namespace tapehead::testing
