#include "usage.h"

#include <algorithm>

#include "output.h"

namespace tapehead::cli {

void check_heads(core::Index d_model, core::Index heads) {
  if (d_model % heads != 0)
    throw UsageError(core::to_text("--d-model ", d_model, " must be divisible by --heads ", heads,
                                   ", since each head takes an equal part; try --d-model ",
                                   std::max<core::Index>(d_model / heads, 1) * heads));
}

}  // namespace tapehead::cli
