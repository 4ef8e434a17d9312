// When two results are the same.
#pragma once

#include "reading.h"

namespace parity {

/// What may differ: atol + rtol |theirs|, plus `noise_factor` times what the noise did.
struct Tolerance {
  double atol, rtol;
};
Tolerance tolerance(DType dtype);
inline constexpr double noise_factor = 4;

struct Verdict {
  enum Kind { Same, Kink, Different } kind = Same;
  std::string text = {};
};

/// Values, shape and dtype. Kink where noise changed what is whole, finite or NaN, or moved a
/// number more than 1e5 times (Float32: 1e3 times) as far as it should.
Verdict compare(const Reading& ours, const Reading& theirs, const std::vector<Reading>& noisy);

/// Whether strides are the same where they matter: in dimensions longer than one, if there is any
/// element.
bool same_strides(const Reading& ours, const Reading& theirs);

}  // namespace parity
