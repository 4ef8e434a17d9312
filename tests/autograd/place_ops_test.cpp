// What moves, repeats, scatters and multiplies: what the rows of the op table do not show.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <limits>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

using Tensors = std::vector<Tensor>;

bool share(const Tensor& a, const Tensor& b) { return a.array().shares_storage_with(b.array()); }

void check_gradients(const CheckedFunction& f, Tensors inputs) {
  for (Tensor& input : inputs) input.requires_grad_();
  const GradcheckResult first = gradcheck(f, inputs, {}, strict);
  CHECK_MESSAGE(first.passed, first.message);
  const GradcheckResult second = gradgradcheck(f, inputs);
  CHECK_MESSAGE(second.passed, second.message);
}

}  // namespace

TEST_CASE("dimensions move without a copy; repeated and mirrored elements are copied") {
  const Tensor x = noise({2, 3});
  for (const Tensor& view :
       {movedim(x, 0, 1), swapdims(x, 0, 1), diagonal(x), unbind(x)[1], ravel(x), x.view_as(x),
        x.reshape_as(x), x.expand_as(zeros({4, 2, 3}))})
    CHECK(share(view, x));
  for (const Tensor& copy : {flip(x, {}), roll(x, 0), repeat(x, {1, 1}), tile(x, {}), diag(x),
                             repeat_interleave(x, 1, 0), ravel(x.t())})
    CHECK_FALSE(share(copy, x));
  const Tensor one = noise({1});
  for (const Tensor& copy : {repeat(one, {3}), repeat_interleave(one, 3), tile(one, {2, 2})})
    CHECK_FALSE(copy.array().overlaps_itself());
  CHECK(x.type_as(zeros({1})).dtype() == Float32);
}

TEST_CASE("nothing repeated has a gradient of zero") {
  Tensor x = noise({2, 3}).requires_grad_();
  const Tensor none = repeat(x, {0, 2});
  CHECK(none.shape() == Shape{0, 6});
  CHECK(repeat_interleave(x, 0, 1).shape() == Shape{2, 0});
  none.sum().backward();
  CHECK(values(x.grad()) == std::vector<double>(6, 0));
}

TEST_CASE("of elements scattered to one place the last counts, and it alone has a gradient") {
  const Tensor index = tensor({{1, 1, 0}, {2, 2, 2}});
  const Tensor x = noise({2, 4}, 1), src = noise({2, 3}, 2);
  CHECK(scatter(x, 1, index, src).index({1, 2}).item() == src.index({1, 2}).item());
  check_gradients([&](const Tensors& in) { return Tensors{scatter(in[0], 1, index, in[1])}; },
                  {x, src});
  check_gradients(
      [&](const Tensors& in) {
        return Tensors{index_copy(in[0], 1, tensor({3, 0, 3}), in[1])};
      },
      {x, src});
  check_gradients([&](const Tensors& in) { return Tensors{(in[0] * 1).scatter_(1, index, in[1])}; },
                  {x, src});
}

TEST_CASE("what an index leaves of a larger source has a gradient of zero") {
  const Tensor index = tensor({{1, 0}});
  check_gradients(
      [&](const Tensors& in) {
        return Tensors{scatter(in[0], 1, index, in[1]), scatter_add(in[0], 1, index, in[1])};
      },
      {noise({2, 4}, 1), noise({3, 4}, 2)});
  Tensor src = noise({3, 4}).requires_grad_();
  scatter(noise({2, 4}), 1, zeros({0, 9}, Int64), src).sum().backward();
  CHECK(values(src.grad()) == std::vector<double>(12, 0));
}

TEST_CASE("topk that is not sorted gives its elements as they stand, with their gradients") {
  const Tensor x = tensor({{3.0, 9.0, 1.0, 7.0}, {0.5, 0.25, 4.0, 2.0}}, Float64);
  CHECK(values(topk(x, 2, -1, true, false).values) == std::vector<double>{9, 7, 4, 2});
  check_gradients([](const Tensors& in) { return Tensors{topk(in[0], 2, 1, false, false).values}; },
                  {x});
  CHECK(difference(x.sort(1).indices, x.argsort(1)) == "");
  CHECK(difference(x.sort(1, false, true).values, x.sort(1).values) == "");
}

TEST_CASE("multinomial draws from the default generator, and has no gradient") {
  Tensor weights = tensor({0.1, 0.5, 0.2, 0.2}).requires_grad_();
  manual_seed(0);
  CHECK(values(weights.multinomial(4)) == std::vector<double>{1, 2, 3, 0});  // as PyTorch
  CHECK_FALSE(weights.multinomial(3, true).requires_grad());
}

TEST_CASE("addmm without its first term does not see its NaN, but its shape and gradient") {
  const Tensor a = noise({2, 3}, 1), b = noise({3, 2}, 2);
  Tensor x = full({2}, std::numeric_limits<double>::quiet_NaN(), Float64).requires_grad_();
  const Tensor y = addmm(x, a, b, 0, 2);
  CHECK(difference(y, mm(a, b) * 2) == "");
  y.sum().backward();
  CHECK(values(x.grad()) == std::vector<double>{0, 0});
}

TEST_CASE("matrix products of whole numbers") {
  const Tensor a = tensor({{1, 2}, {3, 4}}), v = tensor({5, 6});
  CHECK(values(mm(a, a)) == std::vector<double>{7, 10, 15, 22});
  CHECK(values(mv(a, v)) == std::vector<double>{17, 39});
  CHECK(dot(v, v).item() == 61);
  CHECK(values(outer(v, v)) == std::vector<double>{25, 30, 30, 36});
  CHECK(values(addmm(v, a, a, 2, 3)) == std::vector<double>{31, 42, 55, 78});
  CHECK(values(bmm(a.unsqueeze(0), a.unsqueeze(0))) == values(mm(a, a)));
}

