#include "init.h"

#include <cmath>
#include <mutex>

#include "../core/elementwise.h"
#include "../core/random.h"

namespace tapehead::nn::init {
namespace {

struct Fans {
  double in, out;
};
Fans fans(const char* op, const Tensor& tensor) {
  if (tensor.dim() < 2)
    fail<ShapeError>(op, ": expected a weight (fan_out, fan_in, ...), got ", tensor.shape(),
                     "; use uniform_, normal_ or zeros_ for a bias");
  double positions = 1;
  for (int d = 2; d < tensor.dim(); ++d) positions *= static_cast<double>(tensor.size(d));
  return {static_cast<double>(tensor.size(1)) * positions,
          static_cast<double>(tensor.size(0)) * positions};
}

// A uniform distribution of deviation s reaches to sqrt(3) s on either side.
Tensor uniform_of(const Tensor& tensor, double std) {
  const double bound = std::sqrt(3.0) * std;
  return uniform_(tensor, -bound, bound);
}

double kaiming_std(const char* op, const Tensor& tensor, double a, Fan mode,
                   std::string_view nonlinearity) {
  const auto [in, out] = fans(op, tensor);
  return calculate_gain(nonlinearity, a) / std::sqrt(mode == Fan::In ? in : out);
}

double xavier_std(const char* op, const Tensor& tensor, double gain) {
  const auto [in, out] = fans(op, tensor);
  return gain * std::sqrt(2.0 / (in + out));
}

}  // namespace

Tensor uniform_(Tensor tensor, double a, double b) {
  const std::lock_guard lock(core::default_generator_mutex());
  core::uniform_(core::default_generator(), tensor.impl()->array, a, b);
  return tensor;
}
Tensor normal_(Tensor tensor, double mean, double std) {
  const std::lock_guard lock(core::default_generator_mutex());
  core::normal_(core::default_generator(), tensor.impl()->array, mean, std);
  return tensor;
}
Tensor constant_(Tensor tensor, double value) {
  core::fill_(tensor.impl()->array, value);
  return tensor;
}
Tensor zeros_(Tensor tensor) { return constant_(std::move(tensor), 0); }
Tensor ones_(Tensor tensor) { return constant_(std::move(tensor), 1); }

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
  return uniform_of(tensor, xavier_std("xavier_uniform_", tensor, gain));
}
Tensor xavier_normal_(Tensor tensor, double gain) {
  return normal_(tensor, 0, xavier_std("xavier_normal_", tensor, gain));
}
Tensor kaiming_uniform_(Tensor tensor, double a, Fan mode, std::string_view nonlinearity) {
  return uniform_of(tensor, kaiming_std("kaiming_uniform_", tensor, a, mode, nonlinearity));
}
Tensor kaiming_normal_(Tensor tensor, double a, Fan mode, std::string_view nonlinearity) {
  return normal_(tensor, 0, kaiming_std("kaiming_normal_", tensor, a, mode, nonlinearity));
}

}  // namespace tapehead::nn::init
