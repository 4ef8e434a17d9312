// Random numbers, the same ones as PyTorch's CPU generator for the same seed and calls.
//
//   Generator random(0);
//   rand(random, {3}, DType::Float32)   // 0.4963, 0.7682, 0.0885
//
// mt19937; a float takes 24 bits of one 32-bit draw, a double 53 bits of two.
#pragma once

#include <array>
#include <mutex>
#include <optional>

#include "ndarray.h"

namespace tapehead::core {

/// The state of one stream. Not to be used by two threads at once.
class Generator {
 public:
  explicit Generator(std::uint64_t seed = default_seed);

  /// Starts again, as torch.manual_seed(seed) does.
  void manual_seed(std::uint64_t seed);
  std::uint64_t seed() const { return seed_; }

  std::uint32_t random();
  std::uint64_t random64();  // the first draw is the high half
  /// Uniform in [0, 1).
  float uniform_float();
  double uniform_double();
  /// Normal, mean 0 and deviation 1, as PyTorch draws them one at a time (Box and Muller; the
  /// second of each pair is kept for the next call).
  float normal_float();
  double normal_double();

  /// Everything that decides what comes next, as text, and back. Error if it is not such a text.
  std::string state() const;
  void set_state(const std::string& state);

  static constexpr std::uint64_t default_seed = 67280421310721;

 private:
  void refill();

  std::uint64_t seed_ = 0;
  std::array<std::uint32_t, 624> words_{};
  std::size_t next_ = 624;
  std::optional<float> spare_float_;
  std::optional<double> spare_double_;
};

/// The process's own generator, and the lock that whoever draws from it holds meanwhile.
Generator& default_generator();
std::mutex& default_generator_mutex();

// Each consumes the generator exactly as the PyTorch function of that name does.

NDArray rand(Generator& generator, const Shape& shape, DType dtype);
/// Normal numbers; float32 arrays of 16 or more agree with PyTorch's to 4 ulp, all others exactly.
NDArray randn(Generator& generator, const Shape& shape, DType dtype);
/// Whole numbers in [low, high).
NDArray randint(Generator& generator, Index low, Index high, const Shape& shape, DType dtype);
/// 0 … n-1 in random order.
NDArray randperm(Generator& generator, Index n);
/// 1 with probability p, else 0.
NDArray bernoulli(Generator& generator, double p, const Shape& shape, DType dtype);

// In place, for initialisers: Tensor.uniform_ and Tensor.normal_.
void uniform_(Generator& generator, NDArray& target, double from, double to);
void normal_(Generator& generator, NDArray& target, double mean, double std);

}  // namespace tapehead::core
