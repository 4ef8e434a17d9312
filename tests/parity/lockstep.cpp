#include "lockstep.h"

#include <algorithm>

#include "explained.h"
#include "ours.h"
#include "report.h"
#include "row.h"
#include "theirs.h"

namespace parity {

void Lockstep::restart() {
  ours_ = make_ours();
  theirs_ = make_theirs();
  noisy_.clear();
  for (const Noise noise : {Noise::OneWay, Noise::OtherWay})
    noisy_.push_back(make_theirs(noise, seed_));
  for (const Step& step : plan_) {
    ours_->run(step);
    theirs_->run(step);
    for (const auto& noisy : noisy_) noisy->run(step);
  }
}

std::vector<Reading> Lockstep::inputs(const Step& step) const {
  std::vector<Reading> all;
  for (const Operand x : operands(step)) all.push_back(x.number < 0 ? Reading() : see(x.number));
  return all;
}

namespace {

// What the library says to a step, or nothing.
std::optional<std::string> try_run(Interpreter& interpreter, const Step& step, int& results) {
  try {
    results = interpreter.run(step);
    return {};
  } catch (const Refusal& refusal) {
    return refusal.what();
  }
}

Outcome explained_or_not(const Situation& situation, const std::string& text) {
  const Explanation* why = explain(situation);
  if (why == nullptr) return {Outcome::Different, text};
  return {why->harmless ? Outcome::Kept : Outcome::Explained, text, why};
}

}  // namespace

Outcome Lockstep::run(Step& step) {
  int our_results = 0, their_results = 0, noisy_results = 0;
  const auto ours = try_run(*ours_, step, our_results);
  const auto theirs = try_run(*theirs_, step, their_results);
  if (ours && theirs) return {Outcome::Refused, "ours: " + *ours + "\n  theirs: " + *theirs};
  if (ours || theirs)
    return explained_or_not(
        {plan_, step, inputs(step), ours ? &*ours : nullptr, theirs ? &*theirs : nullptr, {}, {}},
        ours ? "only ours refuses: " + *ours : "only theirs refuses: " + *theirs);
  if (our_results != their_results) return {Outcome::Different, "the number of results differs"};
  for (const auto& noisy : noisy_)
    if (try_run(*noisy, step, noisy_results)) return {Outcome::Kink, "refused with noise"};
  step.results = our_results;
  const Outcome results = compare_results(step);
  if (results.kind != Outcome::Kept || step.row->kind != Row::InPlace) return results;
  return compare_everything(step);
}

namespace {

// The first earlier tensor that shares memory with this one, or -1.
int alias_of(const Interpreter& interpreter, const Operands& among, const Reading& reading) {
  for (const Operand x : among)
    if (x.number >= 0 && interpreter.read(x.number).storage == reading.storage) return x.number;
  return -1;
}

}  // namespace

std::vector<Reading> Lockstep::read_noisy(int number) const {
  std::vector<Reading> all;
  for (const auto& noisy : noisy_) all.push_back(noisy->read(number));
  return all;
}

Outcome Lockstep::compare_results(const Step& step) {
  Outcome kept;
  for (int number = step.first; number < step.first + step.results; ++number) {
    const Reading ours = ours_->read(number), theirs = theirs_->read(number);
    const auto differ = [&](const std::string& text) {
      return explained_or_not({plan_, step, inputs(step), nullptr, nullptr, ours, theirs},
                              "v" + std::to_string(number) + ": " + text + "\n  ours:   " +
                                  to_string(ours) + "\n  theirs: " + to_string(theirs));
    };
    const Verdict verdict = compare(ours, theirs, read_noisy(number));
    if (verdict.kind == Verdict::Kink) return {Outcome::Kink};
    if (verdict.kind == Verdict::Different) {
      const Outcome outcome = differ(verdict.text);
      if (outcome.kind != Outcome::Kept) return outcome;
      kept = outcome;
    }
    if (!ours.defined || !theirs.defined || step.row->kind == Row::Control) continue;
    if (ours.requires_grad != theirs.requires_grad) return differ("requires_grad differs");
    if (alias_of(*ours_, operands(step), ours) != alias_of(*theirs_, operands(step), theirs))
      return differ("only one shares memory with an input");
    if (!same_strides(ours, theirs)) return differ("strides differ");
  }
  return kept;
}

// After a change in place: whatever else shows that memory.
Outcome Lockstep::compare_everything(const Step& step) {
  for (int number = 0; number < step.first; ++number) {
    if (!ours_->has(number)) continue;
    const Reading theirs = theirs_->read(number), ours = ours_->read(number);
    const Verdict verdict = compare(ours, theirs, read_noisy(number));
    if (verdict.kind == Verdict::Kink) return {Outcome::Kink};
    if (verdict.kind == Verdict::Different)
      return {Outcome::Different, "v" + std::to_string(number) + " after it: " + verdict.text};
  }
  return {};
}

void Lockstep::note(const Step& step) {
  plan_.push_back(step);
  count_ = std::max(count_, step.first + step.results);
  readings_.resize(static_cast<std::size_t>(count_));
  depths_.resize(static_cast<std::size_t>(count_));
  int depth = 0;
  for (const Operand x : operands(step))
    if (x.number >= 0) depth = std::max(depth, this->depth(x.number));
  const bool counts = step.recording && step.row->kind != Row::Control;
  for (int number = step.first; number < step.first + step.results; ++number)
    depths_[static_cast<std::size_t>(number)] = depth + (counts ? 1 : 0);
  for (int number = 0; number < count_; ++number)
    if (theirs_->has(number) &&
        (number >= step.first || step.row->kind == Row::InPlace || step.row->kind == Row::Control))
      readings_[static_cast<std::size_t>(number)] =
          ours_->read(number).defined ? theirs_->read(number) : Reading();
}

void Lockstep::list(const Step& step, const Outcome& outcome) const {
  static constexpr const char* verdicts[] = {"", "refused by both", "at a kink", "explained",
                                             "DIFFERENT"};
  if (outcome.kind != Outcome::Kept)
    *listing_ << "# " << verdicts[static_cast<int>(outcome.kind)] << ": ";
  *listing_ << to_string(step) << "\n";
  if (outcome.why != nullptr) *listing_ << "#   " << outcome.why->name << "\n";
  if (!outcome.text.empty()) *listing_ << "#   " << outcome.text << "\n";
  if (outcome.kind != Outcome::Kept) return;
  const bool told = step.row == &control("leaf") || step.row == &control("detach");
  for (int number = step.first; number < step.first + step.results && !told; ++number) {
    const std::string ours = to_string(ours_->read(number)),
                      theirs = to_string(theirs_->read(number));
    *listing_ << "#   v" << number << " " << theirs << "\n";
    if (ours != theirs) *listing_ << "#   ours: " << ours << "\n";
  }
}

Outcome Lockstep::conclude(Step& step) {
  const Outcome outcome = run(step);
  if (report_ != nullptr) report_->count(step, inputs(step), outcome);
  if (listing_ != nullptr) list(step, outcome);
  if (outcome.kind == Outcome::Different && !failure_) failure_ = Failure{step, outcome.text};
  if (outcome.kind == Outcome::Kept)
    note(step);
  else
    restart();
  return outcome;
}

Outcome Lockstep::attempt(Step step) {
  step.first = count_;
  return conclude(step);
}

std::optional<Outcome> Lockstep::replay(const Step& step) {
  for (const Operand x : operands(step))
    if (x.number >= 0 && !ours_->has(x.number)) return {};
  Step copy = step;
  return conclude(copy);
}

}  // namespace parity
