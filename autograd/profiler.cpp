#include "profiler.h"

#include <algorithm>
#include <iomanip>
#include <ostream>
#include <utility>

#include "../core/text.h"

namespace tapehead {
namespace {

double bytes_of(const Tensor& x) {
  return static_cast<double>(x.numel()) * static_cast<double>(core::size_of(x.dtype()));
}

void operator+=(Profiler::Sums& to, const Profiler::Sums& more) {
  to.calls += more.calls;
  to.seconds += more.seconds;
  to.bytes += more.bytes;
  to.flops += more.flops;
}

std::vector<Profiler::Row> by_time(const std::map<std::string, Profiler::Row>& rows) {
  std::vector<Profiler::Row> result;
  for (const auto& entry : rows) result.push_back(entry.second);
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.seconds() > b.seconds(); });
  return result;
}

// A string as JSON has it.
std::string quoted(const std::string& text) {
  core::TextStream out;
  out << '"';
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out << '\\' << c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out << "\\u" << std::hex << std::setw(4) << std::setfill('0') << static_cast<int>(c);
    else
      out << c;
  }
  out << '"';
  return out.str();
}

double seconds(std::chrono::steady_clock::duration d) {
  return std::chrono::duration<double>(d).count();
}

void write(std::ostream& out, const Profiler::Sums& s) {
  out << std::setw(9) << s.calls << std::setw(10) << s.seconds * 1e3 << std::setw(10)
      << s.bytes / 1e6 << std::setw(10) << s.flops / 1e6;
}

void write(std::ostream& out, const char* title, const std::vector<Profiler::Row>& rows) {
  out << std::left << std::setw(24) << title << std::right;
  for (const char* pass : {"fwd", "bwd"})
    out << " | " << pass << " calls" << std::setw(10) << "ms" << std::setw(10) << "MB"
        << std::setw(10) << "MFLOP";
  out << "\n";
  for (const Profiler::Row& row : rows) {
    out << std::left << std::setw(24) << (row.name.empty() ? "(all)" : row.name) << std::right;
    write(out << " | ", row.forward);
    write(out << " | ", row.backward);
    out << "\n";
  }
}

}  // namespace

std::vector<Profiler::Row> Profiler::ops() const { return by_time(ops_); }
std::vector<Profiler::Row> Profiler::modules() const { return by_time(modules_); }

std::ostream& operator<<(std::ostream& out, const Profiler& profiler) {
  core::TextStream text;
  text << std::fixed << std::setprecision(3);
  write(text, "op", profiler.ops());
  write(text << "\n", "module", profiler.modules());
  return out << text.str();
}

// To the op, to the module and to each around it.
void Profiler::add(const std::string& op, const std::string& path, bool backward,
                   const Sums& sums) {
  const auto to = [&](std::map<std::string, Row>& rows, const std::string& name, Sums more) {
    Row& row = rows[name];
    row.name = name;
    (backward ? row.backward : row.forward) += more;
  };
  to(ops_, op, sums);
  Sums of_module = sums;
  of_module.calls = backward ? sums.calls : 0;  // forward, calls of the module count
  for (std::string at = path;; at.resize(at.find_last_of('.'))) {
    to(modules_, at, of_module);
    if (at.find('.') == std::string::npos) break;
  }
  if (!path.empty()) to(modules_, "", of_module);
}

// Those that have begun after `what` and not ended have thrown.
std::optional<Profiler::Open> Profiler::close(const void* what) {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [&](const Open& open) { return open.what == what; });
  if (found == open_.rend()) return {};
  Open result = std::move(*found);
  open_.erase(found.base() - 1, open_.end());
  return result;
}

Profiler::Open* Profiler::open_rule() {
  const auto found = std::find_if(open_.rbegin(), open_.rend(),
                                  [](const Open& open) { return open.rule != nullptr; });
  return found == open_.rend() ? nullptr : &*found;
}

// The module that ran the op; "" if that was before this profiler began.
std::string Profiler::path_of(const Node& node) const {
  const auto recorded = recorded_.find(&node);
  const bool known = recorded != recorded_.end() && recorded->second.node_number == node.number;
  return known ? recorded->second.path : "";
}

