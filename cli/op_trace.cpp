#include "op_trace.h"

#include <algorithm>
#include <iomanip>
#include <iterator>

#include "../autograd/tape.h"
#include "../core/text.h"

namespace tapehead::cli {
namespace {

std::string row(const std::string& name, const std::string& shape, const std::string& strides,
                const char* contiguous, const char* memory) {
  core::TextStream out;
  out << "    " << std::left << std::setw(17) << name << ' ' << std::setw(16) << shape << ' '
      << std::setw(21) << strides << ' ' << std::setw(12) << contiguous << memory << "\n";
  return out.str();
}

// `W_q`, `transpose(1, 2)`; the arguments are left out where they are the result's shape.
std::string name_of(const OpCall& call, const Tensor& result) {
  const std::string path = module_path();
  if (!path.empty()) return path.substr(path.find_last_of('.') + 1);
  if (call.arguments.empty() || call.arguments == core::to_text(result.shape())) return call.op;
  return std::string(call.op) + "(" + call.arguments + ")";
}

}  // namespace

// An op whose first input is the end of a chain makes that chain longer.
void OpTrace::after(const OpCall& call, const Tensor& result) {
  const Tensor* const input = call.inputs.empty() ? nullptr : call.inputs.front();
  const bool shares = input != nullptr && result.array().shares_storage_with(input->array());
  const auto continued = std::find_if(chains_.rbegin(), chains_.rend(), [&](const Chain& chain) {
    return input != nullptr && chain.back().result.impl() == input->impl();
  });
  Chain& chain = continued != chains_.rend() ? *continued : chains_.emplace_back();
  chain.push_back({name_of(call, result), result, shares});
}

std::string OpTrace::head() { return row("op", "shape", "strides", "contiguous", "memory"); }

std::string OpTrace::lines(int width) {
  std::string out;
  for (const Chain& chain : chains_) {
    out += links(chain, width);
    for (const Noted& op : chain)
      out += row(op.name, core::to_text(op.result.shape()), core::to_text(op.result.strides()),
                 op.result.is_contiguous() ? "yes" : "no", op.shares ? "shared" : "new");
  }
  chains_.clear();
  return out;
}

// A chain that is wider than allowed goes on in a further line.
std::string OpTrace::links(const Chain& chain, int width) {
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

}  // namespace tapehead::cli
