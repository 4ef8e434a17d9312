// Arithmetic. Broadcasting forward is sum_to backward.
#include <cmath>

#include "../../core/elementwise.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

// alpha b, refused in the name of the sum that it is for.
static Tensor scaled(const char* op, const Tensor& b, Scalar alpha) {
  core::dispatch_numeric(op, b.dtype(), [&]<class T>() { alpha.to<T>(op); });
  return mul(b, alpha);
}

// c = a + alpha b  gives  da = g  and  db = alpha g.
Tensor add(const Tensor& a, const Tensor& b, Scalar alpha) {
  check_defined("add", a, b);
  if (alpha.real() != 1) return add(a, scaled("add", b, alpha));
  return record(
      "add", [&] { return core::add(a.array(), b.array()); },
      wrt(a, [s = a.shape()](const Tensor& g) { return sum_to(g, s); }),
      wrt(b, [s = b.shape()](const Tensor& g) { return sum_to(g, s); }));
}
Tensor add(const Tensor& a, Scalar b) {
  check_defined("add", a);
  return record(
      "add", [&] { return core::add(a.array(), b); }, wrt(a, [](const Tensor& g) { return g; }),
      args(b));
}

// c = a - alpha b  gives  da = g  and  db = -alpha g.
Tensor sub(const Tensor& a, const Tensor& b, Scalar alpha) {
  check_defined("sub", a, b);
  if (alpha.real() != 1) return sub(a, scaled("sub", b, alpha));
  return record(
      "sub", [&] { return core::sub(a.array(), b.array()); },
      wrt(a, [s = a.shape()](const Tensor& g) { return sum_to(g, s); }),
      wrt(b, [s = b.shape()](const Tensor& g) { return sum_to(neg(g), s); }));
}
Tensor sub(const Tensor& a, Scalar b) {
  check_defined("sub", a);
  return record(
      "sub", [&] { return core::sub(a.array(), b); }, wrt(a, [](const Tensor& g) { return g; }),
      args(b));
}
Tensor sub(Scalar a, const Tensor& b) {
  check_defined("sub", b);
  return record(
      "sub", [&] { return core::sub(a, b.array()); },
      wrt(b, [](const Tensor& g) { return neg(g); }), args(a));
}

// c = a b  gives  da = b g  and  db = a g.
Tensor mul(const Tensor& a, const Tensor& b) {
  check_defined("mul", a, b);
  return record(
      "mul", [&] { return core::mul(a.array(), b.array()); },
      wrt(a, [b = saved(b), s = a.shape()](const Tensor& g) { return sum_to(g * b(), s); }),
      wrt(b, [a = saved(a), s = b.shape()](const Tensor& g) { return sum_to(g * a(), s); }));
}
Tensor mul(const Tensor& a, Scalar b) {
  check_defined("mul", a);
  return record(
      "mul", [&] { return core::mul(a.array(), b); },
      wrt(a, [b](const Tensor& g) { return g * b; }), args(b));
}

// c = a / b  gives  da = g / b  and  db = -g (a / b) / b: c itself may be changed in place.
Tensor div(const Tensor& a, const Tensor& b) {
  check_defined("div", a, b);
  return record(
      "div", [&] { return core::div(a.array(), b.array()); },
      wrt(a, [b = saved(b), s = a.shape()](const Tensor& g) { return sum_to(g / b(), s); }),
      wrt(b, [a = saved(a), b = saved(b), s = b.shape()](const Tensor& g) {
        return sum_to(neg(g * (a() / b()) / b()), s);
      }));
}
Tensor div(const Tensor& a, Scalar b) {
  check_defined("div", a);
  return record(
      "div", [&] { return core::div(a.array(), b); },
      wrt(a, [b](const Tensor& g) { return g / b; }), args(b));
}
Tensor div(Scalar a, const Tensor& b) {
  check_defined("div", b);
  return record(
      "div", [&] { return core::div(a, b.array()); },
      wrt(b, [a, b = saved(b)](const Tensor& g) { return neg(g * (a / b()) / b()); }), args(a));
}

