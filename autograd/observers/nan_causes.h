// Why an op, or its derivative rule, makes NaN or infinity. For NanGuard.
#pragma once

#include <string>

#include "../nan_guard.h"

namespace tapehead::detail {

/// The likely cause and what to do about it, from an op, its operands before it ran and its output;
/// "" where none is known. "div_" is looked up as "div".
std::string forward_cause(const OpCall& call, const std::vector<NanReport::Operand>& inputs,
                          const Statistics& output);

/// The same for the derivative rule of `op`. `first`, if any, is the first op within the rule whose
/// result was not finite.
std::string backward_cause(const std::string& op, const Statistics& incoming,
                           const NanReport* first);

/// Whether "inf" or "nan", of any sign, is one of the arguments.
bool has_argument(const std::string& arguments, const std::string& word);

}  // namespace tapehead::detail
