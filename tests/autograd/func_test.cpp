// func.h against torch.autograd.functional: values, shapes, and what may be left out.
#include <tapehead/autograd/func.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/autograd/ops.h>

#include "../support/cases.h"

using namespace tapehead;
using namespace tapehead::testing;
using func::Tensors;

namespace {

Tensor a() { return noise({2, 3}, 1); }
Tensor b() { return noise({3}, 2); }
Tensor v_a() { return noise({2, 3}, 3); }
Tensor v_b() { return noise({3}, 4); }

Tensor matrix(const Tensor& x) { return tanh(matmul(x, noise({3, 2}, 6))) * x.sum(); }
Tensor scalar(const Tensor& x) { return (exp(x) * sin(x)).sum(); }
Tensors mixed(const Tensors& x) {
  return {(x[0] * x[1]).sum({0}), exp(matmul(x[0], x[1])).sum(), pow(x[1], 3)};
}
Tensor bilinear(const Tensors& x) { return exp(x[0] * x[1]).sum() + pow(x[1], 4).sum(); }

Tensors flat(const std::vector<Tensors>& parts) {
  Tensors all;
  for (const Tensors& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}
Tensors flat(const std::pair<Tensors, Tensors>& both) {
  return flat(std::vector<Tensors>{both.first, both.second});
}
Tensors flat(const std::pair<Tensor, Tensor>& both) { return {both.first, both.second}; }
Tensors flat(const Tensor& one) { return {one}; }

void check_golden(const char* name, const Tensors& got) {
  CAPTURE(name);
  static const Json all =
      Json::parse(std::ifstream(TAPEHEAD_TESTS_DIR "/goldens/autograd/func.json"));
  REQUIRE(got.size() == all.at(name).size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    CHECK(difference(got[i], to_tensor(all[name][i]), {.relative_to_at_least_one = 1e-12}) == "");
    CHECK_FALSE(got[i].requires_grad());
  }
}

}  // namespace

TEST_CASE("vjp, jvp, jacobian, hessian and hvp have PyTorch's values and shapes") {
  check_golden("vjp", flat(func::vjp(matrix, a(), noise({2, 2}, 5))));
  const Tensors weights{v_b(), tensor(1.5, Float64), noise({3}, 7)};
  check_golden("vjp of several", flat(func::vjp(mixed, {a(), b()}, weights)));
  check_golden("jvp", flat(func::jvp(matrix, a(), v_a())));
  check_golden("jvp of several", flat(func::jvp(mixed, {a(), b()}, {v_a(), v_b()})));
  check_golden("jacobian", flat(func::jacobian(matrix, a())));
  check_golden("jacobian of several", flat(func::jacobian(mixed, {a(), b()})));
  check_golden("hessian", flat(func::hessian(scalar, a())));
  check_golden("hessian of several", flat(func::hessian(bilinear, {a(), b()})));
  check_golden("hvp", flat(func::hvp(scalar, a(), v_a())));
  check_golden("hvp of several", flat(func::hvp(bilinear, {a(), b()}, {v_a(), v_b()})));
}

TEST_CASE("with create_graph results can be differentiated further") {
  const auto along = [](const Tensor& x) { return func::hvp(scalar, x, v_a(), true).second; };
  check_golden("jacobian of a hvp", flat(func::jacobian(along, a())));
  const Tensors x{a().requires_grad_()};
  const auto passes = [&](const CheckedFunction& f) { return gradcheck(f, x).passed; };
  CHECK(passes([](const Tensors& in) {
    return func::vjp(matrix, in[0], noise({2, 2}), true).second;
  }));
  CHECK(passes([](const Tensors& in) { return func::jvp(matrix, in[0], v_a(), true).second; }));
  CHECK(passes([](const Tensors& in) { return func::jacobian(matrix, in[0], true); }));
  CHECK(passes([](const Tensors& in) { return func::hessian(scalar, in[0], true); }));
  CHECK(passes([](const Tensors& in) { return func::hvp(scalar, in[0], v_a(), true).second; }));
  CHECK(passes([](const Tensors& in) { return func::jvp(matrix, in[0], v_a(), true).first; }));
}

TEST_CASE("the direction may depend on what requires a gradient, too") {
  const Tensors v{v_a().requires_grad_()};
  CHECK(gradcheck([](const Tensors& in) { return func::jvp(matrix, a(), in[0], true).second; }, v));
  CHECK(gradcheck([](const Tensors& in) { return func::hvp(scalar, a(), in[0], true).second; }, v));
}

TEST_CASE("without create_graph nothing is left on the tape, and no grad is touched") {
  const Tensor x = a().requires_grad_();
  const auto nodes = live_nodes();
  const Tensor J = func::jacobian(matrix, x);
  CHECK(live_nodes() == nodes);
  CHECK_FALSE(J.requires_grad());
  CHECK_FALSE(x.grad().defined());
  const NoGradGuard no_grad;
  CHECK(difference(func::jacobian(matrix, x), J) == "");
  CHECK(difference(func::jvp(matrix, x, v_a()).second, (J * v_a()).sum({2, 3}), {.atol = 1e-14}) ==
        "");
}

TEST_CASE("what an output does not depend on has derivative zero, of the right shape") {
  const auto f = [](const Tensors& x) { return Tensors{x[0] * 2, ones({2}, Float64)}; };
  const std::vector<Tensors> J = func::jacobian(f, {a(), b()});
  CHECK(difference(J[0][1], zeros({2, 3, 3}, Float64)) == "");
  CHECK(difference(J[1][0], zeros({2, 2, 3}, Float64)) == "");
  const auto [y, Jv] = func::jvp(f, {a(), b()}, {v_a(), v_b()});
  CHECK(difference(Jv[1], zeros({2}, Float64)) == "");
  CHECK(difference(func::hessian([](const Tensor& x) { return x.sum(); }, b()),
                   zeros({3, 3}, Float64)) == "");
}

TEST_CASE("tensors of no elements and of no dimensions have Jacobians too") {
  const auto twice = [](const Tensor& x) { return x * 2; };
  CHECK(func::jacobian(twice, zeros({0, 2}, Float64)).shape() == Shape{0, 2, 0, 2});
  CHECK(difference(func::jacobian(twice, tensor(3., Float64)), tensor(2., Float64)) == "");
  CHECK(func::jacobian([](const Tensor& x) { return x.sum(); }, zeros({0}, Float64)).shape() ==
        Shape{0});
  CHECK(difference(func::jacobian(twice, tensor({3.f}, Float32)), tensor({{2.f}})) == "");
}

TEST_CASE("a direction may be left out where there is one element to choose") {
  CHECK(difference(func::vjp(scalar, a()).second,
                   func::vjp(scalar, a(), tensor(1., Float64)).second) == "");
  const Tensor x = tensor({2.}, Float64);
  const auto cube = [](const Tensor& t) { return t * t * t; };
  CHECK(func::jvp(cube, x).second.item() == 12);
  CHECK(func::hvp(cube, x).second.item() == 12);
}

TEST_CASE("functions that cannot be differentiated so are refused") {
  CHECK_THROWS_WITH_AS(func::vjp(mixed, Tensors{}), "vjp: there is no input to differentiate by",
                       Error);
  CHECK_THROWS_WITH_AS(
      func::jacobian([](const Tensor& x) { return x * 2; }, tensor({1, 2})),
      "jacobian: input 0 of shape (2) is Int64, by which nothing can be differentiated; convert it "
      "with .to(Float64), or let the function capture it",
      DTypeError);
  CHECK_THROWS_WITH_AS(
      func::hessian([](const Tensor& x) { return x.sum(); }, tensor({1, 2})),
      "hessian: input 0 of shape (2) is Int64, by which nothing can be differentiated; convert it "
      "with .to(Float64), or let the function capture it",
      DTypeError);
  CHECK_THROWS_WITH_AS(
      func::jvp(
          [](const Tensors& x) {
            return Tensors{x[0] * 2, x[0].argmax(1)};
          },
          Tensors{a()}, Tensors{v_a()}),
      "jvp: output 1 of shape (2) is Int64, which has no derivative; leave it out of what the "
      "function gives",
      DTypeError);
  CHECK_THROWS_WITH_AS(func::vjp(mixed, {a(), b()}, {v_b()}),
                       "vjp: v must have one tensor for each output, got 1 for 3", Error);
  CHECK_THROWS_WITH_AS(func::jvp(matrix, a(), v_b()),
                       "jvp: v of input 0 must be (2, 3) Float64 as that is, got (3) Float64",
                       ShapeError);
  CHECK_THROWS_WITH_AS(func::jvp(matrix, a(), v_a().to(Float32)),
                       "jvp: v of input 0 must be (2, 3) Float64 as that is, got (2, 3) Float32",
                       ShapeError);
  CHECK_THROWS_WITH_AS(func::hessian(matrix, a()),
                       "hessian: the function must give one element, got shape (2, 2); take its "
                       "sum() or another norm",
                       ShapeError);
  CHECK_THROWS_WITH_AS(func::jacobian(
                           [](const Tensor& x) {
                             return Tensors{x, x};
                           },
                           a()),
                       "jacobian: the function must give one tensor, got 2; for several, take and "
                       "give a std::vector<Tensor>",
                       Error);
}
