// PyTorch (LibTorch) carries out a plan. theirs.cpp alone includes its headers: ops are called by
// their names in its registry, with arguments converted to what the op's schema asks for.
#pragma once

#include <cstdint>

#include "interpreter.h"

namespace parity {

/// With noise each element of each result is moved up or down at random, by a generator that starts
/// from `seed`; the other way is where one way is not. What that does to later results says how far
/// rounding alone may take them.
enum class Noise { None, OneWay, OtherWay };
std::unique_ptr<Interpreter> make_theirs(Noise noise = Noise::None, std::uint64_t seed = 0);

/// How far a noisy interpreter moves elements of this dtype, relative to their size.
double noise(DType dtype);

/// The keyword that argument i of a registered op needs, or "".
std::string keyword_of(const std::string& op, std::size_t i);

/// One thread, no warnings, no backtraces.
void quieten_torch();

}  // namespace parity
