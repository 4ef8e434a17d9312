// How the faults of autograd/mutation.h look.
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/mutation.h>
#include <tapehead/core/elementwise.h>
#include <tapehead/core/reduce.h>

#include <algorithm>
#include <concepts>
#include <map>

#include "fault.h"

namespace tapehead::mutation {
namespace {

struct Running {
  const char* op = "";
  std::size_t group = 0;
  const std::byte* rule = nullptr;
  std::size_t bytes = 0;
  std::size_t reductions = 0;
  std::vector<const void*> elsewhere = {};  // what was saved outside the rule, in order of use
};
thread_local Running running;
thread_local std::vector<Running> outer;
thread_local bool planting = false;  // what a fault itself computes has none

bool planted_here(const std::string& op, const std::string& what) {
  if (planting) return false;
  if (active.op.empty()) possible.insert({op, what});
  return active.op == op && active.what == what;
}

bool planted_in_rule(const std::string& what) {
  if (!*running.op) return false;
  return planted_here(running.op, "rule " + std::to_string(running.group) +
                                      (taping() ? "" : " (nothing recorded)") + ": " + what);
}

struct Planting {
  Planting() { planting = true; }
  ~Planting() { planting = false; }
};

// Every element where the next one was; a lone one is changed. Indices all become the first, since
// rotated they may name the same places.
Tensor rotated(const Tensor& x) {
  const Planting guard;
  const Tensor row = reshape(x, {x.numel()});
  if (x.dtype() == Bool) return logical_not(x);
  if (x.numel() == 1) return x + 1;
  if (x.dtype() == Int64) return clone(expand(slice(row, 0, 0, 1), {x.numel()})).view(x.shape());
  return reshape(cat({slice(row, 0, 1, x.numel()), slice(row, 0, 0, 1)}), x.shape());
}

// What is saved has no name: it is told by where in the rule it lies or, if a container of the rule
// has it, by when it was used first.
std::string name_of_saved(const void* where) {
  const std::ptrdiff_t offset = static_cast<const std::byte*>(where) - running.rule;
  if (offset >= 0 && offset < static_cast<std::ptrdiff_t>(running.bytes))
    return "saved +" + std::to_string(offset);
  auto& known = running.elsewhere;
  const auto found = std::find(known.begin(), known.end(), where);
  const auto order = found - known.begin();
  if (found == known.end()) known.push_back(where);
  return "saved elsewhere " + std::to_string(order);
}

// `tensor`, or a changed one that lives until the next.
const Tensor& rotated_if(const std::string& what, const Tensor& tensor) {
  static thread_local Tensor changed;
  if (!tensor.defined() || tensor.numel() == 0) return tensor;
  if (!planted_in_rule(what + " rotated")) return tensor;
  return changed = rotated(tensor);
}

// One step back: another axis, where there is one.
Index other(Index value) { return value - 1; }
int other(int value) { return value - 1; }
double other(double value) { return value + 0.25; }
template <std::same_as<bool> T>  // and not what converts to it
T other(T value) {
  return !value;
}
Scalar other(Scalar value) { return Scalar(other(value.real())); }
std::optional<Scalar> other(std::optional<Scalar> value) {
  if (value) *value = other(*value);
  return value;
}
Dims other(Dims dims) {
  if (dims.rank() > 0) dims[0] = other(dims[0]);
  return dims;
}
Axes other(Axes axes) {
  if (axes.rank() > 0) axes[0] = other(axes[0]);
  return axes;
}

}  // namespace

Rule::Rule(const char* op, std::size_t group, const void* rule, std::size_t bytes) {
  outer.push_back(running);
  running = {op, group, static_cast<const std::byte*>(rule), bytes};
}
Rule::~Rule() {
  running = outer.back();
  outer.pop_back();
}

Tensor Rule::gradient(Tensor gradient, std::size_t k) {
  if (!gradient.defined() || gradient.numel() == 0) return gradient;
  const std::string of = "gradient " + std::to_string(k);
  const bool scaled = planted_in_rule(of + " times 1.01");
  const bool negated = planted_in_rule(of + " negated");
  const Planting guard;
  return scaled ? gradient * 1.01 : negated ? -gradient : gradient;
}

const Tensor& Rule::saved(const Tensor& tensor, const void* where) {
  return rotated_if(name_of_saved(where), tensor);
}
const NDArray& Rule::saved(const NDArray& array, const void* where) {
  static thread_local std::map<const void*, NDArray> changed;  // the caller may hold several
  const Tensor whole(array);
  const Tensor& seen = rotated_if(name_of_saved(where), whole);
  if (seen.array().storage() == array.storage()) return array;
  return changed[where] = seen.array();
}
const Tensor& Rule::output(const Tensor& tensor) { return rotated_if("output", tensor); }

NDArray Rule::sum_to(const NDArray& x, const Shape& shape) {
  if (x.size() == 0 || core::numel(shape) == 0) return core::sum_to(x, shape);
  const std::string which = "reduction " + std::to_string(running.reductions++);
  if (!planted_in_rule(which + " dropped")) return core::sum_to(x, shape);
  NDArray first = x;
  while (first.rank() > shape.rank()) first = first.select(0, 0);
  for (int d = 0; d < shape.rank(); ++d) first = first.narrow(d, 0, shape[d]);
  return first.clone();
}

Value::~Value() {
  for (const auto& restore : restore_) restore();
}

template <class T>
void Value::change(T& what, T to) {
  restore_.push_back([&what, before = what] { what = before; });
  what = std::move(to);
}

template <class T>
void Value::argument(const T& value) {
  const std::string which = "argument " + std::to_string(arguments_++);
  if constexpr (requires { other(value); })
    if (planted_here(op_, "value: " + which + " changed"))
      change(const_cast<T&>(value), T(other(value)));
}
template void Value::argument(const int&);
template void Value::argument(const Index&);
template void Value::argument(const bool&);
template void Value::argument(const double&);
template void Value::argument(const Scalar&);
template void Value::argument(const Dims&);
template void Value::argument(const Axes&);
template void Value::argument(const std::optional<Scalar>&);
template void Value::argument(const std::string&);
template void Value::argument(const char* const&);
template void Value::argument(const char (&)[5]);

void Value::input(const Tensor& tensor) {
  if (!tensor.defined() || tensor.numel() == 0) return;
  const std::string which = "input " + std::to_string(inputs_++);
  if (planted_here(op_, "value: " + which + " rotated"))
    change(const_cast<Tensor&>(tensor), rotated(tensor));
}

NDArray Value::result(NDArray value) const {
  if (value.size() == 0) return value;
  const bool floating = is_floating(value.dtype());
  if (floating && planted_here(op_, "value: result times 1.01")) return core::mul(value, 1.01);
  if (!planted_here(op_, "value: result rotated")) return value;
  const NoGradGuard no_grad;
  return rotated(Tensor(value)).array();
}
Tensor Value::result(Tensor value) const {
  if (value.numel() == 0) return value;
  const bool scaled = is_floating(value.dtype()) && planted_here(op_, "value: result times 1.01");
  if (!scaled && !planted_here(op_, "value: result rotated")) return value;
  const Planting guard;
  return scaled ? value * 1.01 : rotated(value);
}
std::vector<Tensor> Value::result(std::vector<Tensor> values) const {
  for (Tensor& value : values) value = result(std::move(value));
  return values;
}
NDArray* Value::result(NDArray* changed) const {
  const NDArray wrong = result(*changed);
  if (wrong.storage() != changed->storage()) core::copy_(*changed, wrong);
  return changed;
}

}  // namespace tapehead::mutation
