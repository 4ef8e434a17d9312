// Every op that changes a tensor, given none.
#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <set>
#include <string>
#include <vector>

#include "../support/declared.h"

using namespace tapehead;
using testing::declared;

namespace {

using Change = void (*)(Tensor& x, const Tensor& y);
struct NamedChange {
  std::string op;
  Change change;
};
// Every method that changes a tensor, with y wherever it reads one.
const std::vector<NamedChange>& changes() {
  static const std::vector<NamedChange> all{
      {"add_", [](Tensor& x, const Tensor& y) { x.add_(y); }},
      {"sub_", [](Tensor& x, const Tensor& y) { x.sub_(y); }},
      {"mul_", [](Tensor& x, const Tensor& y) { x.mul_(y); }},
      {"div_", [](Tensor& x, const Tensor& y) { x.div_(y); }},
      {"copy_", [](Tensor& x, const Tensor& y) { x.copy_(y); }},
      {"pow_", [](Tensor& x, const Tensor& y) { x.pow_(y); }},
      {"floor_divide_", [](Tensor& x, const Tensor& y) { x.floor_divide_(y); }},
      {"remainder_", [](Tensor& x, const Tensor& y) { x.remainder_(y); }},
      {"logical_and_", [](Tensor& x, const Tensor& y) { x.logical_and_(y); }},
      {"logical_or_", [](Tensor& x, const Tensor& y) { x.logical_or_(y); }},
      {"logical_xor_", [](Tensor& x, const Tensor& y) { x.logical_xor_(y); }},
      {"eq_", [](Tensor& x, const Tensor& y) { x.eq_(y); }},
      {"ne_", [](Tensor& x, const Tensor& y) { x.ne_(y); }},
      {"lt_", [](Tensor& x, const Tensor& y) { x.lt_(y); }},
      {"le_", [](Tensor& x, const Tensor& y) { x.le_(y); }},
      {"gt_", [](Tensor& x, const Tensor& y) { x.gt_(y); }},
      {"ge_", [](Tensor& x, const Tensor& y) { x.ge_(y); }},
      {"eq_", [](Tensor& x, const Tensor&) { x.eq_(1); }},
      {"ne_", [](Tensor& x, const Tensor&) { x.ne_(1); }},
      {"lt_", [](Tensor& x, const Tensor&) { x.lt_(1); }},
      {"le_", [](Tensor& x, const Tensor&) { x.le_(1); }},
      {"gt_", [](Tensor& x, const Tensor&) { x.gt_(1); }},
      {"ge_", [](Tensor& x, const Tensor&) { x.ge_(1); }},
      {"squeeze_", [](Tensor& x, const Tensor&) { x.squeeze_(); }},
      {"squeeze_", [](Tensor& x, const Tensor&) { x.squeeze_(0); }},
      {"unsqueeze_", [](Tensor& x, const Tensor&) { x.unsqueeze_(0); }},
      {"transpose_", [](Tensor& x, const Tensor&) { x.transpose_(0, 1); }},
      {"swapdims_", [](Tensor& x, const Tensor&) { x.swapdims_(0, 1); }},
      {"detach_", [](Tensor& x, const Tensor&) { x.detach_(); }},
      {"t_", [](Tensor& x, const Tensor&) { x.t_(); }},
      {"random_", [](Tensor& x, const Tensor&) { x.random_(2); }},
      {"zero_", [](Tensor& x, const Tensor&) { x.zero_(); }},
      {"neg_", [](Tensor& x, const Tensor&) { x.neg_(); }},
      {"abs_", [](Tensor& x, const Tensor&) { x.abs_(); }},
      {"exp_", [](Tensor& x, const Tensor&) { x.exp_(); }},
      {"expm1_", [](Tensor& x, const Tensor&) { x.expm1_(); }},
      {"log_", [](Tensor& x, const Tensor&) { x.log_(); }},
      {"log1p_", [](Tensor& x, const Tensor&) { x.log1p_(); }},
      {"log2_", [](Tensor& x, const Tensor&) { x.log2_(); }},
      {"log10_", [](Tensor& x, const Tensor&) { x.log10_(); }},
      {"sqrt_", [](Tensor& x, const Tensor&) { x.sqrt_(); }},
      {"rsqrt_", [](Tensor& x, const Tensor&) { x.rsqrt_(); }},
      {"sin_", [](Tensor& x, const Tensor&) { x.sin_(); }},
      {"cos_", [](Tensor& x, const Tensor&) { x.cos_(); }},
      {"tanh_", [](Tensor& x, const Tensor&) { x.tanh_(); }},
      {"sigmoid_", [](Tensor& x, const Tensor&) { x.sigmoid_(); }},
      {"relu_", [](Tensor& x, const Tensor&) { x.relu_(); }},
      {"square_", [](Tensor& x, const Tensor&) { x.square_(); }},
      {"reciprocal_", [](Tensor& x, const Tensor&) { x.reciprocal_(); }},
      {"erf_", [](Tensor& x, const Tensor&) { x.erf_(); }},
      {"sign_", [](Tensor& x, const Tensor&) { x.sign_(); }},
      {"floor_", [](Tensor& x, const Tensor&) { x.floor_(); }},
      {"ceil_", [](Tensor& x, const Tensor&) { x.ceil_(); }},
      {"round_", [](Tensor& x, const Tensor&) { x.round_(); }},
      {"trunc_", [](Tensor& x, const Tensor&) { x.trunc_(); }},
      {"logical_not_", [](Tensor& x, const Tensor&) { x.logical_not_(); }},
      {"uniform_", [](Tensor& x, const Tensor&) { x.uniform_(); }},
      {"normal_", [](Tensor& x, const Tensor&) { x.normal_(); }},
      {"bernoulli_", [](Tensor& x, const Tensor&) { x.bernoulli_(); }},
      {"tril_", [](Tensor& x, const Tensor&) { x.tril_(); }},
      {"triu_", [](Tensor& x, const Tensor&) { x.triu_(); }},
      {"fill_", [](Tensor& x, const Tensor&) { x.fill_(1); }},
      {"clamp_", [](Tensor& x, const Tensor&) { x.clamp_(0); }},
      {"cumsum_", [](Tensor& x, const Tensor&) { x.cumsum_(0); }},
      {"masked_fill_", [](Tensor& x, const Tensor& y) { x.masked_fill_(y, 1); }},
      {"masked_scatter_", [](Tensor& x, const Tensor& y) { x.masked_scatter_(y, y); }},
      {"lerp_", [](Tensor& x, const Tensor& y) { x.lerp_(y, y); }},
      {"lerp_", [](Tensor& x, const Tensor& y) { x.lerp_(y, 0.5); }},
      {"addcmul_", [](Tensor& x, const Tensor& y) { x.addcmul_(y, y); }},
      {"addcdiv_", [](Tensor& x, const Tensor& y) { x.addcdiv_(y, y); }},
      {"addmm_", [](Tensor& x, const Tensor& y) { x.addmm_(y, y); }},
      {"baddbmm_", [](Tensor& x, const Tensor& y) { x.baddbmm_(y, y); }},
      {"scatter_", [](Tensor& x, const Tensor& y) { x.scatter_(0, y, y); }},
      {"scatter_", [](Tensor& x, const Tensor& y) { x.scatter_(0, y, 1); }},
      {"scatter_add_", [](Tensor& x, const Tensor& y) { x.scatter_add_(0, y, y); }},
      {"index_add_", [](Tensor& x, const Tensor& y) { x.index_add_(0, y, y); }},
      {"index_copy_", [](Tensor& x, const Tensor& y) { x.index_copy_(0, y, y); }},
      {"index_fill_", [](Tensor& x, const Tensor& y) { x.index_fill_(0, y, 1); }},
      {"index_put_", [](Tensor& x, const Tensor& y) { x.index_put_({0}, y); }},
      {"index_put_", [](Tensor& x, const Tensor&) { x.index_put_({0}, 1); }},
      {"add_", [](Tensor& x, const Tensor&) { x.add_(1); }},
      {"sub_", [](Tensor& x, const Tensor&) { x.sub_(1); }},
      {"mul_", [](Tensor& x, const Tensor&) { x.mul_(1); }},
      {"div_", [](Tensor& x, const Tensor&) { x.div_(1); }},
      {"pow_", [](Tensor& x, const Tensor&) { x.pow_(1); }},
      {"floor_divide_", [](Tensor& x, const Tensor&) { x.floor_divide_(1); }},
      {"remainder_", [](Tensor& x, const Tensor&) { x.remainder_(1); }},
  };
  return all;
}

}  // namespace

TEST_CASE("every op in place refuses an undefined tensor, to change or to read, in its own name") {
  const auto refused = [](const NamedChange& named, Tensor x, const Tensor& y) {
    try {
      named.change(x, y);
    } catch (const Error& error) {
      const std::string message = error.what();
      CHECK_MESSAGE(message.rfind(named.op + ": ", 0) == 0, message);
      CHECK_MESSAGE(
          message.find(" is undefined (made by Tensor(), or a gradient that is not there); "
                       "ask defined() first") != std::string::npos,
          message);
      return true;
    }
    return false;
  };
  std::set<std::string> named;
  int readers = 0;
  for (const NamedChange& change : changes()) {
    CAPTURE(change.op);
    named.insert(change.op);
    CHECK(refused(change, Tensor(), ones({1, 1}, Float64)));
    readers += refused(change, ones({1, 1}, Float64), Tensor());
  }
  CHECK(readers == 32);
  CHECK(named == declared("autograd/tensor.h", "\n  Tensor& (?!requires_grad_)(\\w+_)\\("));
}
