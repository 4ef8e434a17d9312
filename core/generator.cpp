#include "generator.h"

#include <bit>
#include <cmath>
#include <locale>
#include <sstream>

#include "error.h"

namespace tapehead::core {
namespace {

// Box and Muller: two uniform numbers become a distance and an angle, and those two normal ones,
// of which the second is kept. log, sin and cos are the platform's, of doubles for floats too, as
// in PyTorch: another libm may differ in a double's last bit.
template <class T, class Uniform>
T normal(std::optional<T>& spare, Uniform uniform) {
  if (spare) {
    const T kept = *spare;
    spare.reset();
    return kept;
  }
  constexpr T two_pi = static_cast<T>(2) * static_cast<T>(3.14159265358979323846);
  const T u1 = uniform(), u2 = uniform(), angle = two_pi * u1;
  const T radius = static_cast<T>(std::sqrt(-2 * std::log(static_cast<double>(1 - u2))));
  spare = static_cast<T>(radius * std::sin(static_cast<double>(angle)));
  return static_cast<T>(radius * std::cos(static_cast<double>(angle)));
}

// An optional number in a state: its bits, or a dash.
template <class Bits, class T>
void write(std::ostream& out, const std::optional<T>& number) {
  number ? out << ' ' << std::bit_cast<Bits>(*number) : out << " -";
}
template <class Bits, class T>
void read(std::istream& in, std::optional<T>& number) {
  number.reset();
  if ((in >> std::ws).peek() == '-') {
    in.ignore();
  } else if (Bits bits{}; in >> bits) {
    number = std::bit_cast<T>(bits);
  }
}

}  // namespace

void Generator::manual_seed(std::uint64_t seed) {
  seed_ = seed;
  words_[0] = static_cast<std::uint32_t>(seed);
  for (std::uint32_t i = 1; i < words_.size(); ++i)
    words_[i] = 1812433253U * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
  next_ = words_.size();
  spare_float_.reset();
  spare_double_.reset();
}

void Generator::refill() {
  constexpr std::size_t n = 624, ahead = 397;
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t low = words_[i + 1 < n ? i + 1 : 0];
    const std::uint32_t y = (words_[i] & 0x80000000U) | (low & 0x7fffffffU);
    const std::uint32_t far = words_[i + ahead < n ? i + ahead : i + ahead - n];
    words_[i] = far ^ (y >> 1) ^ ((low & 1) * 0x9908b0dfU);
  }
  next_ = 0;
}

float Generator::normal_float() {
  return normal(spare_float_, [this] { return uniform_float(); });
}
double Generator::normal_double() {
  return normal(spare_double_, [this] { return uniform_double(); });
}

std::string Generator::state() const {
  TextStream out;
  out << "mt19937 " << seed_ << ' ' << next_;
  write<std::uint32_t>(out, spare_float_);
  write<std::uint64_t>(out, spare_double_);
  for (const std::uint32_t word : words_) out << ' ' << word;
  return out.str();
}

void Generator::set_state(const std::string& state) {
  std::istringstream in(state);
  in.imbue(std::locale::classic());
  Generator result(0);
  std::string kind;
  in >> kind >> result.seed_ >> result.next_;
  read<std::uint32_t>(in, result.spare_float_);
  read<std::uint64_t>(in, result.spare_double_);
  for (std::uint32_t& word : result.words_) in >> word;
  // Whatever the reading forgave (signs, spaces, more at the end) shows when it is written again.
  if (!in || result.next_ > words_.size() || result.state() != state)
    fail("set_state: expected a text made by state(), got \"", state.substr(0, 40),
         state.size() > 40 ? "…" : "", "\" (", state.size(), " characters)");
  *this = result;
}

Generator& default_generator() {
  static Generator generator;
  return generator;
}

std::mutex& default_generator_mutex() {
  static std::mutex mutex;
  return mutex;
}

}  // namespace tapehead::core
