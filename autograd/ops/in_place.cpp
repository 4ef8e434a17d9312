// In-place ops. Rules see the inputs as they were; where a rule needs the old value of what is
// changed, that value is cloned first.
#include <cstring>
#include <string>

#include "../../core/elementwise.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {
namespace {

// The value before the change, for the sake of another input's gradient.
Tensor before(const Tensor& self, const Tensor& other) {
  return taping() && self.defined() && other.requires_grad() ? self.clone() : Tensor();
}

// -value; one that x cannot take is refused as it was given.
Scalar negated(const NDArray& x, Scalar value) {
  core::dispatch_numeric("sub_", x.dtype(), [&]<class T>() { value.to<T>("sub_"); });
  return -value;
}

// Observers hear nothing while this lives.
struct Unobserved {
  Unobserved() = default;
  Unobserved(const Unobserved&) = delete;
  Unobserved& operator=(const Unobserved&) = delete;
  ~Unobserved() { tape.observers = observers; }
  Observer* observers = std::exchange(tape.observers, nullptr);
};

// Throws the error again, if the op `op` without its "_" has named it, in the name of `op`.
template <class E>
void rename(const std::string& op, const E& error) {
  const std::string message = error.what(), name = op.substr(0, op.size() - 1);
  if (message.rfind(name + ":", 0) == 0) fail<E>(op, message.substr(name.size()));
}
template <class F>
auto in_the_name_of(const char* op, const F& f) {
  try {
    return f();
  } catch (const DTypeError& error) {
    rename(op, error);
    throw;
  } catch (const ShapeError& error) {
    rename(op, error);
    throw;
  } catch (const Error& error) {
    rename(op, error);
    throw;
  }
}

// f(self, others…), an op of its own, written over self. Its rule is that op's, about a copy of
// self that keeps the old value. `given` are the op's other arguments, for observers.
template <class F, class Given, class... Others>
Tensor& overwritten(const char* op, Tensor& self, F f, Given given, const Others&... others) {
  detail::check_target(op, self);
  (check_defined(op, others), ...);
  const bool recorded = taping() && (self.requires_grad() || ... || others.requires_grad());
  if (recorded) detail::check_in_place(op, self);
  const auto change = [&](NDArray& x) {
    const Unobserved silence;
    const Tensor result =
        in_the_name_of(op, [&] { return f(recorded ? self.clone() : self.detach(), others...); });
    core::copy_(x, result.array(), op);
    if (recorded) detail::replace_history(self, Ref<Node>::share(result.node()));
  };
  return record_in_place(op, self, change, with(self, others...), given);
}
Tensor& overwritten(const char* op, Tensor& self, Tensor (*f)(const Tensor&)) {
  return overwritten(op, self, f, with());
}

// judge(self), which is Bool, as 0 and 1 written over self, whose gradient is zero.
template <class Judge, class Given>
Tensor& judged_by(const char* op, Tensor& self, Judge judge, Given given) {
  return record_in_place(
      op, self,
      [&](NDArray& x) { core::copy_(x, in_the_name_of(op, [&] { return judge(x); }), op); },
      wrt(self, [](const Tensor& g) { return zeros_like(g); }), given);
}
Tensor& judged(const char* op, Tensor& self, NDArray (*judge)(const NDArray&, const NDArray&),
               const Tensor& other) {
  check_defined(op, self, other);
  return judged_by(
      op, self, [&](const NDArray& x) { return judge(x, other.array()); }, with(other));
}
Tensor& judged(const char* op, Tensor& self, NDArray (*judge)(const NDArray&, Scalar),
               Scalar other) {
  return judged_by(
      op, self, [&](const NDArray& x) { return judge(x, other); }, args(other));
}

// Has whoever saved x notice that it is another now.
void tell_savers(const char* op, const NDArray& x) {
  ++x.storage()->version;
  x.storage()->writer = op;
}

// Gives all handles of self the array and the history of f(self), a view of the same memory.
template <class F, class Given>
Tensor& viewed(const char* op, Tensor& self, F f, Given given) {
  detail::check_target(op, self);
  const std::string without(op, std::strlen(op) - 1);
  if (self.requires_grad() && self.is_leaf())
    fail<GraphError>(op, ": a leaf and its gradient have one shape, which stays; use ", without,
                     ", which makes a new tensor");
  if (self.requires_grad() && !taping())
    fail<GraphError>(op, ": the history of this tensor, ", self.shape(),
                     ", would miss its new shape while nothing is recorded; use ", without,
                     ", or detach() first");
  return record_in_place(
      op, self,
      [&](NDArray& x) {
        const Unobserved silence;
        const Tensor view = in_the_name_of(op, [&] { return f(self); });
        if (view.requires_grad()) detail::replace_history(self, Ref<Node>::share(view.node()));
        x = view.array();
        tell_savers(op, x);
      },
      with(self), given);
}

}  // namespace

