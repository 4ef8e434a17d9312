#include "rotary.h"

#include <cmath>

#include "../autograd/create.h"

namespace tapehead::nn {

void check_rotary_base(const char* whose, double base) {
  if (!(base > 0 && std::isfinite(base)))
    fail(whose, ": the base of the rotary angles must be above 0 and finite, got ", base);
}

RotaryAngles rotary_angles(const Tensor& positions, Index d_k, DType dtype, double base) {
  if (d_k < 2 || d_k % 2 != 0)
    fail("rotary_angles: d_k must be even, since features are turned in pairs, got ", d_k);
  if (!positions.defined())
    fail("rotary_angles: the positions are undefined (made by Tensor()); ask defined() first");
  if (positions.dtype() != Int64 || positions.dim() < 1 || positions.dim() > 2)
    fail<ShapeError>("rotary_angles: positions must be Int64 (T) or (B, T), got ",
                     name(positions.dtype()), " ", positions.shape());
  core::check_floating("rotary_angles", dtype);
  check_rotary_base("rotary_angles", base);
  std::vector<double> frequencies;
  for (Index i = 0; i < d_k; i += 2)
    frequencies.push_back(std::pow(base, -static_cast<double>(i) / static_cast<double>(d_k)));
  const Tensor angles = positions.to(Float64).unsqueeze(-1) *
                        tensor(frequencies, {d_k / 2}, Float64);  // (..., T, d_k / 2)
  const Tensor each = positions.dim() == 1 ? angles : angles.unsqueeze(1);
  return {cos(each).to(dtype), sin(each).to(dtype)};
}

// (even, odd) becomes (even cos - odd sin, even sin + odd cos).
Tensor apply_rotary(const Tensor& x, const RotaryAngles& angles) {
  const Index B = x.size(0), H = x.size(1), T = x.size(2), pairs = x.size(3) / 2;
  const Tensor paired = x.reshape({B, H, T, pairs, 2});
  const Tensor even = paired.select(-1, 0), odd = paired.select(-1, 1);  // (B, H, T, d_k / 2)
  const Tensor turned = stack({even * angles.cos - odd * angles.sin,     //
                               even * angles.sin + odd * angles.cos},
                              -1);  // (B, H, T, d_k / 2, 2)
  return turned.flatten(-2, -1);    // (B, H, T, d_k)
}

}  // namespace tapehead::nn