TEST_CASE("matrix products say which ranks and sizes they take") {
  const Tensor m = zeros({2, 3}), v = zeros({3}), b = zeros({2, 3, 4});
  CHECK_THROWS_WITH_AS(mm(m, m),
                       "mm: expected (n, k) and (k, m), got (2, 3) and (2, 3); matmul takes other "
                       "ranks, and broadcasts",
                       ShapeError);
  CHECK_THROWS_WITH_AS(bmm(b, b.mT().narrow(0, 0, 1)),
                       "bmm: expected (B, n, k) and (B, k, m), got (2, 3, 4) and (1, 4, 3); matmul "
                       "takes other ranks, and broadcasts",
                       ShapeError);
  CHECK_THROWS_WITH_AS(mv(m, zeros({2})),
                       "mv: expected (n, k) and (k), got (2, 3) and (2); matmul takes other ranks, "
                       "and broadcasts",
                       ShapeError);
  CHECK_THROWS_WITH_AS(dot(m, v),
                       "dot: expected (n) and (n), got (2, 3) and (3); matmul takes other ranks, "
                       "and broadcasts",
                       ShapeError);
  CHECK_THROWS_WITH_AS(outer(v, m),
                       "outer: expected (n) and (m), got (3) and (2, 3); matmul takes other ranks, "
                       "and broadcasts",
                       ShapeError);
  CHECK_THROWS_WITH_AS(mm(m, zeros({3, 2}, Float64)),
                       "mm: dtypes Float32 and Float64 differ; convert one of them, for example "
                       "with .to(Float64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(addmm(m, m, m.t()),
                       "addmm: cannot expand (2, 3) to (2, 2); sizes must be equal or 1, counted "
                       "from the last dimension",
                       ShapeError);
  const Tensor whole = ones({2, 2}, Int64);
  CHECK_THROWS_WITH_AS(addmm(whole, whole, whole, 1, 0.5),
                       "addmm: the scalar 0.5 is not a whole number that Int64 holds; convert with "
                       ".to(Float32) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(baddbmm(whole, zeros({1, 2, 2}), zeros({1, 2, 2})),
                       "baddbmm: dtypes Int64 and Float32 differ; convert one of them, for example "
                       "with .to(Float32)",
                       DTypeError);
}

TEST_CASE("what moves and repeats says what it expected") {
  const Tensor x = zeros({2, 3});
  CHECK_THROWS_WITH_AS(movedim(x, {0}, {0, 1}),
                       "movedim: source (0) and destination (0, 1) must name as many dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(movedim(x, {0, -2}, {0, 1}),
                       "movedim: source (0, -2) and destination (0, 1) must each name a dimension "
                       "once",
                       ShapeError);
  CHECK_THROWS_WITH_AS(movedim(x, {0, 1}, {0, 0}),
                       "movedim: source (0, 1) and destination (0, 0) must each name a dimension "
                       "once",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      movedim(x, 2, 0),
      "movedim: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1", ShapeError);
  CHECK_THROWS_WITH_AS(unbind(zeros({})),
                       "unbind: dimension 0 is out of range for a tensor of 0 dimensions; "
                       "unsqueeze(0) it first",
                       ShapeError);
  CHECK_THROWS_WITH_AS(diag(zeros({1, 2, 3})),
                       "diag: expected a vector or a matrix, got shape (1, 2, 3); diagonal() takes "
                       "more dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(diag(zeros({2}), std::numeric_limits<Index>::min()),
                       "shape: (4611686018427387906, 4611686018427387906) holds more elements than "
                       "64 bits can count; use smaller dimensions",
                       ShapeError);
  CHECK_THROWS_WITH_AS(diagonal_backward(zeros({3}), {2, 3}, 0, 0, 1),
                       "diagonal_backward: the diagonal of (2, 3) has shape (2), got (3); give the "
                       "shape of x itself",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      roll(x, {1}, {0, 1}),
      "roll: expected a shift for each dimension, got shifts (1) and dimensions (0, 1)",
      ShapeError);
  CHECK_THROWS_WITH_AS(roll(x, Dims{}, Dims{}),
                       "roll: expected a shift for each dimension, got shifts () and dimensions ()",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      roll(x, 1, 2), "roll: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1",
      ShapeError);
  CHECK_THROWS_WITH_AS(repeat(x, {2}),
                       "repeat: expected a number for each dimension of (2, 3), and more for new "
                       "ones in front, got (2); tile takes fewer",
                       ShapeError);
  CHECK_THROWS_WITH_AS(repeat(x, {1, -1}), "repeat: numbers cannot be negative, got (1, -1)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(repeat_interleave(x, -1),
                       "repeat_interleave: repeats cannot be negative, got -1", ShapeError);
  CHECK_THROWS_WITH_AS(repeat_interleave(x, tensor({1, 2, 3}), 0),
                       "repeat_interleave: expected one number, or one for each of the 2 in "
                       "dimension 0 of (2, 3), got repeats of shape (3)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(index_copy(x, 0, tensor({0}), zeros({2, 3})),
                       "index_copy: expected an index of 1 dimension and a source of shape (1, 3), "
                       "got (1) and (2, 3)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(take_along_dim(x, tensor({0}), 0),
                       "take_along_dim: x and the index must have one rank, got (2, 3) and (1); "
                       "unsqueeze the one that has fewer",
                       ShapeError);
  CHECK_THROWS_WITH_AS(index_add(zeros({2}, Int64), 0, tensor({0}), zeros({1}, Int64), 0.5),
                       "index_add: the scalar 0.5 is not a whole number that Int64 holds; convert "
                       "with .to(Float32) first",
                       DTypeError);
}
