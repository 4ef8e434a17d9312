// What a row draws its arguments from: the tensors of the graph, new leaves, numbers.
#pragma once

#include <limits>

#include "lockstep.h"
#include "row.h"
#include "shape_draw.h"

namespace parity {

/// Where elements may lie.
struct Domain {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
};
inline constexpr Domain anywhere{}, positive{0.05}, unit{0.02, 0.98};

class Draw : public ShapeDraw {
 public:
  Draw(Lockstep& graph, Random& numbers);

  /// A copy: every step may change what the graph knows.
  Reading see(Operand x) const { return graph_.see(x.number); }
  Index rank(Operand x) const { return see(x).rank(); }

  // Tensors.

  /// Float32 or Float64 (now and then another dtype if `domain` is anywhere), of the graph or new.
  Operand floating(Domain domain = anywhere);
  /// The same with at least this many dimensions.
  Operand floating_of_rank(Index least, Index most = 8);
  /// Any dtype.
  Operand any();
  /// Int64 or Bool.
  Operand whole();
  Operand boolean();
  /// Of this shape, with the dtype of x (rarely another).
  Operand like(Operand x, const Indices& shape, Domain domain = anywhere);
  /// Bool, broadcasting to shape.
  Operand mask(const Indices& shape);
  /// Int64 in 0..limit-1, rarely beyond.
  Operand index(const Indices& shape, Index limit);
  /// A new leaf in some layout; float leaves mostly require a gradient.
  Operand leaf(const Indices& shape, DType dtype, Domain domain = anywhere);
  Operand leaf_of(const Indices& shape, DType dtype, const Numbers& values, bool requires_grad);
  /// Steps that give one result each: nothing if they are not kept.
  std::optional<Operand> run(const std::string& control_name, const Arguments& arguments,
                             bool recording = true);
  std::optional<Operand> run(const Row& row, const Arguments& arguments, bool recording = true);
  /// A tensor of the graph that fits, mostly a late one.
  template <class Fits>
  std::optional<Operand> find(Fits fits);
  DType dtype() const { return dtype_; }

  // Numbers.

  /// A number, whole or not.
  Argument scalar();
  Argument fraction(double low, double high) { return random.real(low, high); }
  /// A number that tensors of this dtype can meet.
  Argument scalar_for(Operand x);
  Argument flag() { return random.chance(0.5); }

 private:
  bool tame(const Reading& reading);
  Numbers values(std::size_t count, DType dtype, Domain domain);
  std::optional<Operand> in_layout(const Indices& shape, const Numbers& values, DType dtype);
  std::optional<Operand> brought_into(Domain domain);

  Lockstep& graph_;
  DType dtype_;
};

template <class Fits>
std::optional<Operand> Draw::find(Fits fits) {
  std::vector<int> found;
  for (int number = 0; number < graph_.count(); ++number)
    if (graph_.see(number).defined && tame(graph_.see(number)) && fits(graph_.see(number)))
      found.push_back(number);
  if (found.empty()) return {};
  if (random.chance(0.6)) return Operand{found.back()};
  return Operand{random.pick(found)};
}

}  // namespace parity
