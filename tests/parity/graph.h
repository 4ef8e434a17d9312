// Random graphs, compared while they grow.
#pragma once

#include <ostream>

#include "report.h"

namespace parity {

/// Where the two differ, after all that does not matter has been left out.
struct Difference {
  Plan plan;  // the last step is the one
  std::string text;
};

/// Graph number `number` of a seed, always the same; counted in `report`. With `listing`, every
/// step is written there as it is made.
std::optional<Difference> compare_graph(std::uint64_t seed, int number, Report& report,
                                        std::ostream* listing = nullptr);

/// The plan as PyTorch would be told, with both values of what it computes.
void print(std::ostream& out, const Difference& difference, std::uint64_t noise_seed);

/// The seed of the noise of a graph.
std::uint64_t noise_seed(std::uint64_t seed, int number);

}  // namespace parity