void Profiler::note(std::string name, std::string path, const char* category, const Shape& shape,
                    Clock::time_point begin, Clock::time_point end) {
  events_.push_back({std::move(name), std::move(path), category, shape, begin, end});
}

// Outside rules none can be open, unless it threw.
void Profiler::drop_rules() {
  std::erase_if(open_, [](const Open& open) { return open.rule != nullptr; });
}

void Profiler::before(const OpCall& call) {
  if (!*call.within) drop_rules();
  open_.push_back({&call, Clock::now()});
}

void Profiler::after(const OpCall& call, const Tensor& result) {
  const Clock::time_point end = Clock::now();
  const std::optional<Open> open = close(&call);
  if (!open) return;
  const bool shares = std::any_of(call.inputs.begin(), call.inputs.end(), [&](const Tensor* x) {
    return result.array().shares_storage_with(x->array());
  });
  const Sums sums{1, seconds(end - open->begin), shares ? 0 : bytes_of(result),
                  flops(call, result)};
  Open* const rule = *call.within ? open_rule() : nullptr;
  note(call.op, rule ? path_of(*rule->rule) : module_path(), *call.within ? "backward" : "forward",
       result.shape(), open->begin, end);
  if (rule) {
    rule->sums += sums;
    rule->known.push_back(result.array().storage());
    return;
  }
  add(*call.within ? call.within : call.op, module_path(), *call.within, sums);
  if (const Node* node = result.node()) recorded_[node] = {node->number, module_path(), sums.flops};
}

void Profiler::before_rule(const Node& node, const Tensor& gradient) {
  open_.push_back({&node, Clock::now(), &node, {}, {gradient.array().storage()}});
}

// What neither the rule's ops nor the gradient it was given brought along, its own kernel has made.
void Profiler::gradient(const Tensor& gradient) {
  if (*tape.running == '\0') drop_rules();
  Open* const rule = open_rule();
  if (!rule) return;
  const core::Storage* storage = gradient.array().storage();
  if (std::find(rule->known.begin(), rule->known.end(), storage) != rule->known.end()) return;
  rule->known.push_back(storage);
  rule->own_kernel = true;
  rule->sums.bytes += bytes_of(gradient);
}

void Profiler::after_rule(const Node& node) {
  const Clock::time_point end = Clock::now();
  std::optional<Open> open = close(&node);
  if (!open) return;
  const auto found = recorded_.find(&node);
  const bool known = found != recorded_.end() && found->second.node_number == node.number;
  const std::string op = node.op;
  if (open->own_kernel && known)
    open->sums.flops += found->second.flops * (op == "attention" ? 2.5 : 2);
  open->sums.calls = 1;
  open->sums.seconds = seconds(end - open->begin);
  note(op + " backward", path_of(node), "backward", node.shape, open->begin, end);
  if (Open* around = open_rule())  // of a pass within a rule: that rule's time has it already
    around->sums += open->sums;
  else
    add(op, path_of(node), true, open->sums);
}

void Profiler::enter() { open_.push_back({tape.path, Clock::now()}); }

void Profiler::leave(const std::vector<Tensor>& outputs) {
  const Clock::time_point end = Clock::now();
  const std::optional<Open> open = close(tape.path);
  if (!open) return;
  const std::string path = module_path();
  Row& row = modules_[path];
  row.name = path;
  ++row.forward.calls;
  note(path.substr(path.find_last_of('.') + 1), path, "module",
       outputs.empty() || !outputs[0].defined() ? Shape() : outputs[0].shape(), open->begin, end);
}

std::string Profiler::trace() const {
  core::TextStream out;
  out << std::fixed << std::setprecision(3) << "{\"traceEvents\": [";
  const char* separator = "\n";
  for (const Event& e : events_) {
    out << separator << "{\"name\": " << quoted(e.name.empty() ? "(model)" : e.name)
        << ", \"cat\": \"" << e.category
        << "\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": " << seconds(e.begin - start_) * 1e6
        << ", \"dur\": " << seconds(e.end - e.begin) * 1e6
        << ", \"args\": {\"module\": " << quoted(e.path)
        << ", \"shape\": " << quoted(core::to_text(e.shape)) << "}}";
    separator = ",\n";
  }
  out << "\n]}\n";
  return out.str();
}

}  // namespace tapehead