Tensor& Tensor::add_(const Tensor& other, Scalar alpha) {
  check_defined("add_", other);
  return record_in_place(
      "add_", *this, [&](NDArray& x) { core::add_(x, other.array(), alpha); },
      wrt(*this, [](const Tensor& g) { return g; }),
      wrt(other, [s = other.shape(), alpha](const Tensor& g) {
        return sum_to(alpha.real() == 1 ? g : g * alpha, s);
      }));
}
Tensor& Tensor::add_(Scalar other) {
  return record_in_place(
      "add_", *this, [&](NDArray& x) { core::add_(x, other); },
      wrt(*this, [](const Tensor& g) { return g; }), args(other));
}

Tensor& Tensor::sub_(const Tensor& other, Scalar alpha) {
  check_defined("sub_", other);
  return record_in_place(
      "sub_", *this,
      [&](NDArray& x) {
        if (alpha.real() == 1) return core::sub_(x, other.array());
        core::add_(x, other.array(), negated(x, alpha), "sub_");
      },
      wrt(*this, [](const Tensor& g) { return g; }),
      wrt(other, [s = other.shape(), alpha](const Tensor& g) { return sum_to(g * -alpha, s); }));
}
Tensor& Tensor::sub_(Scalar other) {
  return record_in_place(
      "sub_", *this, [&](NDArray& x) { core::add_(x, negated(x, other), "sub_"); },
      wrt(*this, [](const Tensor& g) { return g; }), args(other));
}

// y = x b  gives  dx = b g  and  db = x g.
Tensor& Tensor::mul_(const Tensor& other) {
  check_defined("mul_", other);
  return record_in_place(
      "mul_", *this, [&](NDArray& x) { core::mul_(x, other.array()); },
      wrt(*this, [b = saved(other)](const Tensor& g) { return g * b(); }),
      wrt(other, [x = saved(before(*this, other)), s = other.shape()](const Tensor& g) {
        return sum_to(g * x(), s);
      }));
}
Tensor& Tensor::mul_(Scalar other) {
  return record_in_place(
      "mul_", *this, [&](NDArray& x) { core::mul_(x, other); },
      wrt(*this, [other](const Tensor& g) { return g * other; }), args(other));
}

// y = x / b  gives  dx = g / b  and  db = -g x / b^2.
Tensor& Tensor::div_(const Tensor& other) {
  check_defined("div_", other);
  return record_in_place(
      "div_", *this, [&](NDArray& x) { core::div_(x, other.array()); },
      wrt(*this, [b = saved(other)](const Tensor& g) { return g / b(); }),
      wrt(other, [x = saved(before(*this, other)), b = saved(other)](const Tensor& g) {
        return sum_to(-(g * x()) / (b() * b()), b().shape());
      }));
}
Tensor& Tensor::div_(Scalar other) {
  return record_in_place(
      "div_", *this, [&](NDArray& x) { core::div_(x, other); },
      wrt(*this, [other](const Tensor& g) { return g / other; }), args(other));
}

// Nothing of the old value is left, so its gradient is zero.
Tensor& Tensor::copy_(const Tensor& source) {
  check_defined("copy_", source);
  return record_in_place(
      "copy_", *this, [&](NDArray& x) { core::copy_(x, source.array()); },
      wrt(*this, [](const Tensor& g) { return zeros_like(g); }),
      wrt(source, [s = source.shape(), d = source.dtype()](const Tensor& g) {
        return sum_to(g, s).to(d);
      }));
}
Tensor& Tensor::fill_(Scalar value) {
  return record_in_place(
      "fill_", *this, [&](NDArray& x) { core::fill_(x, value); },
      wrt(*this, [](const Tensor& g) { return zeros_like(g); }), args(value));
}
Tensor& Tensor::zero_() {
  return record_in_place(
      "zero_", *this, [&](NDArray& x) { core::fill_(x, 0, "zero_"); },
      wrt(*this, [](const Tensor& g) { return zeros_like(g); }));
}

// dx = g where the mask is false.
Tensor& Tensor::masked_fill_(const Tensor& mask, Scalar value) {
  check_defined("masked_fill_", mask);
  return record_in_place(
      "masked_fill_", *this, [&](NDArray& x) { core::masked_fill_(x, mask.array(), value); },
      wrt(*this, [mask = saved(mask)](const Tensor& g) { return g.masked_fill(mask(), 0); }),
      with(mask), args(value));
}

// Tensors and what is given beside them.

