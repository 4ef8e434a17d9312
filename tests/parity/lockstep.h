// A plan carried out four times at once, step by step: by tapehead, by PyTorch, and twice by
// PyTorch with noise, which says how far rounding alone may take results.
#pragma once

#include <optional>
#include <ostream>

#include "compare.h"
#include "interpreter.h"

namespace parity {

struct Explanation;

struct Outcome {
  enum Kind {
    Kept,       // both agree on the results
    Refused,    // both refuse
    Kink,       // rounding decides what comes out: no comparison is possible
    Explained,  // they differ, for a reason that is known
    Different
  } kind = Kept;
  std::string text = {};             // what differs, or ours and their refusals
  const Explanation* why = nullptr;  // also where both are kept, for a harmless one
};

/// The first step that went differently.
struct Failure {
  Step step;
  std::string text;
};

class Report;

class Lockstep {
 public:
  /// `seed`: of the noise. Every step is counted in `report` and written to `listing`, if given.
  explicit Lockstep(std::uint64_t seed, Report* report = nullptr, std::ostream* listing = nullptr)
      : seed_(seed), report_(report), listing_(listing) {
    restart();
  }

  /// Runs a step with new numbers for its results. Only what is kept leaves a trace.
  Outcome attempt(Step step);
  /// Runs a step of another plan under its own numbers; skips it if a tensor it needs is missing.
  std::optional<Outcome> replay(const Step& step);

  const Plan& plan() const { return plan_; }
  const std::optional<Failure>& failure() const { return failure_; }
  /// Results are numbered from 0 to count() - 1.
  int count() const { return count_; }
  /// PyTorch's value, which ours equals.
  const Reading& see(int number) const { return readings_[static_cast<std::size_t>(number)]; }
  /// How many ops lie between this value and the leaves.
  int depth(int number) const { return depths_[static_cast<std::size_t>(number)]; }

 private:
  void restart();
  Outcome conclude(Step& step);
  void list(const Step& step, const Outcome& outcome) const;
  Outcome run(Step& step);
  Outcome compare_results(const Step& step);
  Outcome compare_everything(const Step& step);
  void note(const Step& step);
  std::vector<Reading> read_noisy(int number) const;
  std::vector<Reading> inputs(const Step& step) const;

  std::uint64_t seed_;
  std::unique_ptr<Interpreter> ours_, theirs_;
  std::vector<std::unique_ptr<Interpreter>> noisy_;
  Report* report_;
  std::ostream* listing_;
  Plan plan_;
  std::optional<Failure> failure_;
  int count_ = 0;
  std::vector<Reading> readings_;
  std::vector<int> depths_;
};

}  // namespace parity
