// Undefined inputs, refused in the name of the op that they were given to.
#pragma once

#include <initializer_list>
#include <string>

#include "../tensor.h"

namespace tapehead {

[[noreturn]] [[gnu::cold]] [[gnu::noinline]] inline void refuse_undefined(
    const char* op, std::initializer_list<bool> defined) {
  std::size_t which = 1;
  for (const bool* it = defined.begin(); *it; ++it) ++which;
  const std::string input =
      "input " + std::to_string(which) + " of " + std::to_string(defined.size());
  fail(op, ": ", defined.size() == 1 ? "the input" : input,
       " is undefined (made by Tensor(), or a gradient that is not there); ask defined() first");
}

/// Error if one of the tensors is undefined.
template <class... Tensors>
void check_defined(const char* op, const Tensors&... inputs) {
  if (!(inputs.defined() && ...)) [[unlikely]]
    refuse_undefined(op, {inputs.defined()...});
}

}  // namespace tapehead
