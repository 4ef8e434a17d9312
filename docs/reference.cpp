// Prints docs/reference.md: PyTorch's names beside ours. `./go docs` runs it, and a test holds the
// page against it.
//
// It reads the catalogue (autograd/ops.h, create.h, the in-place methods of tensor.h), what
// differentiates (func.h, backward.h, gradcheck.h, tape.h), the table of ops, whose calls are
// PyTorch's, and the differences that docs/parity.md explains. A sentence of a doc comment that
// names PyTorch, other than "as in PyTorch", says what differs.
#include <tapehead/autograd/op_table.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using tapehead::OpRow;

namespace {

struct Function {
  std::string name;
  std::vector<std::string> signatures;
  std::string differences;
  std::string torch = {};  // PyTorch's name, where that of a row won't do
};
struct Section {
  std::string title, remark;
  std::vector<Function> functions;
};

std::string replaced(const std::string& text, const std::string& pattern, const std::string& by) {
  return std::regex_replace(text, std::regex(pattern), by);
}

std::string read(const std::string& path) {
  const std::ifstream file(std::string(TAPEHEAD_SOURCE) + "/" + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// ---- the catalogue
// -------------------------------------------------------------------------------

// The parameters between parentheses, without their types: "x, dim = -1".
std::string names_of(const std::string& parameters) {
  std::vector<std::string> all{""};
  int depth = 0;
  for (const char c : parameters) {
    depth += (c == '<' || c == '{' || c == '(') - (c == '>' || c == '}' || c == ')');
    if (c == ',' && depth == 0)
      all.emplace_back();
    else
      all.back() += c;
  }
  std::string names;
  for (const std::string& parameter : all) {
    std::smatch match;
    if (std::regex_match(parameter, match, std::regex("\\s*.*?(\\w+)( = .*)?\\s*")))
      names.append(names.empty() ? "" : ", ").append(match.str(1)).append(match.str(2));
  }
  return names;
}

// The sentences that say what PyTorch does otherwise.
std::string differences_in(const std::string& comment) {
  std::string found;
  const std::regex sentence("\\S.*?\\.(?= [A-Z`]|$)");
  for (std::sregex_iterator it(comment.begin(), comment.end(), sentence), end; it != end; ++it)
    if (std::regex_search(it->str(), std::regex("PyTorch")) &&
        !std::regex_search(it->str(), std::regex("\\b[Aa]s (in |on )?PyTorch")))
      found.append(found.empty() ? "" : " ").append(it->str());
  return found;
}

// All ways to call a function are one row.
void add(std::vector<Function>& functions, const std::string& name, const std::string& parameters,
         const std::string& comment) {
  auto function = std::find_if(functions.begin(), functions.end(),
                               [&](const Function& other) { return other.name == name; });
  if (function == functions.end()) function = functions.insert(function, {name, {}, "", ""});
  const std::string signature = name + "(" + names_of(parameters) + ")";
  auto& all = function->signatures;
  if (std::find(all.begin(), all.end(), signature) == all.end()) all.push_back(signature);
  const std::string differences = differences_in(comment);
  const bool both = !function->differences.empty() && !differences.empty();
  function->differences.append(both ? " " : "").append(differences);
}

// "Arithmetic (ops/arithmetic.cpp). Tensors broadcast.": a title and a remark.
Section heading(const std::string& comment) {
  const std::string text = replaced(comment, " \\(ops/[^)]*\\)", "");
  const std::size_t end = text.find_first_of(".,:");
  std::string remark = replaced(text.substr(std::min(text.size(), end + 1)), "^ +", "");
  if (!remark.empty()) remark[0] = static_cast<char>(std::toupper(remark[0]));
  return {text.substr(0, end), remark, {}};
}

// Sections are comments between blank lines, at `indent`; functions are what `declaration` matches:
// name, parameters.
std::vector<Section> sections(const std::string& path, const std::string& first,
                              const std::string& indent, const std::string& declaration) {
  // Declarations and comments of several lines become one.
  std::string text = read(path);
  text = text.substr(text.find("\nnamespace tapehead"));
  text = replaced(text, "\ntemplate <[^\n]*>(?=\n)", "");
  text = replaced(text, "\n" + indent + " {4,}(?=[^ /])", " ");
  for (const std::string mark : {"/// ", "// "})
    for (std::string before; before != text;) {
      before = text;
      text = replaced(text, "(\n" + indent + mark + "[^\n]*)\n" + indent + mark, "$1 ");
    }
  std::vector<Section> all{{first, "", {}}};
  std::istringstream lines(text);
  std::string comment, previous;
  const std::regex is_heading("^" + indent + "// (.*)"), is_comment("^" + indent + "/// (.*)"),
      is_declaration("^" + indent + declaration + "(?:;| \\{)\\s*(?:// *(.*))?");
  for (std::string line; std::getline(lines, line); previous = line) {
    std::smatch match;
    if (std::regex_match(line, match, is_declaration))
      add(all.back().functions, match.str(1), match.str(2), comment + match.str(3));
    else if (previous.empty() && std::regex_match(line, match, is_heading))
      all.push_back(heading(match.str(1)));
    comment = std::regex_match(line, match, is_comment) ? match.str(1) : "";
  }
  return all;
}

// ---- PyTorch's names
// -----------------------------------------------------------------------------

std::string linked(const std::string& name, const std::string& page) {
  std::ostringstream link;
  link << "[`" << name << "`](https://pytorch.org/docs/1.13/generated/" << page << ".html)";
  return link.str();
}

// Those that the goldens take from torch.nn.functional.
bool is_functional(const std::string& name) {
  static const std::string script = read("scripts/goldens/autograd.py");
  std::smatch match;
  std::regex_search(script, match, std::regex("getattr\\(F, name\\)\\s*for name in \\(([^)]*)\\)"));
  return std::regex_search(match.str(1), std::regex("\\b" + name + "\\b"));
}

// The function of PyTorch that a row of the table calls, or what it writes instead of a call.
std::string torch_name(const std::string& name) {
  static const std::map<std::string, std::string> others{
      {"sum_to", linked("Tensor.sum_to_size", "torch.Tensor.sum_to_size")},
      {"mT", "`x.mT`"},
      {"rms_norm", "none in 1.13"},
      {"slice", "`x[start:end:step]`"},
      {"index", "`x[indices]`"},
      {"index_put", "`x[indices] = values`, on a copy"},
      {"alias", "`x.view_as(x)`"},
      {"fused_attention", "none in 1.13"},
      {"dropout_mask", "none"},
  };
  if (others.count(name)) return others.at(name);
  if (name.back() == '_') return linked("Tensor." + name, "torch.Tensor." + name);
  if (is_functional(name)) return linked("F." + name, "torch.nn.functional." + name);
  for (const OpRow& row : tapehead::op_table())
    if (row.op == name && std::regex_search(row.call, std::regex("\\." + name + "\\(")))
      return linked("Tensor." + name, "torch.Tensor." + name);
  return linked("torch." + name, "torch." + name);
}

// ---- what differentiates
// -------------------------------------------------------------------------

// A header, how calls of its functions begin here, what they look like, and PyTorch's page of each:
// $ stands for the name.
struct Source {
  const char *header, *prefix, *declaration, *name, *page;
};
constexpr Source sources[] = {
    {"autograd/backward.h", "autograd::", "(?:void|std::vector<Tensor>) (grad|backward)\\((.*)\\)",
     "torch.autograd.$", "generated/torch.autograd.$.html"},
    {"autograd/func.h", "func::",
     "(?:std::pair<Tensors?, Tensors?>|std::vector<Tensors>|Tensor) (\\w+)"
     "\\((const F& .*)\\)",
     "torch.autograd.functional.$", "generated/torch.autograd.functional.$.html"},
    {"autograd/gradcheck.h", "", "GradcheckResult (gradcheck|gradgradcheck)\\((.*)\\)",
     "torch.autograd.$", "autograd.html#torch.autograd.$"},
    {"autograd/tape.h", "", "struct (NoGradGuard|EnableGradGuard)( ): GradMode", "torch.$",
     "generated/torch.$.html"}};

std::string torch_of(const Source& source, const std::string& function) {
  const std::string name = function == "NoGradGuard"       ? "no_grad"
                           : function == "EnableGradGuard" ? "enable_grad"
                                                           : function;
  return "[`" + replaced(source.name, "\\$", name) + "`](https://pytorch.org/docs/1.13/" +
         replaced(source.page, "\\$", name) + ")";
}

// A guard is an object, all else a call.
Section derivatives() {
  Section all{
      "Derivatives",
      "Of functions of tensors, of everything that led to a tensor, and by differences. The "
      "method is `y.backward(gradient, retain_graph, create_graph)`; a gradient collects in "
      "`x.grad()`.",
      {}};
  for (const Source& source : sources)
    for (Section& section : sections(source.header, "", "", source.declaration))
      for (Function& function : section.functions) {
        function.torch = torch_of(source, function.name);
        for (std::string& call : function.signatures)
          call = function.name.ends_with("Guard") ? function.name + " guard" : source.prefix + call;
        all.functions.push_back(std::move(function));
      }
  return all;
}

// The table of docs/parity.md, and what stands below it until it is told what is not drawn.
void print_differences() {
  const std::string page = read("docs/parity.md");
  const std::size_t begin = page.find("| name | reason |"), end = page.find("\nSome calls are not");
  std::cout << "\n## Differences found by ./go parity\n\n"
               "All that 10,000 random graphs leave, run here and in LibTorch. "
               "[parity.md](parity.md) tells how, and what is not drawn.\n\n"
            << page.substr(begin, end - begin);
}

// ---- the page
// ------------------------------------------------------------------------------------

std::set<std::string> methods() {
  std::set<std::string> names;
  const std::string text = read("autograd/tensor.h");
  const std::regex method(
      "\n  (?:Tensor|bool|ValuesIndices|std::vector<Tensor>) (\\w+)\\([^;]*?\\) const");
  for (std::sregex_iterator it(text.begin(), text.end(), method), end; it != end; ++it)
    names.insert(it->str(1));
  return names;
}

void print(const Section& section, const std::set<std::string>& has_method) {
  if (section.functions.empty()) return;
  std::cout << "\n## " << section.title << "\n\n";
  if (!section.remark.empty()) std::cout << section.remark << "\n\n";
  std::cout << "| PyTorch | tapehead | differs on purpose |\n|---|---|---|\n";
  for (const Function& function : section.functions) {
    const std::string torch = function.torch.empty() ? torch_name(function.name) : function.torch;
    std::cout << "| " << torch << " |";
    const char* separator = " ";
    for (const std::string& signature : function.signatures) {
      std::cout << separator << "`" << signature << "`";
      separator = ", ";
    }
    if (has_method.count(function.name)) std::cout << separator << "`x." << function.name << "(…)`";
    std::cout << " | " << replaced(function.differences, "\\|", "\\|") << " |\n";
  }
}

constexpr auto opening = R"(# PyTorch and tapehead

<!-- Written by ./go docs from the headers and the table of ops; changes made here are lost. -->

What a PyTorch function is called here. Names, argument orders, defaults and results are PyTorch's (1.13.1), unless the last column says otherwise. In C++ a keyword argument is a positional one, `torch.sum(x, dim=(0, 2), keepdim=True)` is `sum(x, {0, 2}, true)`, and what takes many options takes a struct: `cross_entropy(logits, target, {.label_smoothing = 0.1})`. `d` is PyTorch's `dim`, and `x.f(…)` says that there is a method too. Methods alone are `view_as`, `reshape_as`, `expand_as` and `type_as`, `item`, `detach`, and those of the tape ([tensor.h](../autograd/tensor.h)).

Each op that has a row in the [table of ops](../autograd/op_table.h) is held against PyTorch's values and gradients by `./go test -R PyTorch`, and in random graphs by `./go parity`: the [differences](#differences-found-by-go-parity) that leaves are listed below, with the reasons.

## Everywhere

- Four dtypes, `Float32`, `Float64`, `Int64` and `Bool`, which never mix by themselves: an error names the `.to(…)` to write. A plain number takes the tensor's dtype.
- An index is `Int64`, a mask is `Bool`.
- A change in place that would alter a value another tracked tensor shares is refused, with the op to use instead.
- At most 8 dimensions.
- Shapes and lists stand in braces, since C++ has no `randn(2, 3)`: `randn({2, 3})`, `x.view({2, -1})`, `x.permute({1, 0})`. A single axis of a reduction need not: `x.sum(0)`.
- Any number of threads gives the same bits; where PyTorch leaves an order open, ours is fixed.
- Operators: `+ - * / %` and `== != < <= > >=`, with tensors and numbers (for `%` on the right alone), unary `-`, `+= -= *= /=` in place, and `& | ^ ~` of `Bool` masks. `%` is Python's: `remainder`. There is no `@`: write `matmul`.
- `std` is also C++'s namespace: write `x.std()`, or `tapehead::std(x)`.
- `x[…]` is `x.index({…})`, with `Slice`, `None` and `Ellipsis` from `tapehead::indexing`, as in LibTorch (`CHECK` is doctest's; in a program of your own `assert` will do):

```cpp
#include <tapehead/tapehead.h>
using namespace tapehead;
using namespace tapehead::indexing;
```
```cpp
Tensor x = arange(24).view({2, 3, 4});
Tensor mask = x.index({0, Slice(), 0}) > 0;                 // x[0, :, 0] > 0: false, true, true
CHECK(x.index({"...", None, Slice(1, 3)}).shape() == Shape{2, 3, 1, 2});  // x[..., None, 1:3]
CHECK(x.index({Slice(), mask}).shape() == Shape{2, 2, 4});  // x[:, mask]
x.index_put_({0, Slice(), tensor({0, -1})}, 7);             // x[0, :, [0, -1]] = 7
CHECK(x.index({0, 2, 3}).item() == 7);
```
)";

constexpr auto ending = R"(
## What is left out

- Devices, complex and half-precision numbers, sparse and quantised tensors, named dimensions, `torch.jit`, `torch.compile`, `autocast`.
- `out=` arguments, `memory_format`, `generator=` (draws come from the default generator), `as_tuple` of `nonzero`, `reduce=` of `scatter`.
- Convolutions, pooling, recurrent layers, FFT, `torch.linalg` and `torch.special`.
- Promotion: `torch.result_type` has no counterpart, since dtypes never mix.
- `inplace=True` of activations, and aliases of methods in place (`clamp_min_`, `swapaxes_`).
- `random_()` without bounds, whose range depends on the dtype: `x.random_(0, n)` says it.
- Assignment to `x[…]`: C++ has no such operator for several indices; `index_put_` is it.
)";

}  // namespace

int main() {
  const std::string type =
      "(?:Tensor|bool|void|ValuesIndices|AttentionResult|std::vector<Tensor>) ";
  const std::set<std::string> has_method = methods();
  std::cout << opening;
  for (const Section& section :
       sections("autograd/create.h", "Tensors from nothing", "", type + "(\\w+)\\((.*)\\)"))
    print(section, has_method);
  for (const Section& section : sections("autograd/ops.h", "", "", type + "(\\w+)\\((.*)\\)"))
    if (section.title != "Adjoints") print(section, has_method);
  for (const Section& section :
       sections("autograd/tensor.h", "", "  ", "Tensor& (\\w+_)\\((.*)\\)"))
    if (section.title == "In place") print(section, {});
  print(derivatives(), {});
  print_differences();
  std::cout << ending;
}
