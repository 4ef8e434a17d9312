// The table of ops: how arguments are drawn, our call and PyTorch's.
//
//   {"sub", "sub.Tensor", draw_two_and_alpha,
//    [](const Call& c) { return sub(c[0], c[1], c.scalar(2)); }},
//
// PyTorch's call is, by default, the op of that name in its registry ("aten::sub.Tensor") with the
// same arguments in the same order; missing ones take their defaults. Where that won't do, the row
// says what to call instead.
#pragma once

#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>

#include <functional>
#include <optional>

#include "plan.h"

namespace parity {

using tapehead::Axes;
using tapehead::Dims;
using tapehead::Scalar;
using tapehead::Shape;
using tapehead::Tensor;

/// The arguments of a call of ours.
class Call {
 public:
  Call(const Arguments& arguments, const std::vector<Tensor>& values)
      : arguments_(arguments), values_(values) {}

  /// Argument i as what it must be. A None is an undefined tensor, and an empty optional.
  Tensor operator[](std::size_t i) const;
  std::vector<Tensor> tensors(std::size_t i) const;
  Scalar scalar(std::size_t i) const;
  std::optional<Scalar> scalar_or_none(std::size_t i) const;
  Index whole(std::size_t i) const { return std::get<Index>(arguments_[i]); }
  int dim(std::size_t i) const { return static_cast<int>(whole(i)); }
  std::optional<int> dim_or_none(std::size_t i) const;
  double real(std::size_t i) const { return std::get<double>(arguments_[i]); }
  bool flag(std::size_t i) const { return std::get<bool>(arguments_[i]); }
  /// Axes, sizes, an order of dimensions.
  Dims dims(std::size_t i) const;
  const Indices& indices(std::size_t i) const { return std::get<Indices>(arguments_[i]); }
  const Numbers& numbers(std::size_t i) const { return std::get<Numbers>(arguments_[i]); }
  DType dtype(std::size_t i) const { return std::get<DType>(arguments_[i]); }
  const std::string& text(std::size_t i) const { return std::get<std::string>(arguments_[i]); }
  bool none(std::size_t i) const { return std::holds_alternative<std::monostate>(arguments_[i]); }

 private:
  Tensor at(Operand operand) const { return values_[static_cast<std::size_t>(operand.number)]; }

  const Arguments& arguments_;
  const std::vector<Tensor>& values_;
};

/// What a call of ours returns: one tensor or several.
struct Results {
  Results(Tensor tensor) : list{std::move(tensor)} {}
  Results(bool answer) : list{tapehead::tensor(answer)} {}
  Results(tapehead::ValuesIndices pair) : list{pair.values, pair.indices} {}
  Results(std::vector<Tensor> tensors) : list(std::move(tensors)) {}
  std::vector<Tensor> list;
};

/// PyTorch, for rows that say themselves what to call. Results are numbered from -2 downwards.
class Peer {
 public:
  virtual ~Peer() = default;
  virtual Operands call(const std::string& op, const Arguments& arguments) = 0;
  virtual Indices shape(Operand x) = 0;
  virtual DType dtype(Operand x) = 0;
  virtual Operand leaf(const Numbers& values, const Indices& shape, DType dtype) = 0;
  virtual void requires_grad(Operand x, bool on) = 0;
  virtual void retain_grad(Operand x) = 0;
  virtual void zero_grad(Operand x) = 0;
  virtual Operand gradient(Operand x) = 0;
  virtual void backward(Operand y, Operand gradient, bool retain_graph, bool create_graph) = 0;
  virtual Operands grad(const Operands& outputs, const Operands& inputs, const Operands& gradients,
                        bool create_graph) = 0;

  // Shorthands.
  Operand one(const std::string& op, const Arguments& arguments) { return call(op, arguments)[0]; }
};

class Draw;

struct Row {
  std::string op;    // as in ops.h
  std::string name;  // as in PyTorch's registry, overload included
  /// The arguments of one call, or none where nothing in the graph serves.
  std::optional<Arguments> (*draw)(Draw&);
  Results (*ours)(const Call&);
  Operands (*theirs)(Peer&, const Arguments&) = nullptr;
  enum Kind { Fresh, View, InPlace, Control } kind = Fresh;
  /// Subtracts inside what is nearly equal, so that 0 may come out as rounding has it.
  bool cancels = false;
  /// Never called under no_grad, where PyTorch leaves a history behind that does not fit.
  bool recorded = false;
};

/// Every op.
const std::vector<Row>& table();
/// The op of this name in PyTorch's registry.
const Row& row_of(const std::string& name);
/// What is no op: leaves, backward, grad …; by name.
const Row& control(const std::string& name);

namespace rows {  // the parts of the table
using Rows = std::vector<Row>;
Rows creation();
Rows arithmetic();
Rows pointwise();
Rows comparisons();
Rows reductions();
Rows products();
Rows shapes();
Rows indexing();
Rows neural();
Rows in_place();
Rows rounding();
Rows activations();
Rows losses();
Rows rearrangements();
Rows places();
Rows in_place_places();
Rows order();
Rows controls();
}  // namespace rows

}  // namespace parity
