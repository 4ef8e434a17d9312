// Which formula counts which op's FLOPs. For Profiler.
#pragma once

#include <map>
#include <string_view>

#include "../profiler.h"

namespace tapehead::detail {

using FlopFormula = double (*)(const OpCall& call, const Tensor& result);

/// By the op's name, without the "_" of one in place: all of the library's that give floating
/// tensors. Any other op counts as a function of an element.
const std::map<std::string_view, FlopFormula>& flop_formulas();

}  // namespace tapehead::detail
