#include "theirs.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cstring>

#include "random.h"
#include "row.h"

namespace parity {
namespace {

using at::IValue;

at::ScalarType to_torch(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return at::kFloat;
    case DType::Float64:
      return at::kDouble;
    case DType::Int64:
      return at::kLong;
    default:
      return at::kBool;
  }
}
DType from_torch(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return DType::Float32;
    case at::kDouble:
      return DType::Float64;
    case at::kLong:
      return DType::Int64;
    case at::kBool:
      return DType::Bool;
    default:
      throw Refusal("a dtype that tapehead does not have");
  }
}

c10::OperatorHandle find(const std::string& name) {
  const std::size_t dot = name.find('.');
  const std::string overload = dot == std::string::npos ? "" : name.substr(dot + 1);
  return c10::Dispatcher::singleton().findSchemaOrThrow(("aten::" + name.substr(0, dot)).c_str(),
                                                        overload.c_str());
}

at::Tensor call(const std::string& name, std::vector<IValue> stack) {
  const c10::OperatorHandle op = find(name);
  const auto& formal = op.schema().arguments();
  for (std::size_t i = stack.size(); i < formal.size(); ++i)
    stack.push_back(formal[i].default_value() ? *formal[i].default_value() : IValue());
  op.callBoxed(&stack);
  return stack[0].toTensor();
}

// Row-major memory in the given dtype.
at::Tensor make(const Numbers& values, const Indices& shape, DType dtype) {
  at::Tensor x =
      call("empty.memory_format", {IValue(shape), IValue(std::int64_t(to_torch(dtype)))});
  tapehead::core::dispatch(dtype, [&]<class T>() {
    T* const data = static_cast<T*>(x.data_ptr());
    for (std::size_t i = 0; i < values.size(); ++i) data[i] = static_cast<T>(values[i]);
  });
  return x;
}

Numbers values_of(const at::Tensor& tensor, DType dtype) {
  const at::NoGradGuard no_grad;
  const at::Tensor x = tensor.contiguous();
  Numbers values;
  tapehead::core::dispatch(dtype, [&]<class T>() {
    const T* const data = static_cast<const T*>(x.data_ptr());
    for (std::int64_t i = 0; i < x.numel(); ++i) values.push_back(static_cast<double>(data[i]));
  });
  return values;
}

class Theirs final : public Interpreter, private Peer {
 public:
  Theirs(Noise noise, std::uint64_t seed) : noise_(noise), seed_(seed) {}

  int run(const Step& step) override {
    const c10::AutoGradMode mode(step.recording);
    at::manual_seed(static_cast<std::uint64_t>(step.first));
    temporary_.clear();
    try {
      const Operands results = step.row->theirs != nullptr ? step.row->theirs(*this, step.arguments)
                                                           : call(step.row->name, step.arguments);
      return keep(step, results);
    } catch (const c10::Error& error) {
      throw Refusal(error.what_without_backtrace());
    } catch (const Refusal&) {
      throw;
    } catch (const std::exception& error) {
      throw Refusal(error.what());
    }
  }

  Reading read(int number) const override {
    const at::Tensor& x = values_[static_cast<std::size_t>(number)];
    if (!x.defined()) return {};
    const DType dtype = from_torch(x.scalar_type());
    return {true,
            dtype,
            x.sizes().vec(),
            x.strides().vec(),
            x.storage_offset(),
            x.requires_grad(),
            x.storage().unsafeGetStorageImpl(),
            values_of(x, dtype)};
  }

  bool has(int number) const override {
    return static_cast<std::size_t>(number) < known_.size() &&
           known_[static_cast<std::size_t>(number)];
  }

 private:
  // Peer.

