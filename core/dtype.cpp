#include "dtype.h"

#include <array>
#include <cmath>
#include <ostream>

namespace tapehead {

const char* name(DType dtype) {
  static constexpr std::array names{"Float32", "Float64", "Int64", "Bool"};
  return names[static_cast<std::size_t>(dtype)];
}

Index Scalar::truncated(const char* op) const {
  if (std::trunc(real_) == real_ && core::holds<Index>(real_)) return static_cast<Index>(real_);
  fail<DTypeError>(op, ": the scalar ", real_,
                   " is not a whole number that Int64 holds; convert with .to(Float32) first");
}

void Scalar::beyond_float(const char* op) const {
  fail<DTypeError>(op, ": the scalar ", real_, " is beyond what Float32 holds, which ends at ",
                   std::numeric_limits<float>::max(), "; use Float64, or INFINITY");
}

std::ostream& operator<<(std::ostream& out, const Scalar& scalar) {
  return scalar.is_whole() ? out << scalar.to<Index>("print") : out << scalar.real();
}

}  // namespace tapehead
