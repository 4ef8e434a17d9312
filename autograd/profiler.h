// Profiler: where time, memory and arithmetic go, by op and by module, forward and backward.
//
//   Profiler profiler;
//   model(x).sum().backward();
//   std::cout << profiler;                             // tables
//   std::ofstream("trace.json") << profiler.trace();   // for chrome://tracing or ui.perfetto.dev
//
// Time is wall-clock time within the op, its kernel and its node. A rule's time counts as backward
// time of its op, the ops that it runs included. Bytes are what results take that share no memory
// with an input: what was allocated, not what was alive at once.
//
// FLOPs are counted by formula, a multiplication and an addition as two. With n elements in the
// result and N in the first input:
//   matmul, linear, addmm_          2 per multiplication, plus n for what is added
//   attention                       4 d per score for the two products, 5 per score for softmax
//   softmax, log_softmax, logsumexp 5 N       (maximum, difference, exp, sum, quotient)
//   layer_norm, rms_norm            8 N
//   cross_entropy                   5 N
//   gelu                            8 n       and other functions of an element, arithmetic: n
//   sums, means, products, extrema  N         and var: 4 N
//   scatter_add, index_add          1 for each element added
//   what only moves, draws or compares, and whole numbers: 0
// A rule costs what its ops cost; one that runs a kernel of its own, 2.5 times its op's count for
// attention (five products for two) and twice for others.
#pragma once

#include <chrono>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <unordered_map>

#include "observer.h"

namespace tapehead {

/// FLOPs of one op, as the table above has them.
double flops(const OpCall& call, const Tensor& result);

/// Of its own thread. What backward rules run for ops from before it began counts as outside any
/// module. Keeps an event for each op, for trace().
class Profiler : public Observer {
 public:
  /// What calls came to, all in all; FLOPs as the table above counts them.
  struct Sums {
    std::uint64_t calls = 0;
    double seconds = 0, bytes = 0, flops = 0;
  };
  /// One op or module. Of a module forward.calls are its own, backward.calls those of the rules of
  /// its ops.
  struct Row {
    std::string name;  // of the op, or the path of the module
    Sums forward, backward;

    /// Both passes together.
    double seconds() const { return forward.seconds + backward.seconds; }
  };

  /// Most time first.
  std::vector<Row> ops() const;
  /// The same by module, each with all that is within it. "" is everything.
  std::vector<Row> modules() const;
  /// All events, as JSON in Chrome's trace event format.
  std::string trace() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Event {
    std::string name;
    std::string path;
    const char* category;  // "forward", "backward", "module"
    Shape shape;
    Clock::time_point begin, end;
  };
  struct Open {  // an op, rule or module that runs
    const void* what;
    Clock::time_point begin;
    const Node* rule = nullptr;  // null for an op or a module
    // Of a rule: what its ops cost, and the memory that they or its gradient brought; what a kernel
    // of its own has made is in none of that.
    Sums sums = {};
    std::vector<const core::Storage*> known = {};
    bool own_kernel = false;
  };
  struct Recorded {  // which op made a node, and what it cost
    std::uint64_t node_number;
    std::string path;
    double flops;
  };

  void before(const OpCall& call) override;
  void after(const OpCall& call, const Tensor& result) override;
  void before_rule(const Node& node, const Tensor& gradient) override;
  void gradient(const Tensor& gradient) override;
  void after_rule(const Node& node) override;
  void enter() override;
  void leave(const std::vector<Tensor>& outputs) override;

  std::optional<Open> close(const void* what);
  Open* open_rule();
  void drop_rules();
  std::string path_of(const Node& node) const;
  void note(std::string name, std::string path, const char* category, const Shape& shape,
            Clock::time_point begin, Clock::time_point end);
  void add(const std::string& op, const std::string& path, bool backward, const Sums& sums);

  std::map<std::string, Row> ops_, modules_;
  std::unordered_map<const Node*, Recorded> recorded_;
  std::vector<Open> open_;
  std::vector<Event> events_;
  Clock::time_point start_ = Clock::now();
};

/// Two tables: ops, then modules.
std::ostream& operator<<(std::ostream& out, const Profiler& profiler);

}  // namespace tapehead
