// The source of random numbers: the same stream as PyTorch's CPU generator for the same seed.
//
//   Generator generator(0);
//   generator.uniform_float()   // 0.4962566
//
// mt19937; a float takes 24 bits of one 32-bit draw, a double 53 bits of two.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace tapehead::core {

/// The state of one stream. Not to be used by two threads at once.
class Generator {
 public:
  explicit Generator(std::uint64_t seed = default_seed) { manual_seed(seed); }

  /// Starts again, as torch.manual_seed(seed) does: the stream depends on the low 32 bits of the
  /// seed, and normal numbers kept back are forgotten.
  void manual_seed(std::uint64_t seed);
  std::uint64_t seed() const { return seed_; }

  std::uint32_t random() {
    if (next_ == words_.size()) refill();
    std::uint32_t y = words_[next_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
  }
  /// Two draws, the first of which is the high half.
  std::uint64_t random64() {
    const std::uint64_t high = random();
    return (high << 32) | random();
  }

  /// Uniform in [0, 1).
  float uniform_float() { return static_cast<float>(random() & 0xffffffU) * 0x1p-24F; }
  double uniform_double() {
    return static_cast<double>(random64() & ((std::uint64_t{1} << 53) - 1)) * 0x1p-53;
  }

  /// Normal, mean 0 and deviation 1, as PyTorch draws them one at a time (Box and Muller; the
  /// second of each pair is kept for the next call of the same type).
  float normal_float();
  double normal_double();

  /// Everything that decides what comes next, as one line of text, and back. Error if it is not
  /// such a text; nothing has changed then.
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

}  // namespace tapehead::core
