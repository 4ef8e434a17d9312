// JacobianCheck: the gradients of all outputs at a point, held column by column against what is
// measured there; next to it where that point is a kink.
#pragma once

#include "comparison.h"
#include "probe.h"

namespace tapehead {

class JacobianCheck {
 public:
  /// `targets`: what columns are about, by name and shape.
  JacobianCheck(Probe& probe, const GradcheckOptions& options,
                std::vector<GradcheckTarget> targets);

  /// Compares how every element of every output changes along a direction, for target t. `name` is
  /// what follows an output's in messages: "by input 0 (1)".
  void column(std::size_t t, const Direction& direction, const std::string& name);
  GradcheckResult finish(Index skipped = 0) { return comparison_.finish(skipped); }

 private:
  struct Row {  // one element of an output, and what backward says that every target does to it
    std::size_t output;
    Index element;
    std::string name;
    std::array<std::vector<NDArray>, 2> gradients;  // without create_graph, with
  };
  // Entries beside a kink, by row; those ahead of it and those behind.
  using Beside = std::array<std::vector<Entry>, 2>;

  std::array<std::vector<NDArray>, 2> gradients(const Tensor& output, Index element) const;
  bool bent(double down, double up) const;
  std::vector<std::size_t> still_bent(const std::vector<std::size_t>& rows,
                                      const Direction& direction, const Slopes& slopes);
  bool between(const Entry& entry, double a, double b) const;
  Beside beside(const std::vector<std::size_t>& rows, const Direction& direction);
  void add_kinked(std::size_t t, const std::vector<std::size_t>& rows, const Direction& direction,
                  const Slopes& slopes, const std::string& name);

  Probe& probe_;
  GradcheckOptions options_;
  std::vector<Row> rows_;
  Comparison comparison_;
};

std::vector<GradcheckTarget> by_name(const std::vector<Target>& targets);

/// "input 0 (1, 2)": element i of something of that shape; the name alone if it has one element.
std::string element_name(const std::string& name, const Shape& shape, Index i);

}  // namespace tapehead