// c = a^b  gives  da = b a^(b-1) g, 0 where b = 0 (if need be: elsewhere da still depends on b),
//          and    db = c log(a) g,  0 where a = 0 and b >= 0.
Tensor pow(const Tensor& a, const Tensor& b) {
  check_defined("pow", a, b);
  return record(
      "pow", [&] { return core::pow(a.array(), b.array()); },
      wrt(a,
          [a = saved(a), b = saved(b)](const Tensor& g) {
            const Tensor slope = b() * pow(a(), b() - 1);
            const Tensor undecided = logical_and(eq(b(), 0), ne(slope, slope));  // 0 times infinity
            return sum_to(g * masked_fill(slope, undecided, 0), a().shape());
          }),
      wrt(b, [a = saved(a), b = saved(b)](const Tensor& g, const Tensor& c) {
        const Tensor slope = c * log(a());
        return sum_to(g * masked_fill(slope, logical_and(eq(a(), 0), ge(b(), 0)), 0), b().shape());
      }));
}
Tensor pow(const Tensor& a, Scalar b) {
  check_defined("pow", a);
  return record(
      "pow", [&] { return core::pow(a.array(), b); },
      wrt(a,
          [a = saved(a), b](const Tensor& g) {
            if (b.real() == 0) return zeros_like(g);
            return g * (pow(a(), b.real() - 1) * b);
          }),
      args(b));
}
Tensor pow(Scalar a, const Tensor& b) {
  check_defined("pow", b);
  return record(
      "pow", [&] { return core::pow(a, b.array()); },
      wrt(b,
          [a, b = saved(b)](const Tensor& g, const Tensor& c) {
            const Tensor gradient = g * (c * std::log(a.real()));
            return a.real() == 0 ? masked_fill(gradient, ge(b(), 0), 0) : gradient;
          }),
      args(a));
}

// c = a + w (b - a)  gives  da = (1 - w) g,  db = w g  and  dw = (b - a) g.
// From whichever end is nearer, so that both are met.
static NDArray between(const NDArray& a, const NDArray& b, const NDArray& w) {
  const NDArray apart = core::sub(b, a);
  return core::where(core::lt(core::abs(w), 0.5), core::add(a, core::mul(w, apart)),
                     core::sub(b, core::mul(apart, core::sub(1, w))));
}
Tensor lerp(const Tensor& a, const Tensor& b, const Tensor& weight) {
  check_defined("lerp", a, b, weight);
  core::check_floating("lerp", a.dtype());
  core::check_same("lerp", a.dtype(), b.dtype());
  core::check_same("lerp", a.dtype(), weight.dtype());
  return record(
      "lerp", [&] { return between(a.array(), b.array(), weight.array()); },
      wrt(a,
          [w = saved(weight), s = a.shape()](const Tensor& g) { return sum_to(g * (1 - w()), s); }),
      wrt(b, [w = saved(weight), s = b.shape()](const Tensor& g) { return sum_to(g * w(), s); }),
      wrt(weight, [a = saved(a), b = saved(b), s = weight.shape()](const Tensor& g) {
        return sum_to(g * (b() - a()), s);
      }));
}
Tensor lerp(const Tensor& a, const Tensor& b, Scalar weight) {
  check_defined("lerp", a, b);
  core::check_floating("lerp", a.dtype());
  return lerp(a, b, full({}, weight.real(), a.dtype()));
}

// What x + v (a with b) refuses in its own name, before a and b meet.
static void check_with_two(const char* op, const Tensor& x, const Tensor& a, const Tensor& b,
                           Scalar value) {
  check_defined(op, x, a, b);
  core::check_same(op, x.dtype(), a.dtype());
  core::check_same(op, x.dtype(), b.dtype());
  core::dispatch_numeric(op, x.dtype(), [&]<class T>() { value.to<T>(op); });
  core::broadcast(op, x.shape(), core::broadcast(op, a.shape(), b.shape()));
}

// y = x + v a b  gives  dx = g,  da = v b g  and  db = v a g.
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  check_with_two("addcmul", x, a, b, value);
  return record(
      "addcmul",
      [&] { return core::add(x.array(), core::mul(core::mul(a.array(), value), b.array())); },
      wrt(x, [s = x.shape()](const Tensor& g) { return sum_to(g, s); }),
      wrt(a, [b = saved(b), s = a.shape(),
              value](const Tensor& g) { return sum_to(g * (b() * value), s); }),
      wrt(b, [a = saved(a), s = b.shape(),
              value](const Tensor& g) { return sum_to(g * (a() * value), s); }),
      args(value));
}

// y = x + v a / b  gives  dx = g,  da = v / b g  and  db = -v a / b^2 g.
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value) {
  check_with_two("addcdiv", x, a, b, value);
  core::check_floating("addcdiv", x.dtype());
  return record(
      "addcdiv",
      [&] { return core::add(x.array(), core::div(core::mul(a.array(), value), b.array())); },
      wrt(x, [s = x.shape()](const Tensor& g) { return sum_to(g, s); }),
      wrt(a, [b = saved(b), s = a.shape(),
              value](const Tensor& g) { return sum_to(g * (value / b()), s); }),
      wrt(b,
          [a = saved(a), b = saved(b), value](const Tensor& g) {
            return sum_to(neg(g * (a() * value / b()) / b()), b().shape());
          }),
      args(value));
}

Tensor neg(const Tensor& x) {
  check_defined("neg", x);
  return record(
      "neg", [&] { return core::neg(x.array()); }, wrt(x, [](const Tensor& g) { return neg(g); }));
}

}  // namespace tapehead
