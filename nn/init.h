// Initialisers: fill a parameter in place, off the tape, as torch.nn.init does, drawing the same
// numbers from the default generator.
//
//   manual_seed(0);
//   init::xavier_uniform_(linear.weight);
#pragma once

#include <optional>
#include <string_view>

#include "../autograd/tensor.h"

namespace tapehead::nn::init {

/// Each returns the tensor it fills. Error for an undefined one.
Tensor uniform_(Tensor tensor, double a = 0, double b = 1);
Tensor normal_(Tensor tensor, double mean = 0, double std = 1);
Tensor constant_(Tensor tensor, double value);
Tensor zeros_(Tensor tensor);
Tensor ones_(Tensor tensor);

/// What keeps the deviation of activations from layer to layer: 1 for "linear" and "sigmoid", 5/3
/// for "tanh", sqrt(2) for "relu", sqrt(2 / (1 + param^2)) for "leaky_relu" (param, its slope, is
/// 0.01 unless given), 3/4 for "selu". Error for other names.
double calculate_gain(std::string_view nonlinearity, std::optional<double> param = {});

/// Weights (fan_out, fan_in, …); ShapeError for fewer than two dimensions.
/// Glorot and Bengio (2010): deviation gain sqrt(2 / (fan_in + fan_out)). Error unless gain >= 0.
Tensor xavier_uniform_(Tensor tensor, double gain = 1);
Tensor xavier_normal_(Tensor tensor, double gain = 1);

enum class Fan { In, Out };
/// He et al. (2015): deviation gain / sqrt(fan), with the gain of `nonlinearity` and slope `a`.
Tensor kaiming_uniform_(Tensor tensor, double a = 0, Fan mode = Fan::In,
                        std::string_view nonlinearity = "leaky_relu");
Tensor kaiming_normal_(Tensor tensor, double a = 0, Fan mode = Fan::In,
                       std::string_view nonlinearity = "leaky_relu");

}  // namespace tapehead::nn::init
