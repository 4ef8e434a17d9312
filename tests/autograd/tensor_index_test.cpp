// x.index({…}) and index_put_, as PyTorch has them.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/autograd/tensor_index.h>

#include <limits>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::indexing;
using namespace tapehead::testing;

namespace {

Tensor sixty() { return arange(60, Float64).view({3, 4, 5}); }
Tensor mask_of(const Shape& shape) {
  std::vector<double> values;
  for (Index i = 0; i < core::numel(shape); ++i) values.push_back(i % 3 == 0);
  return tensor(values, shape, Bool);
}

// 1 x_1 + 2 x_2 + …, which tells any two orders apart.
double weighted(const Tensor& x) {
  double sum = 0, weight = 0;
  for (const double value : values(x)) sum += ++weight * value;
  return sum;
}

}  // namespace

TEST_CASE(
    "indices are written as in PyTorch: x.index({Slice(), 0, None, mask}) is x[:, 0, None, mask]") {
  const Tensor x = sixty(), mask = tensor({true, false, false, true, false});
  const Tensor y = x.index({Slice(), 0, None, mask});
  CHECK(y.shape() == Shape{3, 1, 2});
  CHECK(values(y) == std::vector<double>{0, 3, 20, 23, 40, 43});
}

TEST_CASE("index gives PyTorch's shapes and elements") {
  const Tensor x = sixty(), i = tensor({0, 2}), j = tensor({1, 1}), none = zeros({0}, Int64);
  const Tensor m1 = tensor({true, false, true}), m2 = mask_of({3, 4}), m4 = mask_of({4});
  struct Case {
    std::vector<TensorIndex> indices;
    Shape shape;
    double sum;  // weighted
  };
  const std::vector<Case> cases = {
      {{1}, {4, 5}, 6860},
      {{-1, 2}, {5}, 790},
      {{None}, {1, 3, 4, 5}, 71980},
      {{Ellipsis, None}, {3, 4, 5, 1}, 71980},
      {{Slice(1)}, {2, 4, 5}, 37720},
      {{Slice(None, -1)}, {2, 4, 5}, 21320},
      {{Slice(None, None, 2), Slice(1, 100, 3)}, {2, 1, 5}, 2005},
      {{Slice(-100, 2)}, {2, 4, 5}, 21320},
      {{Slice(2, 1)}, {0, 4, 5}, 0},
      {{0, "...", 1}, {4}, 110},
      {{Ellipsis, "..."}, {3, 4, 5}, 71980},
      {{Slice(), None, 0}, {3, 1, 5}, 3670},
      {{i}, {2, 4, 5}, 33520},
      {{Slice(), i}, {3, 2, 5}, 16990},
      {{Ellipsis, i}, {3, 4, 2}, 11422},
      {{Slice(), i, j}, {3, 2}, 721},
      {{i, Slice(), j}, {2, 4}, 1396},
      {{0, Slice(), i}, {4, 2}, 410},
      {{i, Slice(), 0}, {2, 4}, 1360},
      {{i, None, j}, {2, 1, 5}, 2005},
      {{None, i}, {1, 2, 4, 5}, 33520},
      {{None, i, j}, {1, 2, 5}, 2005},
      {{i, Slice(1), None}, {2, 3, 1, 5}, 19940},
      {{i.unsqueeze(1), j}, {2, 2, 5}, 7710},
      {{Slice(), i.unsqueeze(1), j}, {3, 2, 2}, 2728},
      {{i.unsqueeze(1), Slice(), j}, {2, 2, 4}, 5256},
      {{none}, {0, 4, 5}, 0},
      {{none, Slice(), tensor({1})}, {0, 4}, 0},
      {{m1}, {2, 4, 5}, 33520},
      {{m2}, {4, 5}, 7060},
      {{m2, tensor({0, 2, 1, 1})}, {4}, 311},
      {{Slice(), m4}, {3, 2, 5}, 18340},
      {{m1, Slice(), i}, {2, 4}, 1412},
      {{m1, Ellipsis, 0}, {2, 4}, 1360},
      {{m1, 1}, {2, 5}, 2005},
      {{x > 30}, {29}, 21605},
      {{Slice(), m4, None, i}, {2, 3, 1}, 755},
      {{true}, {1, 3, 4, 5}, 71980},
      {{false}, {0, 3, 4, 5}, 0},
      {{true, i}, {2, 4, 5}, 33520},
      {{i, true}, {2, 4, 5}, 33520},
      {{i, Slice(), true}, {2, 4, 5}, 33520},
      {{None, false}, {1, 0, 3, 4, 5}, 0},
      {{tensor(1)}, {4, 5}, 6860},
      {{tensor(true)}, {1, 3, 4, 5}, 71980},
      {{tensor(false), 0}, {0, 4, 5}, 0},
      {{-1, i, j}, {2}, 143},
      {{i, -1, j}, {2}, 128},
      {{i, j, -1}, {2}, 107},
  };
  for (const Case& c : cases) {
    CAPTURE(&c - cases.data());
    CHECK(x.index(c.indices).shape() == c.shape);
    CHECK(weighted(x.index(c.indices)) == c.sum);
    // The same of a view whose rows lie apart and in another order.
    Tensor turned = zeros({5, 8, 3}, Float64).transpose(0, 2).slice(1, 1, 8, 2);
    CHECK(weighted(turned.copy_(x).index(c.indices)) == c.sum);
  }
  const Tensor three = tensor(3.0);
  CHECK(three.index({None}).shape() == Shape{1});
  CHECK(three.index({"..."}).shape() == Shape{});
  CHECK(three.index({}).item() == 3);
  CHECK(three.index({tensor(true)}).shape() == Shape{1});
  CHECK(three.index({false}).shape() == Shape{0});
  // A mask takes its dimensions wherever it stands, where PyTorch 1.13 loses count.
  CHECK(x.index({m2, 0}).shape() == Shape{4});
}

