#include <doctest/doctest.h>
#include <tapehead/core/random.h>

#include <bit>
#include <fstream>

#include "golden.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

// Whether log, sin and cos of doubles are those that wrote the goldens.
bool reference_libm() {
#if defined(__GLIBC__) && defined(__x86_64__)
  return __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

// How many representable numbers apart two numbers of one sign are.
template <class T>
Index ulps(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    using Bits = std::conditional_t<std::is_same_v<T, float>, std::int32_t, std::int64_t>;
    if (a == b) return 0;
    return std::abs(Index{std::bit_cast<Bits>(a)} - Index{std::bit_cast<Bits>(b)});
  } else {
    return a == b ? 0 : 1;
  }
}

template <class T>
NDArray read_array(std::istream& in, const Shape& shape, DType dtype) {
  NDArray result = NDArray::empty(shape, dtype);
  std::string word;
  for (Index i = 0; i < result.size() && in >> word; ++i)
    result.mutable_data<T>()[i] = golden::number<T>(word);
  return result;
}

// Makes the call that a line of goldens/core/random.txt describes.
NDArray call(Generator& generator, const std::string& op, DType dtype, const Shape& shape,
             std::istream& in) {
  std::string layout;
  double a = 0, b = 0;
  if (op == "rand") return rand(generator, shape, dtype);
  if (op == "randn") return randn(generator, shape, dtype);
  if (op == "randperm") return randperm(generator, shape[0]);
  if (op == "randint") {
    Index low = 0, high = 0;
    in >> low >> high;
    return randint(generator, low, high, shape, dtype);
  }
  if (op == "bernoulli_each")
    return bernoulli(generator, dtype == DType::Float32 ? read_array<float>(in, shape, dtype)
                                                        : read_array<double>(in, shape, dtype));
  if (op == "bernoulli") {
    in >> a;
    return bernoulli(generator, a, shape, dtype);
  }
  in >> layout >> a;
  NDArray target = golden::laid_out(layout, shape, dtype);
  if (op == "exponential_") return exponential_(generator, target), target;
  if (op == "bernoulli_") return bernoulli_(generator, target, a), target;
  in >> b;
  if (op == "uniform_") return uniform_(generator, target, a, b), target;
  REQUIRE(op == "normal_");
  normal_(generator, target, a, b);
  return target;
}

// Calls f(value) for each element, in row-major order.
template <class T, class F>
void each_value(const T* data, const NDArray& x, int d, F& f) {
  if (d == x.rank()) return f(*data);
  for (Index i = 0; i < x.shape()[d]; ++i) each_value(data + i * x.strides()[d], x, d + 1, f);
}

template <class T>
std::vector<T> values(const NDArray& x) {
  std::vector<T> result;
  const auto add = [&](T value) { result.push_back(value); };
  each_value(x.data<T>(), x, 0, add);
  return result;
}

// One number for very many floats: FNV-1a over their bit patterns.
std::uint64_t digest(const NDArray& x) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const float value : values<float>(x))
    h = (h ^ std::bit_cast<std::uint32_t>(value)) * 0x100000001b3;
  return h;
}

// The largest distance to the values in a golden line; -1 if there are more or fewer of them.
template <class T>
Index worst_ulps(const NDArray& x, std::istream& in) {
  Index worst = 0, n = 0;
  std::string word;
  const auto compare = [&](T value) {
    if (in >> word) ++n, worst = std::max(worst, ulps(value, golden::number<T>(word)));
  };
  each_value(x.data<T>(), x, 0, compare);
  return n == x.size() && !(in >> word) ? worst : -1;
}

}  // namespace

TEST_CASE("every call draws what PyTorch draws, in any order of calls") {
  std::ifstream file(TAPEHEAD_TESTS_DIR "/goldens/core/random.txt");
  REQUIRE(file);
  Generator generator;
  int calls = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::string op, colon;
    in >> op;
    if (op == "seed") {
      std::uint64_t seed = 0;
      in >> seed;
      generator.manual_seed(seed);
      continue;
    }
    const DType dtype = golden::read_dtype(in);
    const Shape shape = golden::read_shape(in);
    if (op == "randn_digest") {
      std::uint64_t expected = 0;
      in >> colon >> expected;
      CHECK(digest(randn(generator, shape, dtype)) == expected);
      continue;
    }
    const NDArray x = call(generator, op, dtype, shape, in);
    in >> colon;
    CAPTURE(line);
    CHECK(colon == ":");
    CHECK(x.shape() == shape);
    CHECK(x.dtype() == dtype);
    const bool exact =
        reference_libm() || (op != "randn" && op != "normal_" && op != "exponential_");
    const Index worst = dispatch(dtype, [&]<class T>() { return worst_ulps<T>(x, in); });
    CHECK(worst >= 0);
    CHECK(worst <= (exact ? 0 : 4));
    ++calls;
  }
  CHECK(calls > 200);
}

