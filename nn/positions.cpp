#include "positions.h"

#include <cmath>

#include "../autograd/create.h"
#include "init.h"

namespace tapehead::nn {
namespace {

void check_sizes(const char* name, Index max_len, Index d_model) {
  if (max_len < 1 || d_model < 1)
    fail(name, ": expected max_len and d_model of at least 1, got ", max_len, " and ", d_model);
}

Tensor plus_rows(const char* name, const Tensor& x, const Tensor& table, const Tensor& positions) {
  if (x.dim() != 3 || x.size(2) != table.size(1) || x.size(1) > table.size(0))
    fail<ShapeError>(name, ": expected (B, T, ", table.size(1), ") with T up to ", table.size(0),
                     ", got ", x.shape());
  return x + (positions.defined() ? embedding(positions, table)      // (B, T, d_model)
                                  : table.narrow(0, 0, x.size(1)));  // (T, d_model)
}

}  // namespace

Tensor sinusoidal_encoding(Index max_len, Index d_model, DType dtype) {
  check_sizes("sinusoidal_encoding", max_len, d_model);
  return core::dispatch_floating("sinusoidal_encoding", dtype, [&]<class T>() {
    NDArray encoding = NDArray::empty({max_len, d_model}, dtype);
    T* value = encoding.mutable_data<T>("sinusoidal_encoding");
    for (Index t = 0; t < max_len; ++t) {
      for (Index j = 0; j < d_model; ++j) {
        const auto pair = static_cast<double>(j - j % 2);
        const double angle =
            static_cast<double>(t) / std::pow(10000.0, pair / static_cast<double>(d_model));
        *value++ = static_cast<T>(j % 2 == 0 ? std::sin(angle) : std::cos(angle));
      }
    }
    return Tensor(std::move(encoding));
  });
}

SinusoidalPositions::SinusoidalPositions(Index max_len, Index d_model) {
  check_sizes("SinusoidalPositions", max_len, d_model);
  encoding = sinusoidal_encoding(max_len, d_model);
  register_buffer("encoding", encoding, /*persistent=*/false);
}

Tensor SinusoidalPositions::forward(const Tensor& x, const Tensor& positions) {
  return plus_rows("SinusoidalPositions", x, encoding, positions);
}

LearnedPositions::LearnedPositions(Index max_len, Index d_model) {
  check_sizes("LearnedPositions", max_len, d_model);
  weight = Parameter(empty({max_len, d_model}));
  init::normal_(weight);
  add("weight", weight);
}

Tensor LearnedPositions::forward(const Tensor& x, const Tensor& positions) {
  return plus_rows("LearnedPositions", x, weight, positions);
}

}  // namespace tapehead::nn
