// Methods, each held against the free function of its name.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <set>
#include <string>

#include "../support/compare.h"
#include "../support/declared.h"

using namespace tapehead;
using testing::declared;
using testing::difference;

namespace {

void same(const Tensor& a, const Tensor& b) { CHECK(difference(a, b) == ""); }

}  // namespace

TEST_CASE("every method gives what the free function of its name gives") {
  const Tensor x = testing::noise({2, 3}), y = testing::noise({2, 3}, 2), p = abs(x);
  const Tensor mask = x > 0, index = tensor({2, 0}), picks = tensor({{0, 1}, {2, 2}});
  same(x.view({3, 2}), view(x, {3, 2}));
  same(x.reshape({6}), reshape(x, {6}));
  same(x.flatten(), flatten(x));
  same(x.transpose(0, 1), transpose(x, 0, 1));
  same(x.t(), t(x));
  same(x.mT(), mT(x));
  same(x.permute({1, 0}), permute(x, {1, 0}));
  same(x.expand({4, 2, 3}), expand(x, {4, 2, 3}));
  same(x.unsqueeze(1), unsqueeze(x, 1));
  same(x.unsqueeze(1).squeeze(), squeeze(unsqueeze(x, 1)));
  same(x.unsqueeze(1).squeeze(1), squeeze(unsqueeze(x, 1), 1));
  same(x.narrow(1, 1, 2), narrow(x, 1, 1, 2));
  same(x.select(0, 1), select(x, 0, 1));
  same(x.slice(1, 0, 3, 2), slice(x, 1, 0, 3, 2));
  same(x.split(2, 1)[1], split(x, 2, 1)[1]);
  same(x.split({1, 2}, 1)[1], split(x, std::vector<Index>{1, 2}, 1)[1]);
  same(x.chunk(2, 1)[0], chunk(x, 2, 1)[0]);
  same(x.t().contiguous(), contiguous(t(x)));
  same(x.clone(), clone(x));
  same(x.to(Float32), to(x, Float32));
  same(x.add(y, 2), add(x, y, 2));
  same(x.sub(y, 2), sub(x, y, 2));
  same(x.mul(y), mul(x, y));
  same(x.div(y), div(x, y));
  same(p.pow(y), pow(p, y));
  same(x.add(2), add(x, 2));
  same(x.sub(2), sub(x, 2));
  same(x.mul(2), mul(x, 2));
  same(x.div(2), div(x, 2));
  same(x.pow(2), pow(x, 2));
  same(x.neg(), neg(x));
  same(x.abs(), abs(x));
  same(x.exp(), exp(x));
  same(p.log(), log(p));
  same(p.sqrt(), sqrt(p));
  same(p.rsqrt(), rsqrt(p));
  same(x.sin(), sin(x));
  same(x.cos(), cos(x));
  same(x.tanh(), tanh(x));
  same(x.sigmoid(), sigmoid(x));
  same(x.relu(), relu(x));
  same(x.clamp(-0.5, 0.5), clamp(x, -0.5, 0.5));
  same(x.maximum(y), maximum(x, y));
  same(x.minimum(y), minimum(x, y));
  same(x.where(mask, y), where(mask, x, y));
  same(x.where(mask, 9), where(mask, x, 9));
  same(x.masked_fill(mask, 9), masked_fill(x, mask, 9));
  same(x.tril(), tril(x));
  same(x.triu(1), triu(x, 1));
  same(x.eq(y), eq(x, y));
  same(x.ne(y), ne(x, y));
  same(x.lt(y), lt(x, y));
  same(x.le(y), le(x, y));
  same(x.gt(y), gt(x, y));
  same(x.ge(y), ge(x, y));
  same(x.eq(0.5), eq(x, 0.5));
  same(x.ne(0.5), ne(x, 0.5));
  same(x.lt(0.5), lt(x, 0.5));
  same(x.le(0.5), le(x, 0.5));
  same(x.gt(0.5), gt(x, 0.5));
  same(x.ge(0.5), ge(x, 0.5));
  same(mask.logical_not(), logical_not(mask));
  same(mask.logical_and(y > 0), logical_and(mask, y > 0));
  same(mask.logical_or(y > 0), logical_or(mask, y > 0));
  CHECK(x.equal(x.clone()));
  CHECK_FALSE(x.equal(y));
  CHECK(x.allclose(x + 1e-3, 0, 1e-2));
  CHECK_FALSE(x.allclose(x + 1e-3));
  same(x.sum({1}, true), sum(x, {1}, true));
  same(x.mean({1}, true), mean(x, {1}, true));
  same(x.var({1}, false, true), var(x, {1}, false, true));
  same(x.max(), max(x));
  same(x.min(), min(x));
  same(x.max(1).values, max(x, 1).values);
  same(x.min(1).indices, min(x, 1).indices);
  same(x.amax({0}), amax(x, {0}));
  same(x.amin({0}), amin(x, {0}));
  same(x.argmax(1), argmax(x, 1));
  same(x.argmin(), argmin(x));
  same(x.logsumexp({1}), logsumexp(x, {1}));
  same(x.softmax(-1), softmax(x, -1));
  same(x.log_softmax(0), log_softmax(x, 0));
  same(x.matmul(y.t()), matmul(x, t(y)));
  same(x.index_select(1, index), index_select(x, 1, index));
  same(x.gather(1, picks), gather(x, 1, picks));
  same(x.ravel(), ravel(x));
  same(x.swapdims(0, 1), swapdims(x, 0, 1));
  same(x.movedim(Dims{0}, Dims{1}), movedim(x, Dims{0}, Dims{1}));
  same(x.movedim(0, 1), movedim(x, 0, 1));
  same(x.unbind(1)[2], unbind(x, 1)[2]);
  same(x.diagonal(1, 1, 0), diagonal(x, 1, 1, 0));
  same(x.diag(-1), diag(x, -1));
  same(x.flip({1}), flip(x, {1}));
  same(x.roll(Dims{1}, Dims{1}), roll(x, Dims{1}, Dims{1}));
  same(x.roll(2, 1), roll(x, 2, 1));
  same(x.repeat({2, 1}), repeat(x, {2, 1}));
  same(x.tile({2}), tile(x, {2}));
  same(x.repeat_interleave(2, 1), repeat_interleave(x, 2, 1));
  same(x.repeat_interleave(tensor({2, 1}), 0), repeat_interleave(x, tensor({2, 1}), 0));
  same(x.mm(y.t()), mm(x, t(y)));
  same(x.unsqueeze(0).bmm(y.t().unsqueeze(0)), bmm(unsqueeze(x, 0), unsqueeze(t(y), 0)));
  same(x.mv(y.select(0, 1)), mv(x, select(y, 0, 1)));
  same(x.select(0, 0).dot(y.select(0, 1)), dot(select(x, 0, 0), select(y, 0, 1)));
  same(x.select(1, 0).outer(y.select(0, 1)), outer(select(x, 1, 0), select(y, 0, 1)));
  const Tensor square = testing::noise({2, 2}, 3);
  same(square.addmm(x, y.t(), 2, 3), addmm(square, x, t(y), 2, 3));
  same(square.baddbmm(x.unsqueeze(0), y.t().unsqueeze(0), 2, 3),
       baddbmm(square, unsqueeze(x, 0), unsqueeze(t(y), 0), 2, 3));
  same(x.index({1, indexing::Slice(1)}), tapehead::index(x, {1, indexing::Slice(1)}));
  same(x.index_put({1}, y.select(0, 0), true), index_put(x, {1}, select(y, 0, 0), true));
  same(x.take_along_dim(picks, 1), take_along_dim(x, picks, 1));
  same(x.scatter(1, picks, y), scatter(x, 1, picks, y));
  same(x.scatter(1, picks, 9), scatter(x, 1, picks, 9));
  same(x.scatter_add(1, picks, y), scatter_add(x, 1, picks, y));
  const Tensor columns = y.narrow(1, 0, 2);
  same(x.index_add(1, index, columns, 2), index_add(x, 1, index, columns, 2));
  same(x.index_copy(1, index, columns), index_copy(x, 1, index, columns));
  same(x.index_fill(1, index, 9), index_fill(x, 1, index, 9));
  same(x.masked_select(mask), masked_select(x, mask));
  same(x.masked_scatter(mask, y), masked_scatter(x, mask, y));
  same(mask.nonzero(), nonzero(mask));
  same(x.sort(1, true).indices, tapehead::sort(x, 1, true).indices);
  same(x.argsort(1, true), argsort(x, 1, true));
  same(x.topk(2, 1, false).values, topk(x, 2, 1, false).values);
  const auto seeded = [](const auto& draw) {
    manual_seed(5);
    return draw();
  };
  same(seeded([&] { return p.multinomial(2); }), seeded([&] { return multinomial(p, 2); }));
  const Tensor chance = sigmoid(x);
  same(seeded([&] { return chance.bernoulli(); }), seeded([&] { return bernoulli(chance); }));
  same(seeded([&] { return x.bernoulli(0.3); }), seeded([&] { return bernoulli(x, 0.3); }));
  same(x.floor_divide(y), floor_divide(x, y));
  same(x.floor_divide(0.3), floor_divide(x, 0.3));
  same(x.remainder(y), remainder(x, y));
  same(x.remainder(0.3), remainder(x, 0.3));
  same(x.lerp(y, p), lerp(x, y, p));
  same(x.lerp(y, 0.3), lerp(x, y, 0.3));
  same(x.addcmul(y, p, 0.3), addcmul(x, y, p, 0.3));
  same(x.addcdiv(y, p, 0.3), addcdiv(x, y, p, 0.3));
  same(x.expm1(), expm1(x));
  same(p.log1p(), log1p(p));
  same(p.log2(), log2(p));
  same(p.log10(), log10(p));
  same(x.square(), tapehead::square(x));
  same(x.reciprocal(), reciprocal(x));
  same(x.erf(), erf(x));
  same(x.logaddexp(y), logaddexp(x, y));
  same(x.sign(), sign(x));
  same(x.floor(), floor(x));
  same(x.ceil(), ceil(x));
  same(x.round(), round(x));
  same(x.trunc(), trunc(x));
  same(mask.logical_xor(y > 0), logical_xor(mask, y > 0));
  same((x / 0).isnan(), isnan(x / 0));
  same((x / 0).isinf(), isinf(x / 0));
  same((x / 0).isfinite(), isfinite(x / 0));
  same(x.isclose(x + y * 1e-5, 0, 1e-5), isclose(x, x + y * 1e-5, 0, 1e-5));
  same(x.std({1}, false, true), tapehead::std(x, {1}, false, true));
  same(x.prod(), prod(x));
  same(x.prod(1, true), prod(x, 1, true));
  same(x.cumsum(1), cumsum(x, 1));
  same(x.norm(1, {1}, true), norm(x, 1, {1}, true));
  same(mask.all(), all(mask));
  same(mask.all(1, true), all(mask, 1, true));
  same(mask.any(), any(mask));
  same(mask.any(1, true), any(mask, 1, true));
  same(mask.count_nonzero({1}), count_nonzero(mask, {1}));
}

TEST_CASE("no method is missing above") {
  const char* const results = "\n *(?:Tensor|bool|ValuesIndices|std::vector<Tensor>) (\\w+)\\(";
  std::set<std::string> free = declared("autograd/ops.h", results);
  free.merge(declared("autograd/create.h", results));
  const std::set<std::string> called = declared("tests/autograd/methods_test.cpp", "\\.(\\w+)\\(");
  int methods = 0;
  for (const std::string& name : declared("autograd/tensor.h", results)) {
    if (free.count(name) == 0) continue;
    ++methods;
    CHECK_MESSAGE(called.count(name) == 1, name);
  }
  CHECK(methods > 120);
}
