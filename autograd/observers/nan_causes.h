// Why an op, or its derivative rule, makes NaN or infinity. For NanGuard.
#pragma once

#include <string>

#include "../nan_guard.h"

namespace tapehead::detail {

/// The likely cause and what to do about it, from an op, its operands before it ran and its output;
/// "" where none is known. "div_" is looked up as "div".
std::string forward_cause(const OpCall& call, const std::vector<NanReport::Operand>& inputs,
                          const Statistics& output);

/// What is known of a derivative rule that has made what is not finite.
struct RuleEvidence {
  const Statistics& incoming;
  const NanReport* first;    // the first op in it whose result was not finite, or null
  const std::string& given;  // "op 2 of the forward pass, rsqrt": who left it such an input; or ""
  bool watched;              // whether the guard has seen its op of the forward pass
};

/// The same for the derivative rule of `op`.
std::string backward_cause(const std::string& op, const RuleEvidence& rule);

/// Whether "inf" or "nan", of any sign, is one of the arguments.
bool has_argument(const std::string& arguments, const std::string& word);

}  // namespace tapehead::detail