TEST_CASE("manual_seed(0); rand({3}) is .4962566, .7682218, .0884774") {
  Generator generator(0);
  CHECK(values<float>(rand(generator, {3}, DType::Float32)) ==
        std::vector{0.4962565899F, 0.7682217956F, 0.0884774327F});
}

TEST_CASE("randperm holds every number once") {
  Generator generator(3);
  std::vector<Index> p = values<Index>(randperm(generator, 1000));
  std::sort(p.begin(), p.end());
  for (Index i = 0; i < 1000; ++i) CHECK(p[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("an array can be filled again through any view, and the write is seen") {
  Generator generator(4);
  NDArray x = NDArray::full({4, 6}, 5, DType::Float32);
  const std::uint32_t before = x.version();
  NDArray column = x.slice(1, 0, 6, 3);
  uniform_(generator, column, 0, 1);
  CHECK(x.version() > before);
  CHECK(std::string(x.writer()) == "uniform_");
  CHECK(values<float>(x)[0] < 1);
  CHECK(values<float>(x)[1] == 5);
  CHECK(values<float>(x)[3] < 1);
}

TEST_CASE("a draw equal to the probability is a 0") {
  Generator a(6), b(6);
  CHECK(bernoulli(b, a.uniform_double(), {1}, DType::Float32).item() == 0);
}

TEST_CASE("random arrays refuse dtypes and numbers that make no sense") {
  Generator generator(0);
  const std::string state = generator.state();
  const auto make = [](DType dtype) { return NDArray::full({2, 1}, 0, dtype); };
  NDArray floats = make(DType::Float32), wide = floats.expand({2, 3}), whole = make(DType::Int64);
  CHECK_THROWS_WITH_AS(rand(generator, {2}, DType::Int64),
                       "rand: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(randn(generator, {2}, DType::Bool),
                       "randn: expected Float32 or Float64, got Bool; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      uniform_(generator, whole, 0, 1),
      "uniform_: expected Float32 or Float64, got Int64; convert with .to(Float32)", DTypeError);
  CHECK_THROWS_WITH_AS(normal_(generator, whole, 0, 1),
                       "normal_: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      bernoulli(generator, whole),
      "bernoulli: expected Float32 or Float64, got Int64; convert with .to(Float32)", DTypeError);
  CHECK_THROWS_WITH_AS(randint(generator, 5, 5, {2}, DType::Int64),
                       "randint: low must be below high, got 5 and 5; high itself is excluded",
                       Error);
  CHECK_THROWS_WITH_AS(randint(generator, 0, 3, {2}, DType::Bool),
                       "randint: Bool does not hold every whole number from 0 to 2; use Int64",
                       DTypeError);
  CHECK_THROWS_WITH_AS(randint(generator, -1, 2, {2}, DType::Bool),
                       "randint: Bool does not hold every whole number from -1 to 1; use Int64",
                       DTypeError);
  CHECK_THROWS_WITH_AS(uniform_(generator, floats, -3e38, 3e38),
                       "uniform_: from must not exceed to, and both and their distance must be "
                       "Float32 numbers, got -3e+38 and 3e+38",
                       Error);
  CHECK_THROWS_WITH_AS(
      randint(generator, 0, 16777218, {2}, DType::Float32),
      "randint: Float32 does not hold every whole number from 0 to 16777217; use Int64",
      DTypeError);
  CHECK_THROWS_WITH_AS(randperm(generator, -1), "randperm: n cannot be negative, got -1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(bernoulli(generator, 1.5, {2}, DType::Float32),
                       "bernoulli: a probability must lie in [0, 1], got 1.5", Error);
  CHECK_THROWS_WITH_AS(bernoulli(generator, NDArray::of({0.5, -1}, {2}, DType::Float64)),
                       "bernoulli: a probability must lie in [0, 1], got -1", Error);
  CHECK_THROWS_WITH_AS(bernoulli_(generator, floats, -0.5),
                       "bernoulli_: a probability must lie in [0, 1], got -0.5", Error);
  CHECK_THROWS_WITH_AS(uniform_(generator, floats, 1, 0),
                       "uniform_: from must not exceed to, and both and their distance must be "
                       "Float32 numbers, got 1 and 0",
                       Error);
  CHECK_THROWS_WITH_AS(uniform_(generator, floats, 0, 1e39),
                       "uniform_: from must not exceed to, and both and their distance must be "
                       "Float32 numbers, got 0 and 1e+39",
                       Error);
  CHECK_THROWS_WITH_AS(normal_(generator, floats, 0, -1),
                       "normal_: std must not be negative, got -1", Error);
  CHECK_THROWS_WITH_AS(
      uniform_(generator, wide, 0, 1),
      "uniform_: elements of the target, of shape (2, 3) and strides (1, 0), share "
      "memory; clone() it first",
      ShapeError);
  CHECK(generator.state() == state);
  CHECK(values<float>(floats) == std::vector{0.0F, 0.0F});
}