TEST_CASE("numbers, slices and new dimensions share memory; tensors copy") {
  const Tensor x = sixty();
  for (const std::vector<TensorIndex>& basic : std::vector<std::vector<TensorIndex>>{
           {}, {1}, {Slice(1)}, {None, "...", 0}, {tensor(2)}, {Slice(), Slice()}})
    CHECK(x.index(basic).array().shares_storage_with(x.array()));
  for (const std::vector<TensorIndex>& advanced :
       std::vector<std::vector<TensorIndex>>{{tensor({1})}, {true}, {x > 1}})
    CHECK_FALSE(x.index(advanced).array().shares_storage_with(x.array()));
}

TEST_CASE("index_put_ writes through views, also where a mask of the tensor itself says") {
  Tensor x = tensor({{1, -2, 3}, {-4, 5, -6}});
  x.index_put_({x < 0}, 0);
  CHECK(values(x) == std::vector<double>{1, 0, 3, 0, 5, 0});
  x.index_put_({Slice(), 1}, tensor({7, 8}));
  CHECK(values(x) == std::vector<double>{1, 7, 3, 0, 8, 0});
  x.t().index_put_({tensor({0, 0, 2}), 1}, 10, true);
  CHECK(values(x) == std::vector<double>{1, 7, 3, 20, 8, 10});
  x.index_put_({0}, tensor({{{1, 2, 3}}}), true);  // leading sizes of 1 do not matter
  CHECK(values(x) == std::vector<double>{2, 9, 6, 20, 8, 10});
  x.index_put_({"..."}, 4);
  CHECK(values(x) == std::vector<double>(6, 4));
  x.index_put_({false}, 9);
  CHECK(values(x) == std::vector<double>(6, 4));
}

TEST_CASE("of places written twice the last value counts, and it alone has a gradient") {
  const auto written = [](const std::vector<Tensor>& x) {
    return std::vector<Tensor>{
        x[0].index_put({tensor({1, 0, 1}), Slice(), tensor({0, 2, 0})}, x[1])};
  };
  Tensor x = noise({2, 2, 3}, 1).requires_grad_(), v = noise({3, 2}, 2).requires_grad_();
  CHECK(values(written({x, v})[0].index({1, Slice(), 0})) == values(v.select(0, 2)));
  const GradcheckResult result = gradcheck(written, {x, v}, {}, strict);
  CHECK_MESSAGE(result.passed, result.message);
  const GradcheckResult second = gradgradcheck(written, {x, v});
  CHECK_MESSAGE(second.passed, second.message);
}

