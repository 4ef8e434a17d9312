// Shades: a number as a patch of a terminal, in colours, blocks or letters.
#pragma once

#include <string>

#include "terminal.h"

namespace tapehead::viz {

/// A patch `width` columns wide for a `share` in [0, 1]: on a colour terminal a background from
/// black over red and yellow to white, ever lighter; else ` ░▒▓█`, or ` .:-=+#@` without UTF-8,
/// of which the blank is for shares up to 0.05. "?"
/// for NaN. A line of them wants end_of_shades() behind it.
std::string shade(double share, int width, const Terminal& terminal);
std::string end_of_shades(const Terminal& terminal);

/// All shades in order, between the numbers 0 and `greatest`, and what a blank means.
std::string shade_legend(double greatest, const Terminal& terminal);

}  // namespace tapehead::viz
