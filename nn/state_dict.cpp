// Saving and restoring what a module has learnt.
#include <map>

#include "../core/elementwise.h"
#include "../core/text.h"
#include "detail/few.h"
#include "module.h"

namespace tapehead::nn {
namespace {

// "; missing: a, b", the first of them, or nothing.
std::string listed(const char* what, const std::vector<std::string>& names) {
  return names.empty() ? "" : core::to_text("; ", what, ": ", detail::few(names, ", "));
}

std::string shapes(const std::string& name, const Tensor& target, const Tensor& source) {
  return core::to_text(name, " ", target.shape(), " from ", source.shape());
}

}  // namespace

StateDict Module::state_dict() const {
  check_registered();
  StateDict result;
  for (const auto& [path, module] : tree(/*once=*/false)) {
    for (const auto* entries : {&module->parameters_, &module->buffers_})
      for (const Entry& entry : *entries)
        if (entry.persistent && entry.tensor->defined())
          result.emplace_back(detail::joined(path, entry.name), entry.tensor->detach());
  }
  return result;
}

Skipped Module::load_state_dict(const StateDict& state, bool strict) {
  return load("load_state_dict", state_dict(), state, strict);
}

void Module::copy_from(const Module& other) {
  const auto everything = [](const Module& module) {
    NamedTensors all = module.tensors(&Module::parameters_, false);
    for (auto& buffer : module.tensors(&Module::buffers_, false)) all.push_back(buffer);
    return all;
  };
  load("copy_from", everything(*this), everything(other), true);
}

Skipped Module::load(const char* op, const NamedTensors& targets, const NamedTensors& sources,
                     bool strict) {
  std::map<std::string, Tensor> given;
  for (const auto& [name, tensor] : sources)
    if (tensor.defined() && !given.emplace(name, tensor).second)
      fail(op, ": names must differ, got \"", name, "\" twice; nothing was loaded");
  std::vector<std::pair<Tensor, Tensor>> copies;
  std::vector<std::string> misshaped;
  Skipped skipped;
  for (const auto& [name, target] : targets) {
    const auto found = given.find(name);
    if (found == given.end()) {
      skipped.missing.push_back(name);
      continue;
    }
    if (found->second.shape() != target.shape())
      misshaped.push_back(shapes(name, target, found->second));
    copies.emplace_back(target, found->second);
    given.erase(found);
  }
  for (const auto& [name, tensor] : given) skipped.unexpected.push_back(name);
  const bool skips = !skipped.missing.empty() || !skipped.unexpected.empty();
  if (!misshaped.empty() || (strict && skips))
    fail(op, ": the names and shapes must be those of this ", type_name(),
         strict ? listed("missing", skipped.missing) : "",
         strict ? listed("unexpected", skipped.unexpected) : "",
         listed("of another shape", misshaped), "; nothing was loaded");
  for (const auto& [target, source] : copies) core::check_target(op, target.array());
  for (auto& [target, source] : copies) core::copy_(target.impl()->array, source.array(), op);
  return skipped;
}

}  // namespace tapehead::nn
