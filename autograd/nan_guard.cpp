#include "nan_guard.h"

#include <algorithm>
#include <ostream>

#include "observers/backtrace.h"
#include "observers/nan_causes.h"

namespace tapehead {
namespace {

using Operands = std::vector<NanReport::Operand>;

bool is_in_place(const OpCall& call) { return std::string_view(call.op).ends_with('_'); }

// An op whose number is where it is because somebody put it there.
bool fills(const std::string& op) {
  return op == "fill_" || op == "masked_fill" || op == "masked_fill_";
}

Operands read(const OpCall& call) {
  Operands result;
  for (const Tensor* input : call.inputs)
    result.push_back({"input " + std::to_string(result.size()), statistics(input->array())});
  return result;
}

std::string counts(const Statistics& s) {
  return core::to_text(s.nan, " NaN and ", s.inf(), " inf");
}

// From the op on: without the observer's own functions. Where names are missing, all of them.
std::vector<std::string> callers() {
  std::vector<std::string> lines = backtrace_lines();
  const auto own = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.rfind("tapehead::notify_", 0) == 0;
  });
  if (own != lines.end()) lines.erase(lines.begin(), own + 1);
  return lines;
}

// What is called as an op is, but was never run as one.
bool is_part_of_tape(const std::string& op) { return op == "backward" || op == "leaf"; }

bool has_name(const std::string& line) { return line.find("+0x") == std::string::npos; }

}  // namespace

std::ostream& operator<<(std::ostream& out, const NanReport& r) {
  out << r.op << ": " << (r.backward ? "its derivative rule " : "") << r.what;
  if (!is_part_of_tape(r.op)) {
    out << " (";
    if (r.number > 0)
      out << "op " << r.number << " of the forward pass";
    else
      out << "an op from before the guard began";
    if (!r.path.empty()) out << ", in " << r.path;
    out << ")";
  }
  for (const NanReport::Operand& operand : r.operands)
    out << "\n  " << operand.name << ": " << operand.values;
  if (!r.cause.empty()) out << "\nlikely cause: " << r.cause;
  if (r.backtrace.empty()) return out << "\nbacktrace: none on this platform";
  const bool named = std::any_of(r.backtrace.begin(), r.backtrace.end(), has_name);
  out << "\nbacktrace:" << (named ? "" : " (this program has no symbols)");
  for (const std::string& line : r.backtrace) out << "\n  " << line;
  return out;
}

void NanGuard::raise(NanReport report) {
  told_ = true;
  report.backtrace = callers();
  if (!tell_) fail<NanError>(core::to_text(report));
  tell_(report);
}

// What an in-place op is given can only be seen before it runs.
void NanGuard::before(const OpCall& call) {
  if (!is_in_place(call)) return;
  std::erase_if(before_, [&](const Before& b) { return b.call == &call; });  // of one that threw
  before_.push_back({&call, read(call)});
}

Operands NanGuard::operands_of(const OpCall& call) {
  if (!is_in_place(call)) return read(call);
  const auto mine = std::find_if(before_.begin(), before_.end(),
                                 [&](const Before& b) { return b.call == &call; });
  Operands result;
  if (mine == before_.end()) return result;
  result = std::move(mine->operands);
  before_.erase(mine);
  return result;
}

// Numbers the op and notes which node it made.
void NanGuard::count(const Tensor& result) {
  if (std::exchange(backward_, false)) number_ = 0, left_.clear();
  rules_.clear();  // left over from a pass that threw
  ++number_;
  if (const Node* node = result.node()) recorded_[node] = {node->number, number_, module_path()};
}

// What an op has put into new memory ends what was known of it; a view ends nothing.
void NanGuard::note_left(const OpCall& call, const Tensor& result, bool finite) {
  if (finite && left_.empty()) return;
  const core::Storage* storage = result.array().storage();
  const bool shared = std::any_of(call.inputs.begin(), call.inputs.end(),
                                  [&](const Tensor* x) { return x->array().storage() == storage; });
  if (!shared) left_.erase(storage);
  if (!finite)
    left_.try_emplace(storage, core::to_text("op ", number_, " of the forward pass, ", call.op));
}

// Of the first input that is not finite.
std::string NanGuard::who_left(const OpCall& call) const {
  for (const Tensor* input : call.inputs) {
    if (all_finite(input->array())) continue;
    const auto found = left_.find(input->array().storage());
    return found == left_.end() ? "" : found->second;
  }
  return {};
}

