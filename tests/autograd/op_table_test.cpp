// Every op of the catalogue, by the rows of the table: right in every layout, along both paths, and
// safe when its inputs are changed behind its back.
#include "op_table.h"

#include "../support/declared.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

// Whether dimension d of the first input is one of the output too.
bool keeps(const OpRow& row, const OpRow::Shapes& shapes, int d) {
  OpRow::Shapes shorter = shapes;
  shorter[0][d] = 1;
  const auto elements = [&](const OpRow::Shapes& s) {
    return row.f(example_inputs(row, s))[0].numel();
  };
  return elements(shorter) != elements(shapes);
}

// The longest dimension of input i. A row that chooses by size must keep it: ties are kinks.
int repeatable(const OpRow& row, const OpRow::Shapes& shapes, std::size_t i) {
  const Shape& shape = shapes[i];
  if (core::numel(shape) == 0) return -1;
  int best = -1;
  for (int d = 0; d < shape.rank(); ++d)
    if ((best < 0 || shape[d] > shape[best]) && (!row.choosing || keeps(row, shapes, d))) best = d;
  return best;
}

}  // namespace

TEST_CASE("every op of the catalogue has a row in the table") {
  std::set<std::string> rows;
  for (const OpRow& row : op_table()) rows.insert(row.op);
  const std::set<std::string> ops =
      declared("autograd/ops.h",
               "\n(?:Tensor|bool|ValuesIndices|AttentionResult|std::vector<Tensor>) (\\w+)\\(");
  const std::set<std::string> methods =
      declared("autograd/tensor.h", "\n  Tensor& (?!requires_grad_)(\\w+_)\\(");
  CHECK(ops.size() >= 120);
  CHECK(methods.size() >= 40);
  std::set<std::string> created = declared("autograd/create.h", "\nTensor (\\w+)\\(");
  CHECK(created.size() >= 20);
  // Their values are what tests/autograd/create_test.cpp and the cases say.
  for (const char* from_nothing : {"tensor", "zeros", "ones", "full", "empty", "arange", "linspace",
                                   "eye", "rand", "randn", "randint", "randperm"})
    CHECK_MESSAGE(created.erase(from_nothing) == 1, from_nothing, " is not in create.h");
  for (const std::string& op : created) CHECK_MESSAGE(rows.count(op) == 1, op, " has no row");
  for (const std::string& op : ops) CHECK_MESSAGE(rows.count(op) == 1, op, " has no row");
  for (const std::string& op : methods) CHECK_MESSAGE(rows.count(op) == 1, op, " has no row");
  for (const std::string& op : rows)
    CHECK_MESSAGE(created.count(op) + ops.count(op) + methods.count(op) == 1, op,
                  " is not in the catalogue");
}

TEST_CASE("no two rows show the same call, and example inputs are all different") {
  std::set<std::string> calls;
  each_example([&](const OpRow& row, const OpRow::Shapes& shapes) {
    CHECK(calls.insert(title(row, shapes)).second);
    std::set<double> seen;
    std::size_t count = 0;
    for (const Tensor& input : example_inputs(row, shapes)) {
      for (const double value : values(input)) {
        seen.insert(value);
        CHECK(std::abs(value) >= 0.25);
        CHECK((value > 0 || !row.positive));
      }
      count += static_cast<std::size_t>(input.numel());
    }
    CHECK(seen.size() == count);
  });
}

TEST_CASE("every op's Jacobian agrees with central differences to 1e-6") {
  for (const OpRow& row : rows()) {
    if (!row.differentiable) continue;
    const GradcheckResult result = gradcheck(row, strict);
    CHECK_MESSAGE(result.passed, result.message);
    CHECK(result.checked > 0);
  }
}

TEST_CASE("every op's gradient agrees with central differences in every layout") {
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    if (!row.differentiable) return;
    for (const Layout& layout : layouts()) {
      CAPTURE(layout.name);
      Tensors inputs;
      for (const Tensor& input : example_inputs(row, shapes)) {
        const int along = repeatable(row, shapes, inputs.size());
        inputs.push_back(layout.leaf(input, along).requires_grad_());
      }
      const auto loss = [&](const Tensors& leaves) {
        Tensors shown;
        for (std::size_t i = 0; i < leaves.size(); ++i)
          shown.push_back(layout.show(leaves[i], shapes[i]));
        return projected(row.f(shown));
      };
      const GradcheckResult result = gradcheck(loss, inputs, {}, strict);
      CHECK_MESSAGE(result.passed, result.message);
    }
  });
}

