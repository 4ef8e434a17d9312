// Which fault is planted, and which could be.
#pragma once

#include <compare>
#include <set>
#include <string>

namespace tapehead::mutation {

/// "mul", "gradient 0 negated".
struct Fault {
  std::string op, what;
  auto operator<=>(const Fault&) const = default;
};

/// Every fault that the ops run since the last clear() could have had.
inline std::set<Fault> possible;
/// The one that is planted; none while `op` is empty.
inline Fault active;

}  // namespace tapehead::mutation
