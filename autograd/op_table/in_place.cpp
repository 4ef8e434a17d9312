// Rows: methods that change a tensor, here a copy of the first input: row-major, transposed and
// with gaps.
#include <array>

#include "shapes.h"

namespace tapehead::op_rows {
namespace {

struct Target {
  std::string text;
  Tensor (*copy)(const Tensor&);
  Sets alone, with_other, with_factors;
};

std::vector<Target> targets() {
  return {
      {"clone(a)",
       [](const Tensor& a) { return clone(a); },
       unary,
       {{{2, 3}, {2, 3}}, {{2, 3}, {3}}, {{2, 3}, {}}, {{}, {}}, {{0, 3}, {1}}, {{1, 1}, {1}}},
       {{{2, 4}, {2, 3}, {3, 4}}, {{1, 1}, {1, 1}, {1, 1}}, {{2, 1}, {2, 0}, {0, 1}}}},
      {"(a * 1).transpose(0, -1)",
       [](const Tensor& a) { return (a * 1).transpose(0, -1); },
       {{{3, 2}}, {{2, 3, 2}}, {{0, 3}}},
       {{{3, 2}, {2, 3}}, {{3, 2}, {3}}, {{3, 0}, {3}}},
       {{{4, 2}, {2, 3}, {3, 4}}}},
      {"(a * 1)[..., 1:4:2]",
       [](const Tensor& a) { return (a * 1).slice(-1, 1, 4, 2); },
       {{{2, 5}}, {{3, 4}}, {{0, 4}}},
       {{{2, 5}, {2, 2}}, {{3, 4}, {2}}, {{0, 4}, {1}}},
       {{{2, 5}, {2, 3}, {3, 2}}}},
  };
}

// Float64 throughout, whose random numbers are others than Float32's.
Tensor seeded(Tensor (*copy)(const Tensor&), const Tensor& x) {
  manual_seed(3);
  return copy(is_floating(x.dtype()) ? x.to(Float64) : x);
}

using Method = Tensor& (Tensor::*)();
struct Named {
  const char* op;
  Method method;
};
constexpr std::array smooth{Named{"neg_", &Tensor::neg_},
                            Named{"abs_", &Tensor::abs_},
                            Named{"exp_", &Tensor::exp_},
                            Named{"expm1_", &Tensor::expm1_},
                            Named{"sin_", &Tensor::sin_},
                            Named{"cos_", &Tensor::cos_},
                            Named{"tanh_", &Tensor::tanh_},
                            Named{"sigmoid_", &Tensor::sigmoid_},
                            Named{"relu_", &Tensor::relu_},
                            Named{"square_", &Tensor::square_},
                            Named{"reciprocal_", &Tensor::reciprocal_},
                            Named{"erf_", &Tensor::erf_}};
constexpr std::array of_positive{Named{"log_", &Tensor::log_},   Named{"log1p_", &Tensor::log1p_},
                                 Named{"log2_", &Tensor::log2_}, Named{"log10_", &Tensor::log10_},
                                 Named{"sqrt_", &Tensor::sqrt_}, Named{"rsqrt_", &Tensor::rsqrt_}};
struct Comparison {
  const char* op;
  Tensor& (Tensor::*method)(const Tensor&);
};
constexpr std::array comparisons{Comparison{"eq_", &Tensor::eq_}, Comparison{"ne_", &Tensor::ne_},
                                 Comparison{"lt_", &Tensor::lt_}, Comparison{"le_", &Tensor::le_},
                                 Comparison{"gt_", &Tensor::gt_}, Comparison{"ge_", &Tensor::ge_}};
constexpr std::array steps{Named{"sign_", &Tensor::sign_}, Named{"floor_", &Tensor::floor_},
                           Named{"ceil_", &Tensor::ceil_}, Named{"round_", &Tensor::round_},
                           Named{"trunc_", &Tensor::trunc_}};

Rows alone(const Target& target) {
  Rows rows;
  const auto copy = target.copy;
  for (const auto& [op, method] : smooth)
    rows.push_back({op, target.text + "." + op + "()", target.alone,
                    [copy, f = method](In x) { return (copy(x[0]).*f)(); }});
  for (const auto& [op, method] : of_positive)
    rows.push_back({op, target.text + "." + op + "()", target.alone,
                    [copy, f = method](In x) { return (copy(x[0]).*f)(); }, /*positive=*/true});
  // No example input times 1.3 is where these jump.
  for (const auto& [op, method] : steps)
    rows.push_back({.op = op,
                    .call = target.text + ".mul_(1.3)." + op + "()",
                    .inputs = target.alone,
                    .f = [copy, f = method](In x) { return (copy(x[0]).mul_(1.3).*f)(); },
                    .forgets_first = true});
  return rows;
}

Rows with_numbers(const Target& target) {
  const auto copy = target.copy;
  const std::string& text = target.text;
  Sets matrices;
  for (const OpRow::Shapes& shapes : target.alone)
    if (shapes[0].rank() >= 2) matrices.push_back(shapes);
  return {
      {"pow_", text + ".pow_(3)", target.alone, [copy](In x) { return copy(x[0]).pow_(3); }},
      {"remainder_", text + ".remainder_(-0.7)", target.alone,
       [copy](In x) { return copy(x[0]).remainder_(-0.7); }},
      {.op = "floor_divide_",
       .call = text + ".mul_(3.1415).div_(0.7, rounding_mode='floor')",
       .inputs = target.alone,
       .f = [copy](In x) { return copy(x[0]).mul_(3.1415).floor_divide_(0.7); },
       .forgets_first = true},
      {"clamp_", text + ".clamp_(-0.71, 0.93)", target.alone,
       [copy](In x) { return copy(x[0]).clamp_(-0.71, 0.93); }},
      {"cumsum_", text + ".cumsum_(-1)", target.alone,
       [copy](In x) { return copy(x[0]).cumsum_(-1); }},
      {"tril_", text + ".tril_()", matrices, [copy](In x) { return copy(x[0]).tril_(); }},
      {"triu_", text + ".triu_(1)", matrices, [copy](In x) { return copy(x[0]).triu_(1); }},
  };
}

Rows with_tensors(const Target& target) {
  const auto copy = target.copy;
  const std::string& text = target.text;
  Sets with_two = target.with_other;
  for (OpRow::Shapes& shapes : with_two) shapes.push_back({});
  return {
      {.op = "pow_",
       .call = text + ".pow_(b)",
       .inputs = target.with_other,
       .f = [copy](In x) { return copy(x[0]).pow_(x[1]); },
       .positive = true},
      {"remainder_", text + ".mul_(3.1415).remainder_(b)", target.with_other,
       [copy](In x) { return copy(x[0]).mul_(3.1415).remainder_(x[1]); }},
      {.op = "floor_divide_",
       .call = text + ".mul_(3.1415).div_(b, rounding_mode='floor') * b",
       .inputs = target.with_other,
       .f = [copy](In x) { return copy(x[0]).mul_(3.1415).floor_divide_(x[1]) * x[1]; },
       .forgets_first = true},
      {"lerp_", text + ".lerp_(b, 0.3)", target.with_other,
       [copy](In x) { return copy(x[0]).lerp_(x[1], 0.3); }},
      {"lerp_", text + ".lerp_(b, c)", with_two,
       [copy](In x) { return copy(x[0]).lerp_(x[1], x[2]); }},
      {"addcmul_", text + ".addcmul_(b, c, value=2.5)", with_two,
       [copy](In x) { return copy(x[0]).addcmul_(x[1], x[2], 2.5); }},
      {"addcdiv_", text + ".addcdiv_(b, c, value=2.5)", with_two,
       [copy](In x) { return copy(x[0]).addcdiv_(x[1], x[2], 2.5); }},
  };
}

Rows products(const Target& target) {
  const auto copy = target.copy;
  Rows rows{{"addmm_", target.text + ".addmm_(b, c, beta=0.5, alpha=2.5)", target.with_factors,
             [copy](In x) { return copy(x[0]).addmm_(x[1], x[2], 0.5, 2.5); }}};
  if (target.text == "clone(a)")
    rows.push_back({"baddbmm_",
                    "clone(a).baddbmm_(b, c, beta=0.5, alpha=2.5)",
                    {{{2, 3, 4}, {2, 3, 2}, {2, 2, 4}}},
                    [](In x) { return clone(x[0]).baddbmm_(x[1], x[2], 0.5, 2.5); }});
  return rows;
}

// Constants, from which no gradient comes. (PyTorch 1.13 forgets that of logical_*_.)
Rows without_gradient(const Target& target) {
  std::string text = target.text;
  text.insert(text.find("(a") + 2, ".detach()");
  const auto copy = [make = target.copy](const Tensor& x) { return make(x.detach()); };
  Rows rows = {
      {"logical_not_", text + ".floor_().logical_not_()", target.alone,
       [copy](In x) { return copy(x[0]).floor_().logical_not_(); }},
      {"logical_and_", text + ".floor_().logical_and_(b > 0)", target.with_other,
       [copy](In x) { return copy(x[0]).floor_().logical_and_(x[1] > 0); }},
      {"logical_or_", text + ".floor_().logical_or_(b > 0)", target.with_other,
       [copy](In x) { return copy(x[0]).floor_().logical_or_(x[1] > 0); }},
      {"logical_xor_", text + ".floor_().logical_xor_(b > 0)", target.with_other,
       [copy](In x) { return copy(x[0]).floor_().logical_xor_(x[1] > 0); }},
  };
  for (const auto& [op, method] : comparisons) {
    const std::string call = std::string(".") + op;
    rows.push_back({op, text + call + "(b)", target.with_other,
                    [copy, f = method](In x) { return (copy(x[0]).*f)(x[1]); }});
    rows.push_back(
        {op, "(t := " + text + ")" + call + "(t.clone())", target.alone, [copy, f = method](In x) {
           Tensor t = copy(x[0]);
           return (t.*f)(t.clone());
         }});
  }
  for (OpRow& row : rows) row.differentiable = false;
  return rows;
}

// Methods that change the shape.
Rows views(const Target& target) {
  const auto copy = target.copy;
  const std::string& text = target.text;
  Sets matrices, some;
  for (const OpRow::Shapes& shapes : target.alone) {
    if (shapes[0].rank() >= 1) some.push_back(shapes);
    if (shapes[0].rank() <= 2) matrices.push_back(shapes);
  }
  return {
      {"squeeze_", text + ".squeeze_()", target.alone,
       [copy](In x) { return copy(x[0]).squeeze_(); }},
      {"squeeze_", text + ".squeeze_(-1)", target.alone,
       [copy](In x) { return copy(x[0]).squeeze_(-1); }},
      {"unsqueeze_", text + ".unsqueeze_(-1)", target.alone,
       [copy](In x) { return copy(x[0]).unsqueeze_(-1); }},
      {"transpose_", text + ".transpose_(0, -1)", some,
       [copy](In x) { return copy(x[0]).transpose_(0, -1); }},
      {"swapdims_", text + ".swapdims_(0, -1)", some,
       [copy](In x) { return copy(x[0]).swapdims_(0, -1); }},
      {"t_", text + ".t_()", matrices, [copy](In x) { return copy(x[0]).t_(); }},
  };
}

Rows onto(const Target& target) {
  const auto& text = target.text;
  const auto &alone = target.alone, &with_other = target.with_other;
  const auto copy = target.copy;
  Rows rows = {
      {"add_", text + ".add_(b)", with_other, [copy](In x) { return copy(x[0]).add_(x[1]); }},
      {"add_", text + ".add_(b, alpha=2.5)", with_other,
       [copy](In x) { return copy(x[0]).add_(x[1], 2.5); }},
      {"add_", text + ".add_(1.5)", alone, [copy](In x) { return copy(x[0]).add_(1.5); }},
      {"sub_", text + ".sub_(b)", with_other, [copy](In x) { return copy(x[0]).sub_(x[1]); }},
      {"sub_", text + ".sub_(b, alpha=2.5)", with_other,
       [copy](In x) { return copy(x[0]).sub_(x[1], 2.5); }},
      {"sub_", text + ".sub_(1.5)", alone, [copy](In x) { return copy(x[0]).sub_(1.5); }},
      {"mul_", text + ".mul_(b)", with_other, [copy](In x) { return copy(x[0]).mul_(x[1]); }},
      {"mul_", text + ".mul_(2.5)", alone, [copy](In x) { return copy(x[0]).mul_(2.5); }},
      {"div_", text + ".div_(b)", with_other, [copy](In x) { return copy(x[0]).div_(x[1]); }},
      {"div_", text + ".div_(2.5)", alone, [copy](In x) { return copy(x[0]).div_(2.5); }},
      {"masked_fill_", "(t := " + text + ").masked_fill_(t < 0.6, -1.5)", alone,
       [copy](In x) {
         Tensor t = copy(x[0]);
         return t.masked_fill_(t < 0.6, -1.5);
       }},
  };
  Rows overwriting = {
      {"copy_", text + ".copy_(b)", with_other, [copy](In x) { return copy(x[0]).copy_(x[1]); }},
      {"fill_", text + ".fill_(1.5)", alone, [copy](In x) { return copy(x[0]).fill_(1.5); }},
      {"zero_", text + ".zero_()", alone, [copy](In x) { return copy(x[0]).zero_(); }},
      {"uniform_", "seeded(Tensor.uniform_, " + text + ", -1, 2)", alone,
       [copy](In x) { return seeded(copy, x[0]).uniform_(-1, 2).to(x[0].dtype()); }},
      {"normal_", "seeded(Tensor.normal_, " + text + ", 1, 0.5)", alone,
       [copy](In x) { return seeded(copy, x[0]).normal_(1, 0.5).to(x[0].dtype()); }},
      {"random_", "seeded(Tensor.random_, " + text + ", -3, 9)", alone,
       [copy](In x) { return seeded(copy, x[0]).random_(-3, 9).to(x[0].dtype()); }},
      {"bernoulli_", "seeded(Tensor.bernoulli_, " + text + ", 0.3)", alone,
       [copy](In x) { return seeded(copy, x[0]).bernoulli_(0.3).to(x[0].dtype()); }},
  };
  for (OpRow& row : overwriting) row.forgets_first = true, rows.push_back(std::move(row));
  return rows;
}

}  // namespace

Rows in_place() {
  Rows all = {{"masked_fill_",
               "clone(a).masked_fill_(every_third(3, 2).mT, -1.5)",
               {{{2, 3}}},
               [](In x) {
                 return clone(x[0]).masked_fill_(mT(every_third({3, 2})), -1.5);
               }},
              {"masked_scatter_",
               "clone(a).masked_scatter_(every_third(3, 2).mT, b)",
               {{{2, 3}, {2}}, {{4, 2, 3}, {3, 3}}},
               [](In x) {
                 return clone(x[0]).masked_scatter_(mT(every_third({3, 2})), x[1]);
               }},
              {.op = "detach_",
               .call = "clone(a).detach_()",
               .inputs = unary,
               .f = [](In x) { return clone(x[0]).detach_(); },
               .differentiable = false}};
  for (const Target& target : targets())
    for (const auto part :
         {onto, alone, with_numbers, with_tensors, products, without_gradient, views})
      for (OpRow& row : part(target)) all.push_back(std::move(row));
  return all;
}

}  // namespace tapehead::op_rows
