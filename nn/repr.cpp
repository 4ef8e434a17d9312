// How modules are printed.
#include "repr.h"

#include <ostream>

#include "../core/text.h"
#include "module.h"

namespace tapehead::nn {

std::string detail::python(double value) {
  const std::string text = core::to_text(value);
  return core::to_text(text, text.find_first_of(".en") == std::string::npos ? ".0" : "");
}
std::string detail::python(bool value) { return value ? "True" : "False"; }
std::string detail::python(const core::Shape& shape) {
  return shape.rank() == 1 ? core::to_text("(", shape[0], ",)") : core::to_text(shape);
}

namespace {

std::string indented(const std::string& text) {
  std::string result = "  ";
  for (const char c : text) {
    result += c;
    if (c == '\n') result += "  ";
  }
  return result;
}

}  // namespace

// A module that is all of another prints as that one does.
std::string to_string(const Module& module) {
  if (module.children_.size() == 1 && module.children_[0].name.empty())
    return to_string(*module.children_[0].module);
  const std::string type = module.type_name();
  const Index count = module.num_parameters();
  const std::string comment =
      count == 0 ? "" : core::to_text("  # ", count, count == 1 ? " parameter" : " parameters");
  core::TextStream text;
  text << type.substr(0, type.find('<')) << "(" << module.extra_repr();
  if (module.children_.empty()) {
    text << ")" << comment;
    return text.str();
  }
  text << comment << "\n";
  for (const Module::Child& child : module.children_)
    text << indented(core::to_text("(", child.name, "): ", to_string(*child.module))) << "\n";
  text << ")";
  return text.str();
}

std::ostream& operator<<(std::ostream& out, const Module& module) {
  return out << to_string(module);
}

}  // namespace tapehead::nn