  Operands call(const std::string& name, const Arguments& arguments) override {
    const c10::OperatorHandle op = find(name);
    const auto& formal = op.schema().arguments();
    std::vector<IValue> stack;
    for (std::size_t i = 0; i < formal.size(); ++i)
      stack.push_back(i < arguments.size()        ? convert(arguments[i], *formal[i].type())
                      : formal[i].default_value() ? *formal[i].default_value()
                                                  : IValue());
    op.callBoxed(&stack);
    Operands results;
    for (const IValue& value : stack) take(value, results);
    return results;
  }
  Indices shape(Operand x) override { return at(x).sizes().vec(); }
  DType dtype(Operand x) override { return from_torch(at(x).scalar_type()); }
  Operand leaf(const Numbers& values, const Indices& shape, DType dtype) override {
    return hold(make(values, shape, dtype));
  }
  void requires_grad(Operand x, bool on) override { at(x).set_requires_grad(on); }
  void retain_grad(Operand x) override {
    if (at(x).grad_fn()) at(x).retain_grad();  // of others that require one it crashes
  }
  void zero_grad(Operand x) override { at(x).mutable_grad() = at::Tensor(); }
  Operand gradient(Operand x) override {
    const at::Tensor& g = at(x).grad();
    return hold(g.defined() ? g.detach().clone(at::MemoryFormat::Contiguous) : at::Tensor());
  }
  void backward(Operand y, Operand gradient, bool retain_graph, bool create_graph) override {
    // A copy: PyTorch may take what it is handed for a leaf's gradient, and add to it later.
    torch::autograd::backward({at(y)}, {at(gradient).clone()}, retain_graph, create_graph);
  }
  Operands grad(const Operands& outputs, const Operands& inputs, const Operands& gradients,
                bool create_graph) override {
    torch::autograd::variable_list from, to, weights;
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (at(outputs[i]).requires_grad())
        from.push_back(at(outputs[i])), weights.push_back(at(gradients[i]));
    for (const Operand x : inputs) to.push_back(at(x));
    torch::autograd::variable_list found(inputs.size());
    if (!from.empty())
      found = torch::autograd::grad(from, to, weights, create_graph, create_graph, true);
    Operands results;
    for (const at::Tensor& g : found) results.push_back(hold(g));
    return results;
  }

  at::Tensor& at(Operand x) {
    return x.number >= 0 ? values_[static_cast<std::size_t>(x.number)]
                         : temporary_[static_cast<std::size_t>(-x.number - 2)];
  }
  Operand hold(at::Tensor x) {
    temporary_.push_back(std::move(x));
    return {-static_cast<int>(temporary_.size()) - 1};
  }
  void take(const IValue& value, Operands& results) {
    if (value.isTensorList()) {
      for (const at::Tensor& x : value.toTensorVector()) results.push_back(hold(x));
    } else if (value.isTensor()) {
      results.push_back(hold(value.toTensor()));
    } else {
      results.push_back(hold(make({value.toBool() ? 1.0 : 0.0}, {}, DType::Bool)));
    }
  }

  // An argument as the type that the schema gives.
  IValue convert(const Argument& argument, const c10::Type& type) {
    if (std::holds_alternative<std::monostate>(argument)) return {};
    if (type.kind() == c10::TypeKind::OptionalType)
      return convert(argument, *type.castRaw<c10::OptionalType>()->getElementType());
    if (const auto* x = std::get_if<Operand>(&argument)) return at(*x);
    if (const auto* list = std::get_if<Operands>(&argument)) return convert(*list, type);
    if (const auto* list = std::get_if<Indices>(&argument)) return *list;
    if (const auto* list = std::get_if<Numbers>(&argument)) return *list;
    if (const auto* on = std::get_if<bool>(&argument)) return *on;
    if (const auto* whole = std::get_if<Index>(&argument)) {
      if (type.kind() == c10::TypeKind::FloatType) return static_cast<double>(*whole);
      if (type.kind() == c10::TypeKind::ListType) return Indices{*whole};
      return *whole;
    }
    if (const auto* dtype = std::get_if<DType>(&argument))
      return static_cast<std::int64_t>(to_torch(*dtype));
    if (const auto* text = std::get_if<std::string>(&argument)) return *text;
    return std::get<double>(argument);
  }
  IValue convert(const Operands& from, const c10::Type& type) {
    if (type.castRaw<c10::ListType>()->getElementType()->kind() == c10::TypeKind::OptionalType) {
      c10::List<c10::optional<at::Tensor>> list;
      for (const Operand x : from)
        list.push_back(x.number == -1 ? c10::nullopt : c10::make_optional(at(x)));
      return list;
    }
    c10::List<at::Tensor> list;
    for (const Operand x : from) list.push_back(at(x));
    return list;
  }