TEST_CASE("values of any broadcast shape have their gradient summed") {
  Tensor v = noise({1, 1, 3, 1}, 2).requires_grad_();
  sixty().index_put({Slice(), Slice(None, 3), tensor({4, 0})}, v).sum().backward();
  CHECK(v.grad().shape() == Shape{1, 1, 3, 1});
  CHECK(values(v.grad()) == std::vector<double>{6, 6, 6});
  Tensor w = noise({1}, 3).requires_grad_();
  zeros({2}, Float64).index_put({tensor({0, 0, 1})}, w, true).sum().backward();
  CHECK(values(w.grad()) == std::vector<double>{3});
}

TEST_CASE("an index changed in place after the op is refused by backward") {
  Tensor x = noise({4}).requires_grad_(), at = tensor({1, 2});
  const Tensor y = x.index({at}).sum();
  at.fill_(0);
  CHECK_THROWS_WITH_AS(
      y.backward(),
      "index: it saved a tensor of shape (2) (constant) at version 1, now 2 because fill_ changed "
      "it in place; clone() it first, or change it after backward()",
      GraphError);
}

TEST_CASE("index_put_ on a leaf that requires a gradient is refused, with nothing changed") {
  Tensor x = ones({3}).requires_grad_();
  CHECK_THROWS_WITH_AS(
      x.index_put_({0}, 5),
      "index_put_: a leaf that requires a gradient cannot be changed in place while ops are "
      "recorded; use a NoGradGuard, or index_put, which makes a new tensor",
      GraphError);
  CHECK(values(x) == std::vector<double>{1, 1, 1});
}

TEST_CASE("indices that do not fit are refused") {
  const Tensor x = sixty();
  CHECK_THROWS_WITH_AS(x.index({0, 0, 0, 0}),
                       "index: the indices take 4 dimensions, but (3, 4, 5) has 3; None adds one",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.index({mask_of({3, 4}), 0, 0}),
                       "index: the indices take 4 dimensions, but (3, 4, 5) has 3; None adds one",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.index({Slice(), mask_of({3})}),
                       "index: a mask of shape (3) cannot choose from (3, 4, 5); size 3 of its "
                       "dimension 0 must be 4, the size of dimension 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.index({tensor({0, 1}), tensor({0, 1, 2})}),
                       "index: shapes (2) and (3) do not broadcast: 2 against 3 in dimension -1; "
                       "sizes must be equal, or one of them 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.index({Slice(), tensor({{0, 4}})}),
                       "index: index 4 at position (0, 1) is out of range for dimension 1 of size "
                       "4; use -4 to 3",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.index({0, 4}),
                       "select: index 4 is out of range for dimension 0 of (4, 5); use -4 to 3",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.index({Slice(None, None, -1)}),
                       "Slice: the step must be positive, got -1; flip() reverses a dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.index({"…"}),
                       "index: the only text that is an index is \"...\", got \"…\"", Error);
  CHECK_THROWS_WITH_AS(
      x.index({Tensor()}),
      "index: an index is an undefined tensor (made by Tensor()); ask defined() first", Error);
  CHECK_THROWS_WITH_AS(
      x.index({tensor({0.0})}),
      "index: a tensor that is an index must be Int64 or Bool, got Float32; convert with "
      ".to(Int64)",
      DTypeError);
  CHECK_THROWS_WITH_AS(x.index({std::numeric_limits<std::uint64_t>::max()}),
                       "index: 18446744073709551615 is beyond what 64-bit whole numbers hold; keep "
                       "it a floating-point number",
                       DTypeError);
  CHECK_THROWS_WITH_AS(x.index_put({0}, zeros({4}, Float64)),
                       "index_put: cannot expand (4) to (4, 5); sizes must be equal or 1, counted "
                       "from the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(x.index_put({0}, zeros({5})),
                       "index_put: dtypes Float64 and Float32 differ; convert one of them, for "
                       "example with .to(Float64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(x.index_put({tensor({0, 1})}, zeros({3, 1, 1}, Float64)),
                       "index_put: cannot expand (3, 1, 1) to (2, 4, 5); sizes must be equal or 1, "
                       "counted from the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(masked_select(x, tensor({1, 0})),
                       "masked_select: the mask must be Bool, got Int64; compare with != 0, or "
                       "convert with .to(Bool)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(index_fill(x, 0, tensor({{0}}), 1),
                       "index_fill: the index must have 1 dimension, got shape (1, 1); flatten it "
                       "with view({-1}) first",
                       ShapeError);
}

TEST_CASE("a null text is no index") {
  CHECK_THROWS_WITH_AS(sixty().index({nullptr}),
                       "index: ... got a null text; None is a new dimension", Error);
}
