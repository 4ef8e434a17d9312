#include <doctest/doctest.h>
#include <tapehead/core/attention.h>

#include <cmath>
#include <limits>

#include "kernel_settings.h"
#include "layouts.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

using Row = std::vector<double>;

// Inputs of one call, and what it should give: every formula by explicit loops in double.
struct Case {
  NDArray q, k, v, mask, bias, keep;
  double scale;
  NDArray g;

  Index B() const { return q.shape()[0]; }
  Index H() const { return q.shape()[1]; }
  Index Tq() const { return q.shape()[2]; }
  Index Tk() const { return k.shape()[2]; }
  Shape scores() const { return {B(), H(), Tq(), Tk()}; }

  Attention forward(bool want_weights = true) const {
    return attention(q, k, v, mask, bias, keep, scale, want_weights);
  }
  AttentionGrads backward(const Attention& result, bool want_scores = true) const {
    return attention_backward(g, q, k, v, mask, bias, keep, scale, result.out, want_scores);
  }
};

struct Expected {
  Row out, weights, dq, dk, dv, dscores;
};

std::size_t z(Index i) { return static_cast<std::size_t>(i); }

Expected expected(const Case& c) {
  const Index d = c.q.shape()[3], e = c.v.shape()[3], Tq = c.Tq(), Tk = c.Tk(),
              heads = c.B() * c.H();
  const auto spread = [&](const NDArray& x) {
    return x.defined() ? elements(x.expand(c.scores())) : Row();
  };
  const Row q = elements(c.q), k = elements(c.k), v = elements(c.v), g = elements(c.g);
  const Row mask = spread(c.mask), bias = spread(c.bias), keep = spread(c.keep);
  Expected r{Row(z(heads * Tq * e)), Row(z(heads * Tq * Tk)), Row(z(heads * Tq * d)),
             Row(z(heads * Tk * d)), Row(z(heads * Tk * e)),  Row(z(heads * Tq * Tk))};
  for (Index h = 0; h < heads; ++h)
    for (Index i = 0; i < Tq; ++i) {
      const Index row = h * Tq + i;
      Row s(z(Tk));
      double most = -std::numeric_limits<double>::infinity(), total = 0, mean = 0;
      const auto hidden = [&](Index j) { return !mask.empty() && mask[z(row * Tk + j)] == 0; };
      for (Index j = 0; j < Tk; ++j) {
        for (Index l = 0; l < d; ++l) s[z(j)] += q[z(row * d + l)] * k[z((h * Tk + j) * d + l)];
        s[z(j)] = s[z(j)] * c.scale + (bias.empty() ? 0 : bias[z(row * Tk + j)]);
        if (hidden(j)) s[z(j)] = -1e9;
        most = std::max(most, s[z(j)]);
      }
      for (double& x : s) total += x = std::exp(x - most);
      Row slope(z(Tk));
      for (Index j = 0; j < Tk; ++j) {
        const double p = s[z(j)] / total, factor = keep.empty() ? 1 : keep[z(row * Tk + j)];
        r.weights[z(row * Tk + j)] = p * factor;
        for (Index l = 0; l < e; ++l) {
          const Index at = (h * Tk + j) * e + l;
          r.out[z(row * e + l)] += p * factor * v[z(at)];
          r.dv[z(at)] += p * factor * g[z(row * e + l)];
          slope[z(j)] += factor * g[z(row * e + l)] * v[z(at)];
        }
        mean += p * slope[z(j)];
      }
      for (Index j = 0; j < Tk; ++j) {
        const double ds = hidden(j) ? 0 : s[z(j)] / total * (slope[z(j)] - mean);
        r.dscores[z(row * Tk + j)] = ds;
        for (Index l = 0; l < d; ++l) {
          r.dq[z(row * d + l)] += c.scale * ds * k[z((h * Tk + j) * d + l)];
          r.dk[z((h * Tk + j) * d + l)] += c.scale * ds * q[z(row * d + l)];
        }
      }
    }
  return r;
}

void check_close(const char* what, const NDArray& got, const Row& want, double tolerance) {
  CAPTURE(what);
  REQUIRE(got.size() == static_cast<Index>(want.size()));
  CHECK(got.is_contiguous());
  double worst = 0;
  for (Index i = 0; i < got.size(); ++i)
    worst = std::max(worst, std::abs(element(got, i) - want[z(i)]) / (1 + std::abs(want[z(i)])));
  CHECK(worst <= tolerance);
}

