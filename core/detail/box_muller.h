// Sixteen uniform numbers into sixteen normal ones, as PyTorch fills arrays of 16 or more.
//
//   box_muller_16(data, mean, std);   // data[0..7] and data[8..15] are the pairs' two halves
//
// Not for single draws (see Generator::normal_double), which pair their numbers otherwise.
#pragma once

namespace tapehead::core {

/// Replaces 16 numbers of [0, 1) by normal ones. The float version repeats the polynomials and the
/// roundings of PyTorch's AVX2 path on any machine; the double version uses the platform's log, sin
/// and cos, as PyTorch does.
void box_muller_16(float* data, float mean, float std);
void box_muller_16(double* data, double mean, double std);

}  // namespace tapehead::core
