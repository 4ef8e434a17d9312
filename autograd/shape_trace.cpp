#include "shape_trace.h"

#include <algorithm>
#include <iterator>

#include "../core/text.h"

namespace tapehead {
namespace {

std::string row(const std::string& name, const std::string& shape, const std::string& strides,
                const char* contiguous, const char* memory, const std::string& within) {
  std::string line;
  // What is too long for its column takes the next one's blanks.
  const auto cell = [&](std::size_t column, const std::string& text) {
    if (!line.empty()) line += ' ';
    line.resize(std::max(line.size(), column), ' ');
    line += text;
  };
  cell(4, name), cell(22, shape), cell(39, strides), cell(61, contiguous), cell(73, memory);
  if (!within.empty()) cell(81, within);
  return line + "\n";
}

// `transpose(1, 2)`; the arguments are left out where they are the result's shape.
std::string name_of(const OpCall& call, const Tensor& result) {
  if (call.arguments.empty() || call.arguments == core::to_text(result.shape())) return call.op;
  return std::string(call.op) + "(" + call.arguments + ")";
}

std::string where(const OpCall& call) {
  if (call.within == std::string("hook")) return "in a hook";
  if (*call.within) return std::string("backward of ") + call.within;
  const std::string path = module_path();
  return path.empty() ? path : "in " + path;
}

}  // namespace

// A tensor that has gone may leave its address to another, but not with the same memory and shape.
bool ShapeTrace::Noted::is(const Tensor& x) const {
  return tensor == x.impl() && result.shares_storage_with(x.array()) &&
         result.shape() == x.shape() && result.offset() == x.array().offset();
}

// An op whose first input is the end of a chain makes that chain longer.
void ShapeTrace::after(const OpCall& call, const Tensor& result) {
  const Tensor* const input = call.inputs.empty() ? nullptr : call.inputs.front();
  const bool shares = input != nullptr && result.array().shares_storage_with(input->array());
  const auto continued = std::find_if(chains_.rbegin(), chains_.rend(), [&](const Chain& chain) {
    return input != nullptr && chain.back().is(*input);
  });
  Chain& chain = continued != chains_.rend() ? *continued : chains_.emplace_back();
  chain.push_back({name_of(call, result), where(call), result.impl(), result.array(), shares});
  last_chain_ = static_cast<std::size_t>(&chain - chains_.data());
  ++noted_;
}

void ShapeTrace::enter() { calls_.emplace_back(tape.path, noted_); }

// A call that threw is still among the running ones.
void ShapeTrace::leave(const std::vector<Tensor>& /*outputs*/) {
  while (!calls_.empty() && calls_.back().first != tape.path) calls_.pop_back();
  if (calls_.empty()) return;
  const std::size_t before = calls_.back().second;
  calls_.pop_back();
  if (noted_ != before + 1 || chains_.empty() || tape.path->name->empty()) return;
  Noted& only = chains_[last_chain_].back();
  const std::string path = module_path();
  const std::size_t dot = path.find_last_of('.');
  only.name = path.substr(dot == std::string::npos ? 0 : dot + 1);
  only.within = dot == std::string::npos ? "" : "in " + path.substr(0, dot);
}

std::string ShapeTrace::head() { return row("op", "shape", "strides", "contiguous", "memory", ""); }

std::string ShapeTrace::lines(int width) {
  std::string out;
  for (const Chain& chain : chains_) {
    out += links(chain, width);
    for (const Noted& op : chain)
      out += row(op.name, core::to_text(op.result.shape()), core::to_text(op.result.strides()),
                 op.result.is_contiguous() ? "yes" : "no", op.shares ? "shared" : "new", op.within);
  }
  chains_.clear();
  return out;
}

// A chain that is wider than allowed goes on in a further line.
std::string ShapeTrace::links(const Chain& chain, int width) {
  std::string text, line;
  for (const Noted& op : chain) {
    const std::string link = op.name + " " + core::to_text(op.result.shape());
    if (line.empty()) {
      line = link;
    } else if (std::ssize(line) + std::ssize(link) + 4 <= width) {
      line += " -> " + link;
    } else {
      text += line + "\n";
      line = "  -> " + link;
    }
  }
  return text + line + "\n";
}

}  // namespace tapehead
