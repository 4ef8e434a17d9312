// gradcheck held to 1e-6: at PyTorch's rtol of 1e-3 a gradient may be wrong in its fourth digit.
#pragma once

#include <tapehead/autograd/gradcheck.h>

namespace tapehead::testing {

inline constexpr GradcheckOptions strict{.atol = 1e-6, .rtol = 1e-6};

inline GradcheckResult strict_gradcheck(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                                        const NamedTensors& parameters = {}) {
  return gradcheck(f, inputs, parameters, strict);
}

}  // namespace tapehead::testing
