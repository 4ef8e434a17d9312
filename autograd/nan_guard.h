// NanGuard: says where the first NaN or infinity comes from, forward and backward.
//
//   NanGuard guard;                    // throws NanError there
//   loss = model(x);
//   loss.backward();
//
//   NanGuard guard([](const NanReport& report) { std::cerr << report; });   // or tells, and goes
//   on
//
// Named is who *made* it, not who passed it on: the op with a NaN in its output and none in its
// inputs, or an infinity where its inputs and its other arguments are finite (so that filling with
// -inf is no offence, but a softmax over a row of nothing else is). Backward it is the derivative
// rule that was given a finite gradient and returned another, named by the op of the forward pass
// that it belongs to; none if that op's output has been told of. Each output is read once, so a
// pass takes longer while a guard lives.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>

#include "observer.h"
#include "statistics.h"

namespace tapehead {

/// What a NanGuard has found.
struct NanReport {
  /// What is in a tensor that has part in it.
  struct Operand {
    std::string name;  // "input 0", "output", "gradient"
    Statistics values;
  };

  /// The op; "backward" if backward() was given it; "leaf" if gradients that reach a leaf have
  /// overflowed when they were added up.
  std::string op = {};
  std::string path = {};     // of the module that called it; "" outside any
  std::uint64_t number = 0;  // in the forward pass, from 1; 0 if it ran before the guard began
  bool backward = false;     // whether its derivative rule is to blame
  std::string what = {};     // "made 1 NaN and 0 inf from finite inputs"
  std::vector<Operand> operands = {};
  std::string cause = {};                   // the likely one, and what to do; "" if unknown
  std::vector<std::string> backtrace = {};  // see observers/backtrace.h
};

/// All of it, in a few lines; what is not known is left out.
std::ostream& operator<<(std::ostream& out, const NanReport& report);

/// what() is a NanReport as text.
struct NanError : Error {
  explicit NanError(std::string message) : Error(std::move(message), Located()) {}
};

/// Guards its own thread. A forward pass begins with the guard, and with the first op after a
/// backward pass.
class NanGuard : public Observer {
 public:
  NanGuard() = default;
  explicit NanGuard(std::function<void(const NanReport&)> tell) : tell_(std::move(tell)) {}

 private:
  struct Recorded {  // which op made a node
    std::uint64_t node_number;
    std::uint64_t number;
    std::string path;
    bool told = false;  // that its output is not finite
  };
  struct Before {  // what an in-place op is about to change
    const void* call;
    std::vector<NanReport::Operand> operands;
  };
  struct Rule {
    const Node* node;
    Statistics incoming;
    std::optional<NanReport> first = {};  // the first op in it with a result that is not finite
    std::string given = {};               // the op of the forward pass that left it such an input
  };

  void before(const OpCall& call) override;
  void after(const OpCall& call, const Tensor& result) override;
  void before_rule(const Node& node, const Tensor& gradient) override;
  void gradient(const Tensor& gradient) override;
  void after_rule(const Node& node) override;
  void found(const Node& node, const Tensor& gradient) override;

  void count(const Tensor& result);
  void note_left(const OpCall& call, const Tensor& result, bool finite);
  std::string who_left(const OpCall& call) const;
  std::vector<NanReport::Operand> operands_of(const OpCall& call);
  bool judge(NanReport report, const OpCall& call, const Statistics& output);
  const Recorded* recorded(const Node& node) const;
  NanReport about(const Node& node) const;
  void raise(NanReport report);

  std::function<void(const NanReport&)> tell_;
  std::unordered_map<const Node*, Recorded> recorded_;
  // Memory that this forward pass has filled with what is not finite, and which op was the first.
  std::unordered_map<const core::Storage*, std::string> left_;
  std::vector<Before> before_;
  std::vector<Rule> rules_;
  std::uint64_t number_ = 0;
  bool told_ = false;      // anything so far
  bool backward_ = false;  // the last thing seen was part of a backward pass
  bool tainted_ = false;   // this backward pass has seen a gradient that is not finite
};

}  // namespace tapehead