void check(const Case& c) {
  const double tolerance = c.q.dtype() == DType::Float32 ? 2e-5 : 3e-14;
  const Expected want = expected(c);
  const Attention got = c.forward();
  CHECK(got.weights.shape() == c.scores());
  check_close("out", got.out, want.out, tolerance);
  check_close("weights", got.weights, want.weights, tolerance);
  CHECK(identical(c.forward(false).out, got.out));
  const AttentionGrads grads = c.backward(got);
  check_close("dq", grads.q, want.dq, tolerance);
  check_close("dk", grads.k, want.dk, 4 * tolerance);
  check_close("dv", grads.v, want.dv, 4 * tolerance);
  check_close("dscores", grads.scores, want.dscores, tolerance);
  CHECK_FALSE(c.backward(got, false).scores.defined());
}

Case make(DType dtype, Index B, Index H, Index Tq, Index Tk, Index d, Index d_v) {
  return {scattered({B, H, Tq, d}, dtype, -2, 2),
          scattered({B, H, Tk, d}, dtype, -1, 3),
          scattered({B, H, Tk, d_v}, dtype, -3, 1),
          {},
          {},
          {},
          0.4,
          scattered({B, H, Tq, d_v}, dtype, -1, 1)};
}

// True where visible(i, j).
template <class F>
NDArray mask_of(Index Tq, Index Tk, const F& visible) {
  NDArray mask = NDArray::empty({Tq, Tk}, DType::Bool);
  for (Index i = 0; i < Tq; ++i)
    for (Index j = 0; j < Tk; ++j) mask.mutable_data<bool>()[i * Tk + j] = visible(i, j);
  return mask;
}
NDArray causal(Index Tq, Index Tk) {
  return mask_of(Tq, Tk, [](Index i, Index j) { return j <= i; });
}

}  // namespace

TEST_CASE("attention and its derivatives follow their formulas at unequal sizes") {
  on_every_isa([](DType dtype) {
    check(make(dtype, 2, 3, 5, 7, 4, 6));
    check(make(dtype, 1, 1, 1, 1, 1, 1));
    check(make(dtype, 1, 2, 100, 50, 16, 8));  // three blocks of queries
    check(make(dtype, 2, 1, 49, 65, 33, 17));
    check(make(dtype, 1, 1, 3, 130, 5, 70));
  });
}

TEST_CASE("attention takes a mask, a bias and dropout's factors in every shape that broadcasts") {
  on_every_isa([](DType dtype) {
    Case c = make(dtype, 2, 3, 50, 70, 4, 5);
    c.mask = mask_of(50, 70, [](Index i, Index j) { return (i * 7 + j * 3) % 5 < 2; });
    check(c);
    c.bias = scattered({3, 1, 70}, dtype);
    c.keep = scattered({2, 3, 50, 70}, dtype, 0, 2);
    check(c);
    c.mask = c.mask.narrow(0, 3, 1);
    c.bias = scattered({2, 1, 50, 1}, dtype);
    check(c);
    c.mask = NDArray();
    c.bias = scattered({70, 50}, dtype).transpose(0, 1);
    check(c);
  });
}

TEST_CASE("attention reads inputs of any strides") {
  on_every_isa([](DType dtype) {
    const Case plain = make(dtype, 2, 2, 6, 9, 4, 3);
    for (std::size_t i = 0; i < 5; ++i) {
      Case c = plain;
      for (NDArray* x : {&c.q, &c.k, &c.v, &c.g}) *x = layouts(*x)[i].array;
      c.mask = layouts(causal(6, 9))[i].array;
      CAPTURE(i);
      check(c);
    }
    Case heads = plain;  // one key and value for all heads
    heads.k = plain.k.narrow(1, 0, 1).expand({2, 2, 9, 4});
    heads.v = plain.v.narrow(1, 0, 1).expand({2, 2, 9, 3});
    check(heads);
  });
}

TEST_CASE("a causal mask hides what comes later, and gives it no weight at all") {
  on_every_isa([](DType dtype) {
    for (const Index T : {1, 5, 48, 130}) {
      Case c = make(dtype, 1, 2, T, T, 8, 8);
      c.mask = causal(T, T);
      check(c);
      const NDArray weights = c.forward().weights;
      for (Index i = 0; i < T; ++i)
        for (Index j = i + 1; j < T; ++j) CHECK(element(weights, i * T + j) == 0);
    }
  });
}

TEST_CASE("a query that sees no key attends to all of them alike, to the last bit") {
  on_every_isa([](DType dtype) {
    for (const Index Tk : {3, 7, 100}) {
      Case c = make(dtype, 1, 2, 60, Tk, 4, 5);
      c.mask = mask_of(60, Tk, [](Index i, Index j) { return i % 3 != 1 && j <= i; });
      check(c);
      const Attention got = c.forward();
      const AttentionGrads grads = c.backward(got);
      const double share = dtype == DType::Float32 ? double{1.0f / static_cast<float>(Tk)}
                                                   : 1.0 / static_cast<double>(Tk);
      for (Index j = 0; j < Tk; ++j) {
        CHECK(element(got.weights, Tk + j) == share);
        CHECK(element(grads.scores, Tk + j) == 0);
      }
      for (Index l = 0; l < 4; ++l) CHECK(element(grads.q, 4 + l) == 0);
    }
  });
}

