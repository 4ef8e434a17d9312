// A plan: what a graph computes, step by step, in the terms of neither library.
//
// Every result of a step has a number, by which later steps name it. Steps can be left out: what
// needs their results is then left out too.
#pragma once

#include <tapehead/core/dtype.h>

#include <string>
#include <variant>
#include <vector>

namespace parity {

using tapehead::DType;
using tapehead::Index;

struct Row;

/// A tensor of the graph, by its number.
struct Operand {
  int number = -1;
};
using Operands = std::vector<Operand>;
using Indices = std::vector<Index>;
using Numbers = std::vector<double>;

/// An argument of an op; std::monostate is None.
using Argument = std::variant<std::monostate, Operand, Operands, bool, Index, double, Indices,
                              Numbers, DType, std::string>;
using Arguments = std::vector<Argument>;

struct Step {
  const Row* row = nullptr;
  Arguments arguments;
  bool recording = true;  // false: under no_grad
  int first = 0;          // the number of its first result
  int results = 0;
};

using Plan = std::vector<Step>;

/// All tensors that a step names, in order.
Operands operands(const Step& step);

/// "float64", as PyTorch writes it.
std::string torch_name(DType dtype);
/// An argument, and a whole step, as PyTorch would be told: "v3 = torch.ops.aten.add.Tensor(v1,
/// 2)".
std::string to_string(const Argument& argument);
std::string to_string(const Step& step);

}  // namespace parity
