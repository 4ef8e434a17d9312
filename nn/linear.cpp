#include "linear.h"

#include <cmath>

#include "../autograd/create.h"
#include "../core/text.h"
#include "init.h"
#include "repr.h"

namespace tapehead::nn {

Linear::Linear(Index in, Index out, bool with_bias) : in_features(in), out_features(out) {
  if (in < 1 || out < 1)
    fail("Linear: expected in_features and out_features of at least 1, got ", in, " and ", out);
  weight = Parameter(empty({out, in}));
  init::kaiming_uniform_(weight, std::sqrt(5.0));
  add("weight", weight);
  add("bias", bias);
  if (!with_bias) return;
  const double bound = 1 / std::sqrt(static_cast<double>(in));
  bias = Parameter(empty({out}));
  init::uniform_(bias, -bound, bound);
}

std::string Linear::extra_repr() const {
  return core::to_text("in_features=", in_features, ", out_features=", out_features,
                       ", bias=", detail::python(bias.defined()));
}

}  // namespace tapehead::nn
