// Every row of the op table against PyTorch: values and gradients, in both float dtypes.
#include "../support/cases.h"
#include "op_table.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

const Json& goldens() {
  static const Json all =
      Json::parse(std::ifstream(TAPEHEAD_TESTS_DIR "/goldens/autograd/ops.json"));
  return all;
}

Tolerance tolerance(DType dtype) {
  return dtype == Float64 ? Tolerance{.relative_to_at_least_one = 1e-12}
                          : Tolerance{.atol = 1e-5, .rtol = 1.3e-6};
}

// `got` in the golden's dtype where both are floats.
std::string compare(const Tensor& got, const Json& golden, DType dtype) {
  const Tensor want = to_tensor(golden);
  const Tensor same =
      is_floating(got.dtype()) && is_floating(want.dtype()) ? to(got, Float64) : got;
  return difference(same, want, tolerance(dtype));
}

}  // namespace

TEST_CASE("there is a golden for every row of the op table, and for no other") {
  std::size_t count = 0;
  each_example([&](const OpRow& row, const OpRow::Shapes& shapes) {
    ++count;
    CHECK_MESSAGE(goldens().contains(title(row, shapes)),
                  "add this line to tests/goldens/autograd/calls.txt, then run ./go goldens:\n",
                  title(row, shapes));
  });
  CHECK(goldens().size() == count);
}

TEST_CASE("every op has PyTorch's values and gradients") {
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    const Json golden = goldens().value(title(row, shapes), Json());
    REQUIRE(golden.is_object());
    for (const DType dtype : {Float64, Float32}) {
      CAPTURE(name(dtype));
      const Tensors x = leaves(row, shapes, dtype);
      for (std::size_t i = 0; i < x.size(); ++i)
        REQUIRE(difference(x[i].to(Float64), to_tensor(golden["inputs"][i])) == "");
      const Outputs outputs = row.f(x);
      REQUIRE(outputs.size() == golden["outputs"].size());
      Tensors roots, onto;
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        CHECK(compare(outputs[i], golden["outputs"][i], dtype) == "");
        if (!is_floating(outputs[i].dtype())) continue;
        onto.push_back(to_tensor(golden["onto"][onto.size()], outputs[i].dtype()));
        roots.push_back(outputs[i]);
      }
      if (!row.differentiable) continue;
      const Tensors gradients = autograd::grad(roots, x, onto, {}, false, true);
      for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(i);
        const Json want = golden["gradients"][i];
        if (want.is_null() || !gradients[i].defined()) {
          CHECK(want.is_null());
          CHECK_FALSE(gradients[i].defined());
        } else {
          CHECK(gradients[i].dtype() == dtype);
          CHECK(compare(gradients[i], want, dtype) == "");
        }
      }
    }
  });
}
