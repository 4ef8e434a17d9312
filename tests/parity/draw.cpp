#include "draw.h"

#include <algorithm>
#include <cmath>

namespace parity {

using enum tapehead::DType;

Draw::Draw(Lockstep& graph, Random& numbers)
    : ShapeDraw(numbers), graph_(graph), dtype_(numbers.chance(0.7) ? Float64 : Float32) {}

Argument Draw::scalar() {
  if (random.chance(0.4)) return random.between(-3, 3);
  return std::round(random.real(-3, 3) * 64) / 64;
}

Argument Draw::scalar_for(Operand x) {
  if (!see(x).floating() && !rarely()) return random.between(-3, 3);
  return scalar();
}

bool Draw::tame(const Reading& reading) {
  if (reading.size() > 400) return false;
  return (reading.finite() && reading.largest() < 100) || rarely();
}

Numbers Draw::values(std::size_t count, DType dtype, Domain domain) {
  const double low = std::max(domain.low, std::isinf(domain.low) ? -2 : domain.low),
               high = std::min(domain.high, std::max(low + 2, 2.0));
  const bool quantised = random.chance(0.1);
  Numbers all(count);
  for (double& value : all) {
    if (dtype == Bool)
      value = static_cast<double>(random.below(2));
    else if (dtype == Int64)
      value = static_cast<double>(random.between(-4, 5));
    else
      value = random.real(low, high);
    if (tapehead::is_floating(dtype) && quantised && std::round(value) >= domain.low &&
        std::round(value) <= domain.high)
      value = std::round(value);
    if (dtype == Float32) value = static_cast<double>(static_cast<float>(value));
  }
  return all;
}

std::optional<Operand> Draw::run(const Row& row, const Arguments& arguments, bool recording) {
  Step step{&row, arguments, recording};
  if (graph_.attempt(step).kind != Outcome::Kept) return {};
  return Operand{graph_.plan().back().first};
}
std::optional<Operand> Draw::run(const std::string& name, const Arguments& arguments,
                                 bool recording) {
  return run(control(name), arguments, recording);
}

// Row-major memory, and views of it until the shape is what it should be.
std::optional<Operand> Draw::in_layout(const Indices& shape, const Numbers& some, DType dtype) {
  const Index rank = static_cast<Index>(shape.size());
  const auto base = [&](const Indices& whole) {
    const std::size_t count = count_of(whole);
    Numbers numbers = some;
    for (std::size_t i = numbers.size(); i < count; ++i)
      numbers.push_back(some.empty() ? 0.0 : some[i % some.size()]);
    numbers.resize(count);
    return run("leaf", {whole, dtype, numbers});
  };
  Indices whole = shape;
  if (rank == 0) {
    if (random.chance(0.6)) return base(shape);
    return run(row_of("select.int"), {*base({3}), Index{0}, random.below(3)}, false);
  }
  const std::size_t d = static_cast<std::size_t>(random.below(rank));
  const Index axis = static_cast<Index>(d);
  switch (random.below(8)) {
    case 0: {  // behind others in memory
      whole[0] += 2;
      return run(row_of("narrow"), {*base(whole), Index{0}, Index{1}, shape[0]}, false);
    }
    case 1: {  // gaps
      whole[d] += 2;
      return run(row_of("narrow"), {*base(whole), axis, random.between(0, 2), shape[d]}, false);
    }
    case 2: {  // every second
      whole[d] *= 2;
      const Index start = random.below(2);
      return run(row_of("slice.Tensor"), {*base(whole), axis, start, 2 * shape[d], Index{2}},
                 false);
    }
    case 3: {
      const std::size_t e = static_cast<std::size_t>(random.below(rank));
      std::swap(whole[d], whole[e]);
      return run(row_of("transpose.int"), {*base(whole), axis, static_cast<Index>(e)}, false);
    }
    case 4: {
      const Indices moved = order(rank);
      for (std::size_t i = 0; i < moved.size(); ++i)
        whole[static_cast<std::size_t>(moved[i])] = shape[i];
      return run(row_of("permute"), {*base(whole), moved}, false);
    }
    case 5: {
      whole[d] = 1;
      return run(row_of("expand"), {*base(whole), shape}, false);
    }
    default:
      return base(shape);
  }
}

Operand Draw::leaf_of(const Indices& shape, DType dtype, const Numbers& numbers,
                      bool requires_grad) {
  const Operand x = *in_layout(shape, numbers, dtype);
  // PyTorch 1.13 halves what adds up in the gradient of a leaf that shows an element twice.
  if (!requires_grad || layout_of(see(x)) == Layout::Expanded) return x;
  const Operand leaf = *run("detach", {x});
  run("requires_grad_", {leaf, true});
  return leaf;
}

Operand Draw::leaf(const Indices& shape, DType dtype, Domain domain) {
  const std::size_t count = count_of(shape);
  return leaf_of(shape, dtype, values(count, dtype, domain),
                 tapehead::is_floating(dtype) && random.chance(0.8));
}

// The latest tensor, by way of ops whose results lie in the domain.
std::optional<Operand> Draw::brought_into(Domain domain) {
  const auto x = find([&](const Reading& r) { return r.floating(); });
  if (!x) return {};
  if (domain.high < 2) return run(row_of("sigmoid"), {*x});
  const auto squared = run(row_of("mul.Tensor"), {*x, *x});
  if (!squared) return {};
  return run(row_of("add.Scalar"), {*squared, domain.low + 0.25});
}

Operand Draw::floating(Domain domain) {
  const bool free = std::isinf(domain.low) && std::isinf(domain.high);
  if (free && rarely()) return whole();
  const auto fits = [&](const Reading& r) {
    return r.floating() && r.smallest() >= domain.low &&
           std::all_of(r.values.begin(), r.values.end(),
                       [&](double v) { return v <= domain.high; });
  };
  if (random.chance(0.85))
    if (const auto x = find(fits)) return *x;
  if (!free && random.chance(0.8))
    if (const auto x = brought_into(domain); x && fits(see(*x))) return *x;
  return leaf(shape(), dtype_, domain);
}

Operand Draw::floating_of_rank(Index least, Index most) {
  const auto fits = [&](const Reading& r) {
    return r.floating() && r.rank() >= least && r.rank() <= most;
  };
  if (rarely()) return floating();
  if (random.chance(0.85))
    if (const auto x = find(fits)) return *x;
  return leaf(shape_of_rank(random.between(least, std::min<Index>(most, least + 2))), dtype_);
}

Operand Draw::any() {
  if (random.chance(0.85))
    if (const auto x = find([](const Reading&) { return true; })) return *x;
  return random.chance(0.8) ? leaf(shape(), dtype_) : whole();
}

Operand Draw::whole() {
  if (random.chance(0.4))
    if (const auto x = find([](const Reading& r) { return !r.floating(); })) return *x;
  return leaf(shape(), random.chance(0.7) ? Int64 : Bool);
}

Operand Draw::boolean() {
  if (random.chance(0.6))
    if (const auto x = find([](const Reading& r) { return r.dtype == Bool; })) return *x;
  return leaf(shape(), Bool);
}

Operand Draw::like(Operand x, const Indices& shape, Domain domain) {
  const DType dtype = random.chance(0.005) ? Int64 : see(x).dtype;
  const auto fits = [&](const Reading& r) {
    return r.dtype == dtype && r.shape == shape && r.smallest() >= domain.low &&
           std::all_of(r.values.begin(), r.values.end(),
                       [&](double v) { return v <= domain.high; });
  };
  if (random.chance(0.5))
    if (const auto y = find(fits)) return *y;
  return leaf(shape, dtype, domain);
}

Operand Draw::mask(const Indices& shape) {
  const Indices wanted = broadcastable(shape);
  const auto fits = [&](const Reading& r) { return r.dtype == Bool && r.shape == wanted; };
  if (random.chance(0.5))
    if (const auto x = find(fits)) return *x;
  return leaf(wanted, Bool);
}

Operand Draw::index(const Indices& shape, Index limit) {
  const std::size_t count = count_of(shape);
  const bool beyond = rarely();
  Numbers numbers(count);
  for (double& value : numbers)
    value = static_cast<double>(random.below(std::max<Index>(1, limit + (beyond ? 1 : 0))));
  return leaf_of(shape, Int64, numbers, false);
}

}  // namespace parity
