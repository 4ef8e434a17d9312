// Rows: tensors made in the image of others.
#include "shapes.h"

namespace tapehead::op_rows {
namespace {

// Row-major Float64: draws follow the order in memory, and Float32 takes other numbers.
Tensor plain(const Tensor& x) { return x.contiguous().to(Float64); }

template <class Make>
Outputs after_seed(const Tensor& x, Make make) {
  const Tensor like = plain(x);
  manual_seed(3);
  return Tensor(make(like)).to(x.dtype());
}

}  // namespace

Rows creation() {
  Rows rows = {
      {"zeros_like", "zeros_like(a)", unary, [](In x) { return zeros_like(x[0]); }},
      {"ones_like", "ones_like(a)", unary, [](In x) { return ones_like(x[0]); }},
      {"full_like", "full_like(a, 2)", unary, [](In x) { return full_like(x[0], 2); }},
      {"empty_like", "empty_like(a).zero_()", unary, [](In x) { return empty_like(x[0]).zero_(); }},
      {"rand_like", "seeded(rand_like, a.contiguous().double()).to(a.dtype)", unary,
       [](In x) { return after_seed(x[0], [](const Tensor& a) { return rand_like(a); }); }},
      {"randn_like", "seeded(randn_like, a.contiguous().double()).to(a.dtype)", unary,
       [](In x) { return after_seed(x[0], [](const Tensor& a) { return randn_like(a); }); }},
      {"randint_like", "seeded(randint_like, a.contiguous().double(), -3, 9).to(a.dtype)", unary,
       [](In x) {
         return after_seed(x[0], [](const Tensor& a) { return randint_like(a, -3, 9); });
       }},
      {"bernoulli", "seeded(bernoulli, abs(a.contiguous().double()) / 4).to(a.dtype)", unary,
       [](In x) {
         return after_seed(x[0], [](const Tensor& a) { return bernoulli(abs(a) / 4); });
       }},
      {"bernoulli", "seeded(bernoulli, a.contiguous().double(), 0.3).to(a.dtype)", unary,
       [](In x) { return after_seed(x[0], [](const Tensor& a) { return bernoulli(a, 0.3); }); }},
  };
  for (OpRow& row : rows) row.differentiable = false;
  return rows;
}

}  // namespace tapehead::op_rows