void NanGuard::after(const OpCall& call, const Tensor& result) {
  const bool forward = *call.within == '\0', finite = all_finite(result.array());
  if (forward) count(result), note_left(call, result, finite);
  if (!is_in_place(call) && finite) return;
  Operands inputs = operands_of(call);
  if (finite) return;
  const Statistics output = statistics(result.array());
  NanReport report{.op = call.op, .path = module_path(), .number = number_, .operands = inputs};
  report.cause = detail::forward_cause(call, inputs, output);
  if (forward) {
    const bool told = judge(std::move(report), call, output);
    if (const Node* node = result.node()) recorded_[node].told = told;
  } else if (!rules_.empty() && !rules_.back().first) {
    rules_.back().first = std::move(report);
    rules_.back().given = who_left(call);
  }
}

// Tells of it if this op made it, or if it came with an input that no op under this guard has made.
bool NanGuard::judge(NanReport report, const OpCall& call, const Statistics& output) {
  bool nan = false, inf = detail::has_argument(call.arguments, "inf");
  for (const NanReport::Operand& input : report.operands) {
    nan |= input.values.nan > 0;
    inf |= input.values.inf() > 0;
  }
  if (fills(report.op) && detail::has_argument(call.arguments, "nan")) return false;
  if (nan && (told_ || output.nan == 0)) return false;
  if (!nan && output.nan == 0 && inf) return false;
  if (nan) {
    report.what = "was given NaN that no op of this guard has made";
    report.cause = "NaN in the data or the weights";
  } else {
    report.what =
        "made " + counts(output) + (inf ? " from inputs without NaN" : " from finite inputs");
  }
  report.operands.push_back({"output", output});
  raise(std::move(report));
  return true;
}

// Null if the op that made the node ran before this guard began.
const NanGuard::Recorded* NanGuard::recorded(const Node& node) const {
  const auto found = recorded_.find(&node);
  const bool known = found != recorded_.end() && found->second.node_number == node.number;
  return known ? &found->second : nullptr;
}

NanReport NanGuard::about(const Node& node) const {
  NanReport report{.op = node.op, .backward = true};
  if (const Recorded* op = recorded(node)) {
    report.number = op->number;
    report.path = op->path;
  }
  return report;
}

void NanGuard::before_rule(const Node& node, const Tensor& gradient) {
  backward_ = true;
  rules_.push_back({&node, statistics(gradient.array())});
  if (rules_.back().incoming.finite() || std::exchange(tainted_, true)) return;
  NanReport report = about(node);
  report.backward = false;
  report.what =
      "the gradient of its output is not finite, though those that were added up for it "
      "are: they overflowed, or a hook replaced them";
  report.operands.push_back({"gradient", rules_.back().incoming});
  raise(std::move(report));
}

// The first gradient of a pass is the one that backward() starts from.
void NanGuard::gradient(const Tensor& gradient) {
  backward_ = true;
  if (*tape.running == '\0') rules_.clear(), tainted_ = false;
  if (all_finite(gradient.array())) return;
  const bool first = !std::exchange(tainted_, true);
  const Statistics made = statistics(gradient.array());
  if (rules_.empty()) {
    NanReport report{.op = "backward", .what = "was given a gradient that is not finite"};
    report.operands.push_back({"gradient", made});
    if (first) raise(std::move(report));
    return;
  }
  const Rule rule = rules_.back();
  const Recorded* op = recorded(*rule.node);
  if (!rule.incoming.finite() || (op && op->told)) return;
  NanReport report = about(*rule.node);
  report.what = "made " + counts(made) + " from a finite gradient";
  report.operands.push_back({"gradient of its output", rule.incoming});
  if (rule.first)
    for (const NanReport::Operand& operand : rule.first->operands)
      report.operands.push_back(
          {"in the rule, " + rule.first->op + ": " + operand.name, operand.values});
  report.operands.push_back({"gradient of its input", made});
  const detail::RuleEvidence evidence{rule.incoming, rule.first ? &*rule.first : nullptr,
                                      rule.given, op != nullptr};
  report.cause = detail::backward_cause(report.op, evidence);
  raise(std::move(report));
}

// Nothing is told of a sum where it is made.
void NanGuard::found(const Node& node, const Tensor& gradient) {
  if (all_finite(gradient.array()) || std::exchange(tainted_, true)) return;
  NanReport report = about(node);
  report.what =
      "its gradient is not finite, though those that were added up for it are: they overflowed";
  report.backward = false;
  report.operands.push_back({"gradient", statistics(gradient.array())});
  raise(std::move(report));
}

void NanGuard::after_rule(const Node& /*node*/) {
  if (!rules_.empty()) rules_.pop_back();
}

}  // namespace tapehead
