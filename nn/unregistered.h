// Modules and parameters that no module has registered, by address. How a forgotten add() is found:
// a member lies within the object it is a member of.
#pragma once

#include <cstddef>
#include <mutex>
#include <set>

namespace tapehead::nn {
class Module;
class Parameter;
}  // namespace tapehead::nn

namespace tapehead::nn::detail {

/// The memory of one object.
struct Extent {
  const void* begin;
  std::size_t bytes;
};

/// One for the process: modules may be made, called and destroyed on different threads.
class Unregistered {
 public:
  static Unregistered& instance();

  void insert(const Module* module);
  void insert(const Parameter* parameter);
  void erase(const Module* module);
  void erase(const Parameter* parameter);

  /// One that lies within `extent`, or null. `self` does not count.
  const Module* module_in(const Extent& extent, const Module* self);
  const Parameter* parameter_in(const Extent& extent);

 private:
  std::mutex mutex_;
  std::set<const void*> modules_, parameters_;  // as Module* and Parameter*, made void
};

}  // namespace tapehead::nn::detail
