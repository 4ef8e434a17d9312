#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/clip_grad.h>

#include <cmath>

#include "goldens.h"
#include "gradients.h"

using namespace tapehead;
using namespace tapehead::optim;
using testing::Case;
using testing::difference;
using testing::Json;
using testing::set_grad;

TEST_CASE("OPTM-05: Global-norm clipping: one norm over all parameters, never scaled up") {
  const Case c = testing::this_case();
  for (const auto& [max_norm, a_name, b_name] :
       {std::tuple(1.0, "a_clipped_1", "b_clipped_1"),
        std::tuple(100.0, "a_clipped_100", "b_clipped_100")}) {
    Tensor a = zeros({2}, Float64).requires_grad_(), b = zeros({1, 1}, Float64).requires_grad_(),
           unused = zeros({3}, Float64).requires_grad_();
    set_grad(a, c.input("a"));
    set_grad(b, c.input("b"));
    const double norm = clip_grad_norm_({a, unused, b, a}, max_norm);
    CHECK(norm == c.output("returned_norm").item());
    CHECK(c.difference(a.grad(), c.output(a_name)) == "");
    CHECK(c.difference(b.grad(), c.output(b_name)) == "");
    CHECK_FALSE(unused.grad().defined());
  }
}

TEST_CASE("clipping gives PyTorch's norms and gradients") {
  const Json goldens = testing::goldens("clip");
  CHECK(goldens.at("clips").size() == 4);
  for (const Json& clip : goldens.at("clips")) {
    std::vector<Tensor> parameters;
    for (const Json& grad : goldens.at("grads")) {
      const Tensor g = testing::to_tensor(grad);
      set_grad(parameters.emplace_back(zeros_like(g).requires_grad_()), g);
    }
    const double norm = clip_grad_norm_(parameters, clip.at("max_norm").get<double>());
    CHECK(norm == doctest::Approx(clip.at("norm").get<double>()).epsilon(1e-15));
    for (std::size_t i = 0; i < parameters.size(); ++i)
      CHECK(difference(parameters[i].grad(), testing::to_tensor(clip.at("grads")[i]),
                       {.rtol = 1e-15}) == "");
  }
}

TEST_CASE("clipping refuses a negative norm, and shows where gradients are not finite") {
  Tensor p = zeros({2}).requires_grad_();
  CHECK_THROWS_WITH_AS(clip_grad_norm_({p}, -1),
                       "clip_grad_norm_: max_norm must be at least 0, got -1", Error);
  CHECK(clip_grad_norm_({p}, 1) == 0);
  Tensor q = zeros({2}).requires_grad_();
  set_grad(p, ones({2}));
  set_grad(q, ones({2}));
  q.grad().set_data(NDArray::full({1}, 1, Float32).expand({2}));
  CHECK_THROWS_WITH_AS(clip_grad_norm_({p, q}, 1),
                       "clip_grad_norm_: elements of the target, of shape (2) and strides (0), "
                       "share memory; clone() it first",
                       ShapeError);
  CHECK(difference(p.grad(), ones({2})) == "");
  set_grad(p, tensor({1.0, std::nan("")}));
  CHECK(std::isnan(clip_grad_norm_({p}, 1)));
  CHECK(std::isnan(p.grad().select(0, 0).item()));
}

TEST_CASE("clipping refuses an undefined parameter by its number") {
  CHECK_THROWS_WITH_AS(clip_grad_norm_({Tensor()}, 1),
                       "clip_grad_norm_: parameter 0 is undefined (made by Tensor()); pass leaves, "
                       "such as model.parameters()",
                       Error);
}
