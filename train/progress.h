// How progress reads: one line, for a terminal or a log.
#pragma once

#include <string>

#include "fit.h"

namespace tapehead::train {

/// `step  120/400  loss 0.8123  accuracy  67.2 %   61k tokens/s  4 s left`
std::string to_string(const Progress& progress);

/// 47 s, 3 min 20 s, 2 h 05 min.
std::string duration(double seconds);

/// 812, 61k, 1.2M.
std::string rounded(double number);

/// Which steps a log of about ten lines shows: the first, the last, and those between at equal
/// distances.
bool belongs_in_log(Index step, Index steps);

}  // namespace tapehead::train
