#include "module.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <typeinfo>

#include "../autograd/node.h"
#include "../core/elementwise.h"
#include "../core/text.h"

namespace tapehead::nn {
namespace {

// "a::List<(anonymous namespace)::Block>" without what stands before each "::".
std::string without_namespaces(const std::string& name) {
  std::string result;
  std::size_t word = 0;  // where the current name begins in result
  int depth = 0;         // within parentheses, which belong to the name that they are in
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (depth == 0 && name.compare(i, 2, "::") == 0) {
      result.resize(word);
      ++i;
      continue;
    }
    result += name[i];
    depth += (name[i] == '(') - (name[i] == ')');
    if (depth == 0 && (name[i] == '<' || name[i] == ',' || name[i] == ' ')) word = result.size();
  }
  return result;
}

// A tensor, and what it is going to be.
struct Conversion {
  Tensor tensor;
  NDArray value;
  Tensor grad;
};

Conversion conversion(const std::string& name, const Tensor& x, DType dtype) {
  if (!x.is_leaf())
    fail<GraphError>("to: \"", name, "\" is the result of ", x.node()->op,
                     " and has a history that belongs to its value; use detach() first");
  const Tensor grad = x.grad();
  return {x, core::cast(x.array(), dtype),
          grad.defined() ? Tensor(core::cast(grad.array(), dtype)) : grad};
}

// All who hold this tensor see the change; its gradient comes along.
void commit(Conversion& c) {
  c.tensor.set_data(std::move(c.value));
  if (c.grad.defined()) c.tensor.node()->grad = c.grad;
}

}  // namespace

std::string detail::joined(const std::string& path, const std::string& name) {
  return path.empty() || name.empty() ? path + name : path + "." + name;
}

Module::Module() { detail::Unregistered::instance().insert(this); }
Module::~Module() { detail::Unregistered::instance().erase(this); }

std::string Module::type_name() const {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(typeid(*this).name(), nullptr, nullptr, &status), &std::free);
  return without_namespaces(status == 0 ? name.get() : typeid(*this).name());
}

detail::ModuleHooks& Module::hooks() {
  if (!hooks_) hooks_ = std::make_shared<detail::ModuleHooks>();
  return *hooks_;
}

// Registration.

void Module::check_name(const std::string& name) const {
  if (name.empty() || name.find('.') != std::string::npos)
    fail("add: a name must not be empty or have a dot in it, got \"", name, "\" in ", type_name());
  const auto taken = [&](const auto& entries) {
    return std::any_of(entries.begin(), entries.end(),
                       [&](const auto& e) { return e.name == name; });
  };
  if (taken(children_) || taken(parameters_) || taken(buffers_))
    fail("add: ", type_name(), " has two members named \"", name, "\"; rename one of them");
}

void Module::add(const std::string& name, Module& child) {
  check_name(name);
  adopt(name, child);
}

void Module::add_as_self(Module& child) { adopt("", child); }

// A list of those to visit: what is shared is visited once, and depth costs no stack.
bool Module::reaches(const Module& other) const {
  std::set<const Module*> seen{this};
  for (std::vector<const Module*> next{this}; !next.empty();) {
    const Module* const module = next.back();
    next.pop_back();
    if (module == &other) return true;
    for (const Child& child : module->children_)
      if (seen.insert(child.module).second) next.push_back(child.module);
  }
  return false;
}

void Module::adopt(const std::string& name, Module& child) {
  if (child.reaches(*this))
    fail("add: \"", name, "\" contains the ", type_name(),
         " that it is to be part of; a module can't be its own child");
  if (child.label_.empty()) child.set_label(is_list() ? detail::joined(label_, name) : name);
  children_.push_back({name, &child});
  detail::Unregistered::instance().erase(&child);
  checked_ = false;
}

void Module::add(const std::string& name, Parameter& parameter) {
  check_name(name);
  parameters_.push_back({name, &parameter, true});
  detail::Unregistered::instance().erase(&parameter);
  checked_ = false;
}

void Module::register_buffer(const std::string& name, Tensor& buffer, bool persistent) {
  check_name(name);
  buffers_.push_back({name, &buffer, persistent});
}

