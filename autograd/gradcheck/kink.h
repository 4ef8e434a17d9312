// Which op has a kink within reach of a point.
#pragma once

#include "probe.h"

namespace tapehead {

/// The first op that f runs whose own output has different slopes on either side, as measured along
/// `direction`: "relu", or "the derivative of relu" where it runs in a rule; "an op" if that cannot
/// be told. `allowed(slope)` is by how much slopes may differ.
std::string kinked_op(Probe& probe, const Direction& direction, double eps,
                      const std::function<double(double)>& allowed);

}  // namespace tapehead
