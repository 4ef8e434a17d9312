// Every op's derivatives of higher orders, by the rows of the table.
#include "op_table.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

// The mean of nothing is not.
bool defined_there(const Outputs& outputs) {
  for (const Tensor& output : outputs)
    for (const double value : values(output))
      if (std::isnan(value)) return false;
  return true;
}

}  // namespace

// The second order is checked entry by entry in op_table_test.cpp. The third has products of three
// random directions at once: a mistake in any entry of the tensor shows unless all that it is
// weighted with happen to be tiny.
TEST_CASE("every op's third derivative agrees with central differences") {
  Index compared = 0;
  each_example([&](const OpRow& row, const OpRow::Shapes& shapes) {
    if (!row.differentiable || !defined_there(row.f(leaves(row, shapes)))) return;
    const GradcheckResult result =
        gradcheck(row.f, leaves(row, shapes), {},
                  {.atol = 1e-5, .rtol = 1e-5, .fast_mode = true, .order = 3});
    CHECK_MESSAGE(result.passed, result.message);
    compared += result.checked;
  });
  CHECK(compared > 1000);
}

TEST_CASE("every op's derivatives in fast mode agree as in full") {
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    if (!row.differentiable) return;
    const GradcheckResult result =
        gradcheck(row.f, leaves(row, shapes), {}, {.atol = 1e-6, .rtol = 1e-6, .fast_mode = true});
    CHECK_MESSAGE(result.passed, result.message);
    CHECK(result.kinks == 0);
  });
}
