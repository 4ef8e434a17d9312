// Every function of one array and of two, with what it is of a double.
#pragma once

#include <cmath>

#include "layouts.h"

namespace tapehead::core {

inline double normal_cdf(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }
inline double normal_pdf(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }
inline double tanh_argument(double x) {
  return std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
}

struct Unary {
  const char* name;
  NDArray (*op)(const NDArray&);
  double (*f)(double);
  double low;
  bool whole;  // Int64 too
};
inline const Unary unary[] = {
    {"neg", neg, [](double x) { return -x; }, -3, true},
    {"abs", core::abs, [](double x) { return std::fabs(x); }, -3, true},
    {"relu", relu, [](double x) { return x > 0 ? x : 0; }, -3, true},
    {"sign", sign, [](double x) { return x > 0   ? 1.0
                                         : x < 0 ? -1.0
                                                 : 0.0; }, -3, true},
    {"floor", core::floor, [](double x) { return std::floor(x); }, -3, true},
    {"ceil", core::ceil, [](double x) { return std::ceil(x); }, -3, true},
    {"round", core::round, [](double x) { return std::nearbyint(x); }, -3, true},
    {"trunc", core::trunc, [](double x) { return std::trunc(x); }, -3, true},
    {"exp", core::exp, [](double x) { return std::exp(x); }, -3, false},
    {"expm1", core::expm1, [](double x) { return std::expm1(x); }, -3, false},
    {"log", core::log, [](double x) { return std::log(x); }, 0.01, false},
    {"log1p", core::log1p, [](double x) { return std::log1p(x); }, -0.9, false},
    {"log2", core::log2, [](double x) { return std::log2(x); }, 0.01, false},
    {"log10", core::log10, [](double x) { return std::log10(x); }, 0.01, false},
    {"sqrt", core::sqrt, [](double x) { return std::sqrt(x); }, 0, false},
    {"rsqrt", rsqrt, [](double x) { return 1 / std::sqrt(x); }, 0.01, false},
    {"sin", core::sin, [](double x) { return std::sin(x); }, -3, false},
    {"cos", core::cos, [](double x) { return std::cos(x); }, -3, false},
    {"tanh", core::tanh, [](double x) { return std::tanh(x); }, -3, false},
    {"sigmoid", sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -3, false},
    {"silu", silu, [](double x) { return x / (1 + std::exp(-x)); }, -3, false},
    {"erf", core::erf, [](double x) { return std::erf(x); }, -3, false},
    {"gelu", gelu, [](double x) { return x * normal_cdf(x); }, -3, false},
    {"gelu_tanh", gelu_tanh, [](double x) { return x / 2 * (1 + std::tanh(tanh_argument(x))); }, -3,
     false},
};

struct Binary {
  const char* name;
  NDArray (*op)(const NDArray&, const NDArray&);
  double (*f)(double, double);
  double low;
  bool whole;
};
inline const Binary binary[] = {
    {"add", add, [](double x, double y) { return x + y; }, -3, true},
    {"sub", sub, [](double x, double y) { return x - y; }, -3, true},
    {"mul", mul, [](double x, double y) { return x * y; }, -3, true},
    {"div", div, [](double x, double y) { return x / y; }, 0.5, false},
    {"pow", core::pow, [](double x, double y) { return std::pow(x, y); }, 0.1, true},
    {"maximum", maximum, [](double x, double y) { return std::fmax(x, y); }, -3, true},
    {"minimum", minimum, [](double x, double y) { return std::fmin(x, y); }, -3, true},
    {"relu_backward", relu_backward, [](double g, double y) { return y > 0 ? g : 0; }, -3, true},
    {"tanh_backward", tanh_backward, [](double g, double y) { return g * (1 - y * y); }, -3, false},
    {"sigmoid_backward", sigmoid_backward, [](double g, double y) { return g * y * (1 - y); }, -3,
     false},
    {"silu_backward", silu_backward,
     [](double g, double x) {
       const double s = 1 / (1 + std::exp(-x));
       return g * s * (1 + x * (1 - s));
     },
     -3, false},
    {"floor_divide", floor_divide, [](double x, double y) { return std::floor(x / y); }, 0.5,
     false},
    {"remainder", core::remainder, [](double x, double y) { return x - y * std::floor(x / y); },
     0.5, false},
    {"gelu_backward", gelu_backward,
     [](double g, double x) { return g * (normal_cdf(x) + x * normal_pdf(x)); }, -3, false},
    {"gelu_tanh_backward", gelu_tanh_backward,
     [](double g, double x) {
       const double t = std::tanh(tanh_argument(x));
       const double du = std::sqrt(2 / std::acos(-1.0)) * (1 + 3 * 0.044715 * x * x);
       return g * ((1 + t) / 2 + x / 2 * (1 - t * t) * du);
     },
     -3, false},
};

}  // namespace tapehead::core