void Module::set_label(const std::string& label) {
  label_ = label;
  if (!is_list()) return;
  for (const Child& child : children_) child.module->set_label(detail::joined(label, child.name));
}

void Module::check_registered() const {
  if (checked_.load(std::memory_order_relaxed)) return;
  for (const Child& child : children_) child.module->check_registered();
  auto& unregistered = detail::Unregistered::instance();
  if (const Module* module = unregistered.module_in(extent(), this))
    fail(type_name(), ": its member of type ", module->type_name(),
         " is not registered; call add(\"name\", member) in the constructor");
  if (const Parameter* parameter = unregistered.parameter_in(extent()))
    fail(type_name(), ": its parameter ",
         parameter->defined() ? core::to_text("of shape ", parameter->shape()) : "without a value",
         " is not registered; call add(\"name\", member) in the constructor");
  checked_.store(true, std::memory_order_relaxed);
}

// The tree.

template <class M>
void Module::list(M& module, const std::string& path, bool once,
                  std::vector<std::pair<std::string, M*>>& out) {
  const auto same = [&](const auto& listed) { return listed.second == &module; };
  if (once && std::any_of(out.begin(), out.end(), same)) return;
  out.emplace_back(path, &module);
  for (const Child& child : module.children_)
    list(static_cast<M&>(*child.module), detail::joined(path, child.name), once, out);
}

std::vector<std::pair<std::string, Module*>> Module::named_modules() {
  std::vector<std::pair<std::string, Module*>> result;
  list(*this, "", true, result);
  return result;
}
std::vector<std::pair<std::string, const Module*>> Module::tree(bool once) const {
  std::vector<std::pair<std::string, const Module*>> result;
  list(*this, "", once, result);
  return result;
}
std::vector<std::pair<std::string, const Module*>> Module::named_modules() const {
  return tree(true);
}

NamedTensors Module::tensors(std::vector<Entry> Module::*which, bool once) const {
  check_registered();
  NamedTensors result;
  for (const auto& [path, module] : tree(once)) {
    for (const Entry& entry : module->*which) {
      const auto same = [&](const auto& t) { return t.second.impl() == entry.tensor->impl(); };
      if (!entry.tensor->defined()) continue;
      if (once && std::any_of(result.begin(), result.end(), same)) continue;
      result.emplace_back(detail::joined(path, entry.name), *entry.tensor);
    }
  }
  return result;
}

NamedTensors Module::named_parameters() const { return tensors(&Module::parameters_, true); }
NamedTensors Module::named_buffers() const { return tensors(&Module::buffers_, true); }

std::vector<Tensor> Module::parameters() const {
  std::vector<Tensor> result;
  for (auto& [name, tensor] : named_parameters()) result.push_back(tensor);
  return result;
}
Index Module::num_parameters() const {
  Index count = 0;
  for (const Tensor& parameter : parameters()) count += parameter.numel();
  return count;
}

// What reaches every module.

Module& Module::train(bool on) {
  training_ = on;
  for (const Child& child : children_) child.module->train(on);
  return *this;
}

Module& Module::apply(const std::function<void(Module&)>& f) {
  for (const Child& child : children_) child.module->apply(f);
  f(*this);
  return *this;
}

Module& Module::to(DType dtype) {
  if (!core::is_floating(dtype))
    fail<DTypeError>("to: a module computes in Float32 or Float64, got ", name(dtype));
  std::vector<Conversion> conversions;  // all of them are made before the first is seen
  for (const NamedTensors& tensors : {named_parameters(), named_buffers()})
    for (const auto& [name, x] : tensors)
      if (x.dtype() != dtype && core::is_floating(x.dtype()))
        conversions.push_back(conversion(name, x, dtype));
  for (Conversion& each : conversions) commit(each);
  return *this;
}

void Module::zero_grad() {
  for (Tensor& parameter : parameters()) parameter.zero_grad();
}

Module& Module::requires_grad_(bool on) {
  for (Tensor& parameter : parameters()) parameter.requires_grad_(on);
  return *this;
}

}  // namespace tapehead::nn