  int keep(const Step& step, const Operands& results) {
    const std::size_t first = static_cast<std::size_t>(step.first);
    if (values_.size() < first + results.size()) {
      values_.resize(first + results.size());
      known_.resize(first + results.size());
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      at::Tensor x = at(results[i]);
      // Ours are row-major: so are these, where the op is free to choose.
      const bool view = step.row->kind == Row::View || step.row->kind == Row::InPlace;
      if (x.defined() && !view && !x.is_contiguous() && !shared(x))
        x.set_data(x.variable_data().contiguous());
      // Made under no_grad, ours are constants; theirs say that they require a gradient.
      if (!step.recording && x.defined() && x.requires_grad() && !known(x) && shared(x))
        x = x.detach();
      values_[first + i] = x, known_[first + i] = true;
    }
    if (noise_ != Noise::None) disturb(step, results.size());
    return static_cast<int>(results.size());
  }

  bool shared(const at::Tensor& x) const {
    for (const at::Tensor& other : values_)
      if (other.defined() && other.storage().is_alias_of(x.storage())) return true;
    return false;
  }

  bool known(const at::Tensor& x) const {
    return std::any_of(values_.begin(), values_.end(),
                       [&](const at::Tensor& other) { return other.is_same(x); });
  }

  void disturb(const Step& step, std::size_t count) {
    if (step.row->kind == Row::View) return;
    const double way = noise_ == Noise::OneWay ? 1 : -1;
    Random random(seed_ * 1000003 + static_cast<std::uint64_t>(step.first));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t number = static_cast<std::size_t>(step.first) + i;
      const at::Tensor x = values_[number];
      if (!x.defined() || !x.is_floating_point() || x.numel() == 0) continue;
      values_[number] = at::Tensor();
      const bool alias = step.row->kind != Row::InPlace && shared(x);
      values_[number] = x;
      if (alias) continue;
      const DType dtype = from_torch(x.scalar_type());
      const at::NoGradGuard no_grad;
      const at::Tensor data = x.variable_data();  // no version tells of this
      const auto some = [&](double around) {
        Numbers numbers;
        for (std::int64_t k = 0; k < x.numel(); ++k)
          numbers.push_back(around + way * noise(dtype) * (random.chance(0.5) ? 1 : -1) *
                                         random.real(0.5, 1));
        return make(numbers, x.sizes().vec(), dtype);
      };
      parity::call("mul_.Tensor", {data, some(1)});
      if (step.row->cancels) parity::call("add_.Tensor", {data, some(0), 1});
    }
  }

  Noise noise_;
  std::uint64_t seed_;
  std::vector<at::Tensor> values_, temporary_;
  std::vector<bool> known_;
};

}  // namespace

std::unique_ptr<Interpreter> make_theirs(Noise noise, std::uint64_t seed) {
  return std::make_unique<Theirs>(noise, seed);
}

double noise(DType dtype) { return dtype == DType::Float32 ? 1e-6 : 1e-13; }

std::string keyword_of(const std::string& op, std::size_t i) {
  const c10::OperatorHandle handle = find(op);
  const auto& formal = handle.schema().arguments();
  return i < formal.size() && formal[i].kwarg_only() ? formal[i].name() : "";
}

void quieten_torch() {
  at::set_num_threads(1);
  c10::SetStackTraceFetcher([] { return std::string(); });
  struct Silent final : c10::WarningHandler {
    void process(const c10::SourceLocation&, const std::string&, bool) override {}
  };
  static Silent silent;
  c10::Warning::set_warning_handler(&silent);
}

}  // namespace parity
