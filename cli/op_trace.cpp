#include "op_trace.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "../autograd/tape.h"

namespace tapehead::cli {
namespace {

std::string shown(const Dims& dims) {
  std::ostringstream out;
  out << dims;
  return out.str();
}

// `W_q`, `transpose(1, 2)`; the arguments are left out where they are the result's shape.
std::string name_of(const OpCall& call, const Tensor& result) {
  const std::string path = module_path();
  if (!path.empty()) return path.substr(path.find_last_of('.') + 1);
  if (call.arguments.empty() || call.arguments == shown(result.shape())) return call.op;
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

std::string OpTrace::lines() {
  std::ostringstream out;
  for (const Chain& chain : chains_) {
    const char* arrow = "";
    for (const Noted& op : chain)
      out << std::exchange(arrow, " -> ") << op.name << " " << op.result.shape();
    out << "\n" << std::left;
    for (const Noted& op : chain)
      out << "    " << std::setw(18) << op.name << std::setw(18) << shown(op.result.shape())
          << "strides " << std::setw(24) << shown(op.result.strides())
          << (op.result.is_contiguous() ? "contiguous" : "not contiguous")
          << (op.shares ? ", same memory" : "") << "\n";
  }
  chains_.clear();
  return out.str();
}

}  // namespace tapehead::cli
