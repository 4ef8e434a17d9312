// Ends an example with exit code 1 where what it claims is not so, in every build.
#pragma once

#include <cstdlib>
#include <iostream>

inline void check(bool holds, const char* claim) {
  if (holds) return;
  std::cerr << "not so: " << claim << "\n";
  std::exit(1);
}