Tensor& Tensor::masked_scatter_(const Tensor& mask, const Tensor& source) {
  return overwritten(
      "masked_scatter_", *this,
      [](const Tensor& x, const Tensor& m, const Tensor& s) { return x.masked_scatter(m, s); },
      with(), mask, source);
}
Tensor& Tensor::pow_(const Tensor& exponent) {
  return overwritten(
      "pow_", *this, [](const Tensor& x, const Tensor& b) { return x.pow(b); }, with(), exponent);
}
Tensor& Tensor::floor_divide_(const Tensor& other) {
  return overwritten(
      "floor_divide_", *this, [](const Tensor& x, const Tensor& b) { return x.floor_divide(b); },
      with(), other);
}
Tensor& Tensor::remainder_(const Tensor& other) {
  return overwritten(
      "remainder_", *this, [](const Tensor& x, const Tensor& b) { return x.remainder(b); }, with(),
      other);
}
Tensor& Tensor::lerp_(const Tensor& end, const Tensor& weight) {
  return overwritten(
      "lerp_", *this,
      [](const Tensor& x, const Tensor& b, const Tensor& w) { return x.lerp(b, w); }, with(), end,
      weight);
}
Tensor& Tensor::lerp_(const Tensor& end, Scalar weight) {
  return overwritten(
      "lerp_", *this, [&](const Tensor& x, const Tensor& b) { return x.lerp(b, weight); },
      args(weight), end);
}
Tensor& Tensor::addcmul_(const Tensor& a, const Tensor& b, Scalar value) {
  return overwritten(
      "addcmul_", *this,
      [&](const Tensor& x, const Tensor& l, const Tensor& r) { return x.addcmul(l, r, value); },
      args(value), a, b);
}
Tensor& Tensor::addcdiv_(const Tensor& a, const Tensor& b, Scalar value) {
  return overwritten(
      "addcdiv_", *this,
      [&](const Tensor& x, const Tensor& l, const Tensor& r) { return x.addcdiv(l, r, value); },
      args(value), a, b);
}
Tensor& Tensor::addmm_(const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  return overwritten(
      "addmm_", *this,
      [&](const Tensor& x, const Tensor& l, const Tensor& r) { return x.addmm(l, r, beta, alpha); },
      args(beta, alpha), a, b);
}
Tensor& Tensor::baddbmm_(const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  return overwritten(
      "baddbmm_", *this,
      [&](const Tensor& x, const Tensor& l, const Tensor& r) {
        return x.baddbmm(l, r, beta, alpha);
      },
      args(beta, alpha), a, b);
}
Tensor& Tensor::pow_(Scalar exponent) {
  return overwritten(
      "pow_", *this, [&](const Tensor& x) { return x.pow(exponent); }, args(exponent));
}
Tensor& Tensor::floor_divide_(Scalar other) {
  return overwritten(
      "floor_divide_", *this, [&](const Tensor& x) { return x.floor_divide(other); }, args(other));
}
Tensor& Tensor::remainder_(Scalar other) {
  return overwritten(
      "remainder_", *this, [&](const Tensor& x) { return x.remainder(other); }, args(other));
}
Tensor& Tensor::clamp_(std::optional<Scalar> min, std::optional<Scalar> max) {
  return overwritten(
      "clamp_", *this, [&](const Tensor& x) { return x.clamp(min, max); }, args(min, max));
}
Tensor& Tensor::tril_(Index diagonal) {
  return overwritten(
      "tril_", *this, [&](const Tensor& x) { return x.tril(diagonal); }, args(diagonal));
}
Tensor& Tensor::triu_(Index diagonal) {
  return overwritten(
      "triu_", *this, [&](const Tensor& x) { return x.triu(diagonal); }, args(diagonal));
}
// Bool has a sum, but none that is a Bool.
Tensor& Tensor::cumsum_(int d) {
  detail::check_target("cumsum_", *this);
  core::dispatch_numeric("cumsum_", dtype(), []<class T>() {});
  return overwritten(
      "cumsum_", *this, [&](const Tensor& x) { return x.cumsum(d); }, args(d));
}

Tensor& Tensor::eq_(const Tensor& other) { return judged("eq_", *this, core::eq, other); }
Tensor& Tensor::ne_(const Tensor& other) { return judged("ne_", *this, core::ne, other); }
Tensor& Tensor::lt_(const Tensor& other) { return judged("lt_", *this, core::lt, other); }
Tensor& Tensor::le_(const Tensor& other) { return judged("le_", *this, core::le, other); }
Tensor& Tensor::gt_(const Tensor& other) { return judged("gt_", *this, core::gt, other); }
Tensor& Tensor::ge_(const Tensor& other) { return judged("ge_", *this, core::ge, other); }
Tensor& Tensor::eq_(Scalar other) { return judged("eq_", *this, core::eq, other); }
Tensor& Tensor::ne_(Scalar other) { return judged("ne_", *this, core::ne, other); }
Tensor& Tensor::lt_(Scalar other) { return judged("lt_", *this, core::lt, other); }
Tensor& Tensor::le_(Scalar other) { return judged("le_", *this, core::le, other); }
Tensor& Tensor::gt_(Scalar other) { return judged("gt_", *this, core::gt, other); }
Tensor& Tensor::ge_(Scalar other) { return judged("ge_", *this, core::ge, other); }

