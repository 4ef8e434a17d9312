#include "init.h"

#include <cmath>
#include <mutex>

#include "../core/elementwise.h"
#include "../core/random.h"

namespace tapehead::nn::init {
namespace {

// The memory to fill.
NDArray& memory(const char* op, const Tensor& tensor) {
  if (!tensor.defined())
    fail(op, ": the tensor is undefined, such as the bias of a layer without one; check defined()");
  return tensor.impl()->array;
}

Tensor fill_uniform(const char* op, const Tensor& tensor, double a, double b) {
  const std::lock_guard lock(core::default_generator_mutex());
  core::uniform_(core::default_generator(), memory(op, tensor), a, b, op);
  return tensor;
}
Tensor fill_normal(const char* op, const Tensor& tensor, double mean, double std) {
  const std::lock_guard lock(core::default_generator_mutex());
  core::normal_(core::default_generator(), memory(op, tensor), mean, std, op);
  return tensor;
}
Tensor fill_constant(const char* op, const Tensor& tensor, double value) {
  core::fill_(memory(op, tensor), value, op);
  return tensor;
}

// A uniform distribution of deviation s reaches to sqrt(3) s on either side.
Tensor fill_uniform(const char* op, const Tensor& tensor, double std) {
  const double bound = std::sqrt(3.0) * std;
  return fill_uniform(op, tensor, -bound, bound);
}

struct Fans {
  double in, out;
};
Fans fans(const char* op, const Tensor& tensor) {
  const NDArray& weight = memory(op, tensor);
  if (weight.rank() < 2)
    fail<ShapeError>(op, ": expected a weight (fan_out, fan_in, ...), got ", weight.shape(),
                     "; use uniform_, normal_ or zeros_ for a bias");
  double positions = 1;
  for (int d = 2; d < weight.rank(); ++d) positions *= static_cast<double>(weight.shape()[d]);
  return {static_cast<double>(weight.shape()[1]) * positions,
          static_cast<double>(weight.shape()[0]) * positions};
}

double kaiming_std(const char* op, const Tensor& tensor, double a, Fan mode,
                   std::string_view nonlinearity) {
  const auto [in, out] = fans(op, tensor);
  return calculate_gain(nonlinearity, a) / std::sqrt(mode == Fan::In ? in : out);
}

double xavier_std(const char* op, const Tensor& tensor, double gain) {
  if (!(gain >= 0)) fail(op, ": gain must be at least 0, got ", gain);
  const auto [in, out] = fans(op, tensor);
  return gain * std::sqrt(2.0 / (in + out));
}

}  // namespace

Tensor uniform_(Tensor tensor, double a, double b) {
  return fill_uniform("uniform_", tensor, a, b);
}
Tensor normal_(Tensor tensor, double mean, double std) {
  return fill_normal("normal_", tensor, mean, std);
}
Tensor constant_(Tensor tensor, double value) { return fill_constant("constant_", tensor, value); }
Tensor zeros_(Tensor tensor) { return fill_constant("zeros_", tensor, 0); }
Tensor ones_(Tensor tensor) { return fill_constant("ones_", tensor, 1); }

double calculate_gain(std::string_view nonlinearity, std::optional<double> param) {
  if (nonlinearity == "linear" || nonlinearity == "sigmoid") return 1;
  if (nonlinearity == "tanh") return 5.0 / 3;
  if (nonlinearity == "relu") return std::sqrt(2.0);
  if (nonlinearity == "leaky_relu") return std::sqrt(2.0 / (1 + std::pow(param.value_or(0.01), 2)));
  if (nonlinearity == "selu") return 3.0 / 4;
  fail("calculate_gain: expected linear, sigmoid, tanh, relu, leaky_relu or selu, got \"",
       nonlinearity, "\"");
}

Tensor xavier_uniform_(Tensor tensor, double gain) {
  constexpr const char* op = "xavier_uniform_";
  return fill_uniform(op, tensor, xavier_std(op, tensor, gain));
}
Tensor xavier_normal_(Tensor tensor, double gain) {
  constexpr const char* op = "xavier_normal_";
  return fill_normal(op, tensor, 0, xavier_std(op, tensor, gain));
}
Tensor kaiming_uniform_(Tensor tensor, double a, Fan mode, std::string_view nonlinearity) {
  constexpr const char* op = "kaiming_uniform_";
  return fill_uniform(op, tensor, kaiming_std(op, tensor, a, mode, nonlinearity));
}
Tensor kaiming_normal_(Tensor tensor, double a, Fan mode, std::string_view nonlinearity) {
  constexpr const char* op = "kaiming_normal_";
  return fill_normal(op, tensor, 0, kaiming_std(op, tensor, a, mode, nonlinearity));
}

}  // namespace tapehead::nn::init