TEST_CASE("every op gives the same bits for every layout of its inputs") {
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    const Tensors inputs = example_inputs(row, shapes);
    const Outputs want = row.f(inputs);
    for (const Layout& layout : layouts()) {
      if (std::string(layout.name) == "expanded") continue;  // these are other values
      CAPTURE(layout.name);
      Tensors shown;
      for (const Tensor& input : inputs)
        shown.push_back(layout.show(layout.leaf(input, -1), input.shape()));
      const Outputs got = row.f(shown);
      REQUIRE(got.size() == want.size());
      for (std::size_t i = 0; i < got.size(); ++i) {
        CHECK(difference(shown[0], inputs[0]) == "");
        CHECK(difference(got[i], want[i]) == "");
      }
    }
  });
}

TEST_CASE("every op's second derivative agrees with central differences") {
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    if (!row.differentiable) return;
    const GradcheckResult result =
        gradgradcheck(row.f, leaves(row, shapes), {}, {.atol = 1e-5, .rtol = 1e-5});
    CHECK_MESSAGE(result.passed, result.message);
  });
}

TEST_CASE("no op's gradient vanishes everywhere") {
  for (const OpRow& row : rows()) {
    if (!row.differentiable) continue;
    CAPTURE(row.call);
    const Tensors found = gradients(row, leaves(row, row.inputs[0]));
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      double largest = 0;
      if (found[i].defined())
        for (const double value : values(found[i])) largest = std::max(largest, std::abs(value));
      CHECK((largest > 1e-3) == !(i == 0 && row.forgets_first));
    }
  }
}

TEST_CASE("every op refuses undefined inputs in its own name") {
  // The rows of these look at their inputs, or change them, before the op sees them; so do those of
  // all ops that change one.
  std::set<std::string> named{"view",
                              "contiguous",
                              "equal",
                              "allclose",
                              "logical_not",
                              "logical_and",
                              "logical_or",
                              "logical_xor",
                              "isnan",
                              "isinf",
                              "isfinite",
                              "any",
                              "floor",
                              "ceil",
                              "round",
                              "trunc",
                              "remainder",
                              "floor_divide",
                              "count_nonzero",
                              "binary_cross_entropy",
                              "dropout_mask",
                              "slice_backward",
                              "index_select_backward",
                              "one_hot",
                              "diagonal_backward",
                              "scatter_add",
                              "rand_like",
                              "randn_like",
                              "randint_like",
                              "bernoulli"};
  for (const OpRow& row : rows())
    if (row.op.back() == '_') named.insert(row.op);
  for (const OpRow& row : rows()) {
    try {
      row.f(Tensors(row.inputs[0].size()));
    } catch (const Error& error) {
      if (std::string(error.what()).starts_with(row.op + ": ")) named.insert(row.op);
    }
  }
  for (const OpRow& row : rows()) CHECK_MESSAGE(named.count(row.op) == 1, row.op);
}

TEST_CASE("comparisons and indices have no gradient") {
  for (const OpRow& row : rows()) {
    if (row.differentiable) continue;
    CAPTURE(row.call);
    for (const Tensor& output : row.f(leaves(row, row.inputs[0])))
      CHECK_FALSE(output.requires_grad());
  }
}

TEST_CASE("a fused derivative and the plain one agree") {
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    if (!row.differentiable) return;
    const Tensors x = leaves(row, shapes);
    const Tensors fused = gradients(row, x), plain = gradients(row, x, true);
    for (std::size_t i = 0; i < x.size(); ++i)
      CHECK(difference(fused[i], plain[i], {.relative_to_at_least_one = 1e-13}) == "");
  });
}

TEST_CASE("an input changed in place after the op is refused by backward or makes no difference") {
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    if (!row.differentiable) return;
    const Tensors want = gradients(row, leaves(row, shapes));
    for (std::size_t changed = 0; changed < shapes.size(); ++changed) {
      for (const bool create_graph : {false, true}) {
        CAPTURE(changed);
        CAPTURE(create_graph);
        const Tensors x = leaves(row, shapes);
        // Only the op itself is under test: how its outputs are weighted is settled beforehand.
        const Outputs outputs = row.f(x);
        Tensors roots, weights;
        std::uint32_t seed = 100;
        for (const Tensor& output : outputs) {
          if (!is_floating(output.dtype())) continue;
          weights.push_back(noise(output.shape(), ++seed));
          roots.push_back(output);
        }
        {
          const NoGradGuard no_grad;
          Tensor input = x[changed];
          input.mul_(3).add_(0.5);
        }
        try {
          const Tensors got = autograd::grad(roots, x, weights, {}, create_graph, true);
          for (std::size_t i = 0; i < x.size(); ++i)
            CHECK(difference(got[i], want[i], {.relative_to_at_least_one = 1e-12}) == "");
        } catch (const GraphError& error) {
          CHECK(std::string(error.what()).find("changed it in place") != std::string::npos);
        }
      }
    }
  });
}
