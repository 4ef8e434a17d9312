#include "unregistered.h"

#include "parameter.h"

namespace tapehead::nn {
namespace detail {
namespace {

using Addresses = std::set<const void*>;

// The first within `extent`, other than `self`.
const void* find(const Addresses& addresses, const Extent& extent, const void* self) {
  const void* const end = static_cast<const std::byte*>(extent.begin) + extent.bytes;
  const auto last = addresses.lower_bound(end);
  for (auto it = addresses.lower_bound(extent.begin); it != last; ++it)
    if (*it != self) return *it;
  return nullptr;
}

}  // namespace

// Never destroyed: static modules may outlive any static set.
Unregistered& Unregistered::instance() {
  static Unregistered& one = *new Unregistered;
  return one;
}

void Unregistered::insert(const Module* module) {
  const std::lock_guard lock(mutex_);
  modules_.insert(module);
}
void Unregistered::insert(const Parameter* parameter) {
  const std::lock_guard lock(mutex_);
  parameters_.insert(parameter);
}
void Unregistered::erase(const Module* module) {
  const std::lock_guard lock(mutex_);
  modules_.erase(module);
}
void Unregistered::erase(const Parameter* parameter) {
  const std::lock_guard lock(mutex_);
  parameters_.erase(parameter);
}

const Module* Unregistered::module_in(const Extent& extent, const Module* self) {
  const std::lock_guard lock(mutex_);
  return static_cast<const Module*>(find(modules_, extent, self));
}
const Parameter* Unregistered::parameter_in(const Extent& extent) {
  const std::lock_guard lock(mutex_);
  return static_cast<const Parameter*>(find(parameters_, extent, nullptr));
}

}  // namespace detail

Parameter::Parameter() { detail::Unregistered::instance().insert(this); }
Parameter::Parameter(const Tensor& value) : Tensor(value.detach()) {
  requires_grad_();
  detail::Unregistered::instance().insert(this);
}
Parameter::Parameter(const Parameter& other) : Tensor(other) {
  detail::Unregistered::instance().insert(this);
}
Parameter::~Parameter() { detail::Unregistered::instance().erase(this); }

}  // namespace tapehead::nn