TEST_CASE("hidden keys count where the visible ones' scores are as low as theirs") {
  on_every_isa([](DType dtype) {
    Case c = make(dtype, 1, 1, 4, 40, 2, 3);
    c.mask = causal(4, 40);
    c.bias = NDArray::full({4, 1}, -1e9, dtype);
    c.q = NDArray::full({1, 1, 4, 2}, 0, dtype);
    check(c);  // all scores are -1e9
    c.bias = NDArray::full({1}, -2e9, dtype);
    check(c);  // the hidden keys have all the weight
    c.bias = NDArray::full({1}, -std::numeric_limits<double>::infinity(), dtype);
    const Attention got = c.forward();
    CHECK(element(got.weights, 0) == 0);
    CHECK(element(got.weights, 39) == doctest::Approx(1. / 39));
  });
}

TEST_CASE("attention over no keys is zero, and of no queries empty") {
  const Case none = make(DType::Float64, 1, 2, 3, 0, 4, 5);
  const Attention got = none.forward();
  CHECK(elements(got.out) == Row(30, 0));
  CHECK(elements(none.backward(got).q) == Row(24, 0));
  const Case empty = make(DType::Float64, 1, 2, 0, 3, 4, 5);
  CHECK(empty.forward().out.shape() == Shape{1, 2, 0, 5});
  CHECK(elements(empty.backward(empty.forward()).v) == Row(30, 0));
  check(make(DType::Float64, 0, 2, 3, 3, 4, 5));
  check(make(DType::Float64, 1, 1, 3, 3, 0, 2));
}

TEST_CASE("attention has the same bits on any number of threads, and with AVX2 and AVX-512") {
  for (const DType dtype : {DType::Float32, DType::Float64})
    for (Case c : {make(dtype, 4, 8, 60, 70, 24, 40), make(dtype, 1, 1, 500, 130, 32, 32)}) {
      c.mask = causal(c.Tq(), c.Tk());
      c.keep = scattered(c.scores(), dtype, 0, 2);
      same_bits([&] {
        const Attention a = c.forward();
        const AttentionGrads g = c.backward(a);
        return std::vector{a.out, a.weights, g.q, g.k, g.v, g.scores};
      });
    }
}

TEST_CASE("what attention refuses, it names with the way out") {
  const Case good = make(DType::Float32, 2, 3, 4, 5, 6, 7);
  const auto refused = [&](auto change) {
    Case c = good;
    change(c);
    return c.forward();
  };
  CHECK_THROWS_WITH_AS(refused([](Case& c) { c.q = c.q.select(0, 0); }),
                       "attention: q must have the 4 dimensions (B, H, T, d), got (3, 4, 6)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(refused([](Case& c) { c.k = c.k.narrow(3, 0, 5); }),
                       "attention: k must have shape (2, 3, 5, 6), got (2, 3, 5, 5)", ShapeError);
  CHECK_THROWS_WITH_AS(refused([](Case& c) { c.v = c.v.narrow(2, 0, 4); }),
                       "attention: v must have shape (2, 3, 5, 7), got (2, 3, 4, 7)", ShapeError);
  CHECK_THROWS_WITH_AS(refused([](Case& c) { c.v = cast(c.v, DType::Float64); }),
                       "attention: v must be Float32, got Float64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      refused([](Case& c) {
        c.mask = NDArray::full({4, 4}, 1, DType::Bool);
      }),
      "attention: mask must broadcast to (B, H, Tq, Tk) = (2, 3, 4, 5), got (4, 4)", ShapeError);
  CHECK_THROWS_WITH_AS(refused([](Case& c) {
                         c.mask = NDArray::full({4, 5}, 1, DType::Int64);
                       }),
                       "attention: mask must be Bool, got Int64; convert with .to(Bool)",
                       DTypeError);
  Case whole = good;
  for (NDArray* x : {&whole.q, &whole.k, &whole.v}) *x = cast(*x, DType::Int64);
  CHECK_THROWS_WITH_AS(
      whole.forward(),
      "attention: expected Float32 or Float64, got Int64; convert with .to(Float32)", DTypeError);
  const Attention result = good.forward();
  Case turned = good;
  turned.g = good.g.transpose(0, 1);
  CHECK_THROWS_WITH_AS(
      turned.backward(result),
      "attention_backward: the gradient must have shape (2, 3, 4, 7), got (3, 2, 4, 7)",
      ShapeError);
}