Tensor& Tensor::logical_not_() {
  return judged_by("logical_not_", *this, core::logical_not, with());
}
Tensor& Tensor::logical_and_(const Tensor& other) {
  return judged("logical_and_", *this, core::logical_and, other);
}
Tensor& Tensor::logical_or_(const Tensor& other) {
  return judged("logical_or_", *this, core::logical_or, other);
}
Tensor& Tensor::logical_xor_(const Tensor& other) {
  return judged("logical_xor_", *this, core::logical_xor, other);
}

// Tensors alone.

Tensor& Tensor::neg_() { return overwritten("neg_", *this, tapehead::neg); }
Tensor& Tensor::abs_() { return overwritten("abs_", *this, tapehead::abs); }
Tensor& Tensor::exp_() { return overwritten("exp_", *this, tapehead::exp); }
Tensor& Tensor::expm1_() { return overwritten("expm1_", *this, tapehead::expm1); }
Tensor& Tensor::log_() { return overwritten("log_", *this, tapehead::log); }
Tensor& Tensor::log1p_() { return overwritten("log1p_", *this, tapehead::log1p); }
Tensor& Tensor::log2_() { return overwritten("log2_", *this, tapehead::log2); }
Tensor& Tensor::log10_() { return overwritten("log10_", *this, tapehead::log10); }
Tensor& Tensor::sqrt_() { return overwritten("sqrt_", *this, tapehead::sqrt); }
Tensor& Tensor::rsqrt_() { return overwritten("rsqrt_", *this, tapehead::rsqrt); }
Tensor& Tensor::sin_() { return overwritten("sin_", *this, tapehead::sin); }
Tensor& Tensor::cos_() { return overwritten("cos_", *this, tapehead::cos); }
Tensor& Tensor::tanh_() { return overwritten("tanh_", *this, tapehead::tanh); }
Tensor& Tensor::sigmoid_() { return overwritten("sigmoid_", *this, tapehead::sigmoid); }
Tensor& Tensor::relu_() { return overwritten("relu_", *this, tapehead::relu); }
Tensor& Tensor::square_() { return overwritten("square_", *this, tapehead::square); }
Tensor& Tensor::reciprocal_() { return overwritten("reciprocal_", *this, tapehead::reciprocal); }
Tensor& Tensor::erf_() { return overwritten("erf_", *this, tapehead::erf); }
Tensor& Tensor::sign_() { return overwritten("sign_", *this, tapehead::sign); }
Tensor& Tensor::floor_() { return overwritten("floor_", *this, tapehead::floor); }
Tensor& Tensor::ceil_() { return overwritten("ceil_", *this, tapehead::ceil); }
Tensor& Tensor::round_() { return overwritten("round_", *this, tapehead::round); }
Tensor& Tensor::trunc_() { return overwritten("trunc_", *this, tapehead::trunc); }

// Views, and what is only about the handle.

Tensor& Tensor::squeeze_() {
  return viewed(
      "squeeze_", *this, [](const Tensor& x) { return x.squeeze(); }, with());
}
Tensor& Tensor::squeeze_(int d) {
  return viewed(
      "squeeze_", *this, [&](const Tensor& x) { return x.squeeze(d); }, args(d));
}
Tensor& Tensor::unsqueeze_(int d) {
  return viewed(
      "unsqueeze_", *this, [&](const Tensor& x) { return x.unsqueeze(d); }, args(d));
}
Tensor& Tensor::transpose_(int d0, int d1) {
  return viewed(
      "transpose_", *this, [&](const Tensor& x) { return x.transpose(d0, d1); }, args(d0, d1));
}
Tensor& Tensor::swapdims_(int d0, int d1) {
  return viewed(
      "swapdims_", *this, [&](const Tensor& x) { return x.swapdims(d0, d1); }, args(d0, d1));
}
Tensor& Tensor::t_() {
  return viewed(
      "t_", *this, [](const Tensor& x) { return x.t(); }, with());
}

Tensor& Tensor::detach_() {
  detail::check_target("detach_", *this);
  if (requires_grad()) tell_savers("detach_", impl_->array);
  impl_->node = {};
  return *this;
}

}  // namespace tapehead
