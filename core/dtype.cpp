#include "dtype.h"

#include <array>
#include <cmath>

namespace tapehead::core {

const char* name(DType dtype) {
  static constexpr std::array names{"Float32", "Float64", "Int64", "Bool"};
  return names[static_cast<std::size_t>(dtype)];
}

Index Scalar::truncated(const char* op) const {
  constexpr double limit = 9223372036854775808.0;  // 2^63
  if (std::trunc(real_) == real_ && real_ >= -limit && real_ < limit)
    return static_cast<Index>(real_);
  fail<DTypeError>(op, ": the scalar ", real_,
                   " is not a whole number that Int64 holds; convert with .to(Float64) first");
}

}  // namespace tapehead::core
