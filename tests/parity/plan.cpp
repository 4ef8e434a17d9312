#include "plan.h"

#include <sstream>

#include "row.h"
#include "theirs.h"

namespace parity {

Operands operands(const Step& step) {
  Operands all;
  for (const Argument& argument : step.arguments) {
    if (const auto* one = std::get_if<Operand>(&argument)) all.push_back(*one);
    if (const auto* list = std::get_if<Operands>(&argument))
      all.insert(all.end(), list->begin(), list->end());
  }
  return all;
}

std::string torch_name(DType dtype) {
  switch (dtype) {
    case DType::Float32:
      return "float32";
    case DType::Float64:
      return "float64";
    case DType::Int64:
      return "int64";
    default:
      return "bool";
  }
}

namespace {

struct Writer {
  std::ostringstream& out;

  void operator()(std::monostate) const { out << "None"; }
  void operator()(Operand x) const { out << "v" << x.number; }
  void operator()(bool on) const { out << (on ? "True" : "False"); }
  void operator()(Index value) const { out << value; }
  void operator()(double value) const {
    std::ostringstream text;
    text.precision(17);
    text << value;
    out << text.str() << (text.str().find_first_of(".en") == std::string::npos ? ".0" : "");
  }
  void operator()(DType dtype) const { out << "torch." << torch_name(dtype); }
  void operator()(const std::string& text) const { out << "'" << text << "'"; }
  template <class T>
  void operator()(const std::vector<T>& list) const {
    const char* separator = "";
    out << "[";
    for (const T& element : list) out << separator, (*this)(element), separator = ", ";
    out << "]";
  }
};

}  // namespace

std::string to_string(const Argument& argument) {
  std::ostringstream out;
  std::visit(Writer{out}, argument);
  return out.str();
}

std::string to_string(const Step& step) {
  std::ostringstream out;
  for (int i = 0; i < step.results; ++i) out << (i == 0 ? "v" : ", v") << step.first + i;
  const bool registered = step.row->theirs == nullptr;
  out << (step.results > 0 ? " = " : "") << (registered ? "torch.ops.aten." : "") << step.row->name
      << "(";
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    const std::string keyword = registered ? keyword_of(step.row->name, i) : "";
    out << (i == 0 ? "" : ", ") << keyword << (keyword.empty() ? "" : "=")
        << to_string(step.arguments[i]);
  }
  out << ")" << (step.recording ? "" : "  # no_grad");
  return out.str();
}

}  // namespace parity
