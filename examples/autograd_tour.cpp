// Gradients: what a tensor remembers of how it came about. Read this second.
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/gradcheck.h>
#include <tapehead/core/elementwise.h>

#include <iostream>

#include "check.h"

using namespace tapehead;

// An op is its value, and a rule for each input that turns the gradient g of the output into that
// of the input. Here y = x^3, so dx = 3 x^2 g.
Tensor cube(const Tensor& x) {
  return record(
      "cube", [&] { return core::mul(core::mul(x.array(), x.array()), x.array()); },
      wrt(x, [x = saved(x)](const Tensor& g) { return g * 3 * x() * x(); }));
}

int main() {
  // Ops on a tensor that requires a gradient are recorded; backward() goes back over the record.
  Tensor x = tensor({1.0, 2.0, 3.0}, Float64).requires_grad_();
  const Tensor y = (x * x).sum();  // y = sum of x_i^2, so dy/dx_i = 2 x_i
  y.backward();
  std::cout << "x       " << x << "\ndy/dx   " << x.grad() << "\n";
  check(equal(x.grad(), tensor({2.0, 4.0, 6.0}, Float64)), "dy/dx = 2 x");

  // Gradients add up until they are forgotten: over uses of a tensor, and over calls of backward.
  (x * x).sum().backward();
  check(equal(x.grad(), tensor({4.0, 8.0, 12.0}, Float64)), "two passes, twice the gradient");
  x.zero_grad();
  check(!x.grad().defined(), "forgotten");

  // Changing a parameter is no part of the function, so it happens off the record.
  for (int step = 0; step < 100; ++step) {
    x.zero_grad();
    ((x - 5) * (x - 5)).sum().backward();
    const NoGradGuard no_grad;
    x.sub_(x.grad() * 0.1);  // a step downhill
  }
  std::cout << "minimum " << x << "\n";
  check(allclose(x, full({3}, 5, Float64), 1e-6), "(x - 5)^2 is least at 5");

  // Gradients can be differentiated, for the rules are made of ops too.
  const Tensor z = tensor({2.0}, Float64).requires_grad_();
  const Tensor first = autograd::grad({cube(z).sum()}, {z}, {}, {}, /*create_graph=*/true)[0];
  const Tensor second = autograd::grad({first.sum()}, {z})[0];
  std::cout << "cube'   " << first << "\ncube''  " << second << "\n";
  check(first.item() == 12 && second.item() == 12, "3 x^2 and 6 x, at 2");

  // gradcheck holds any function's gradients against central differences.
  const GradcheckResult result = gradcheck([](const auto& in) { return cube(in[0]).softmax(-1); },
                                           {x.detach().requires_grad_()});
  std::cout << result << "\n";
  check(result.passed, "the rule of cube is right");

  // It would have noticed a wrong one.
  const auto wrong = [](const Tensor& in) {
    return record(
        "wrong", [&] { return core::mul(in.array(), in.array()); },
        wrt(in, [in = saved(in)](const Tensor& g) { return g * in(); }));  // the 2 is missing
  };
  const GradcheckResult caught = gradcheck([&](const auto& in) { return wrong(in[0]); }, {z});
  std::cout << caught << "\n";
  check(!caught.passed, "a rule without its factor of 2 is caught");
}
