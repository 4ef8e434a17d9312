// Einstein's sum, from permute, reshape, matmul and sum, so that its derivative is theirs.
//
// A label is a letter. The dimensions that an ellipsis stands for have the digits as labels, the
// last one 7, so that ellipses meet at their last dimensions.
#include <algorithm>
#include <map>
#include <string>

#include "../ops.h"
#include "check_defined.h"

namespace tapehead {
namespace {

struct Equation {
  std::vector<std::string> inputs;  // '.' stands for an ellipsis
  std::string output;
  bool has_output = false;
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool contains(const std::string& labels, char label) {
  return labels.find(label) != std::string::npos;
}
char ellipsis_label(Index from_the_end) { return static_cast<char>('8' - from_the_end); }

// What can be read at one position moves on behind it.
Equation parse(std::string_view text) {
  Equation equation{{""}, "", false};
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string& labels = equation.has_output ? equation.output : equation.inputs.back();
    const std::string_view rest = text.substr(i);
    if (rest[0] == ' ') continue;
    if (is_letter(rest[0])) {
      labels += rest[0];
    } else if (rest.substr(0, 3) == "..." && !contains(labels, '.')) {
      labels += '.', i += 2;
    } else if (rest[0] == ',' && !equation.has_output) {
      equation.inputs.emplace_back();
    } else if (rest.substr(0, 2) == "->" && !equation.has_output) {
      equation.has_output = true, i += 1;
    } else {
      fail("einsum: \"", text, "\" cannot be read from position ", i, " on, at \"", rest,
           "\"; labels are letters, \"...\" may stand once in an operand, operands are separated ",
           "by commas, and one \"->\" may come before the output");
    }
  }
  return equation;
}

struct Term {
  Tensor x;
  std::string labels;  // one for each dimension
};

// The labels of operand `which`, the ellipsis spelled out.
std::string spelled_out(const std::string& labels, const Tensor& x, std::size_t which) {
  const std::size_t dots = labels.find('.');
  const Index named = static_cast<Index>(labels.size()) - (dots == std::string::npos ? 0 : 1);
  const Index left = x.dim() - named;
  if (left < 0 || (left > 0 && dots == std::string::npos))
    fail<ShapeError>("einsum: operand ", which, " has ", named, " labels, got shape ", x.shape(),
                     "; each dimension needs one, or \"...\" stands for those without");
  if (dots == std::string::npos) return labels;
  std::string all;
  for (Index k = left; k > 0; --k) all += ellipsis_label(k);
  return labels.substr(0, dots) + all + labels.substr(dots + 1);
}

// A label that appears twice in one operand takes the diagonal, which becomes the last dimension.
Term without_repeats(Term term, std::size_t which) {
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    const char label = term.labels[i];
    const std::size_t again = term.labels.find(label, i + 1);
    if (again == std::string::npos) continue;
    const int d0 = static_cast<int>(i), d1 = static_cast<int>(again);
    if (term.x.size(d0) != term.x.size(d1))
      fail<ShapeError>("einsum: label ", label, " appears twice in operand ", which,
                       ", with sizes ", term.x.size(d0), " and ", term.x.size(d1),
                       "; a diagonal needs equal ones");
    term.x = diagonal(term.x, 0, d0, d1);
    term.labels.erase(again, 1).erase(i, 1) += label;
    return without_repeats(std::move(term), which);
  }
  return term;
}

// Sizes of one label must be equal, or 1.
void check_sizes(const std::vector<Term>& terms) {
  std::map<char, Index> sizes;
  for (std::size_t which = 0; which < terms.size(); ++which) {
    for (std::size_t i = 0; i < terms[which].labels.size(); ++i) {
      const char label = terms[which].labels[i];
      const Index size = terms[which].x.size(static_cast<int>(i));
      Index& known = sizes.emplace(label, size).first->second;
      if (known != size && known != 1 && size != 1)
        fail<ShapeError>(
            "einsum: ", is_letter(label) ? std::string("label ") + label : "the ellipsis",
            " has size ", size, " in operand ", which, " and ", known,
            " before; sizes must be equal or 1");
      if (known == 1) known = size;
    }
  }
}

// The ellipsis first, then the labels that appear once, in alphabetical order.
std::string implied_output(const std::vector<std::string>& inputs, const std::string& ellipsis) {
  std::string all, output;
  for (const std::string& labels : inputs) all += labels;
  for (const char label : all)
    if (is_letter(label) && std::count(all.begin(), all.end(), label) == 1) output += label;
  std::sort(output.begin(), output.end());
  return ellipsis + output;
}

std::string explicit_output(const std::string& labels, const std::vector<std::string>& inputs,
                            const std::string& ellipsis) {
  std::string output;
  for (const char label : labels) {
    if (label == '.') {
      output += ellipsis;
      continue;
    }
    if (contains(output, label))
      fail("einsum: label ", label, " appears twice in the output \"", labels,
           "\"; each may appear once there");
    if (std::none_of(inputs.begin(), inputs.end(),
                     [label](const std::string& input) { return contains(input, label); }))
      fail("einsum: label ", label, " of the output \"", labels, "\" is in no operand");
    output += label;
  }
  return output;
}

// ---- terms
// ---------------------------------------------------------------------------------------

Term ordered(const Term& term, const std::string& labels) {
  Dims order;
  for (const char label : labels) order.push_back(static_cast<Index>(term.labels.find(label)));
  return {permute(term.x, order), labels};
}

// Without the dimensions of size 1 that broadcast against another term's.
Term without_ones(Term term, const Term& other) {
  for (std::size_t i = term.labels.size(); i-- > 0;) {
    const int d = static_cast<int>(i);
    const std::size_t there = other.labels.find(term.labels[i]);
    if (there == std::string::npos || term.x.size(d) != 1) continue;
    if (other.x.size(static_cast<int>(there)) == 1) continue;
    term.x = squeeze(term.x, d);
    term.labels.erase(i, 1);
  }
  return term;
}

// Summed over the labels that `keep` does not have.
Term summed(const Term& term, const std::string& keep) {
  Axes axes;
  std::string labels;
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    if (contains(keep, term.labels[i]))
      labels += term.labels[i];
    else
      axes.push_back(static_cast<Index>(i));
  }
  return axes.rank() == 0 ? term : Term{sum(term.x, axes), labels};
}

Index size_of_all(const Term& term, const std::string& labels) {
  Index size = 1;
  for (const char label : labels)
    size = core::checked_product(size, term.x.size(static_cast<int>(term.labels.find(label))));
  return size;
}

// The dimensions of three lists of labels as one each; of the first only if it has any.
Tensor grouped(const Term& term, const std::string& first, const std::string& second,
               const std::string& third) {
  const Tensor x = ordered(term, first + second + third).x;
  Shape shape;
  if (!first.empty()) shape.push_back(size_of_all(term, first));
  shape.push_back(size_of_all(term, second));
  shape.push_back(size_of_all(term, third));
  return x.shape() == shape ? x : reshape(x, shape);
}

// (batch, left, inner) (batch, inner, right) -> (batch, left, right).
Term multiplied(Term a, Term b, const std::string& keep) {
  Term left_term = without_ones(a, b), right_term = without_ones(b, a);
  a = summed(left_term, keep + right_term.labels);
  b = summed(right_term, keep + left_term.labels);
  std::string batch, inner, left, right;
  for (const char label : a.labels)
    (!contains(b.labels, label) ? left : contains(keep, label) ? batch : inner) += label;
  for (const char label : b.labels)
    if (!contains(a.labels, label)) right += label;
  const Tensor x = grouped(a, batch, left, inner), y = grouped(b, batch, inner, right);
  const Tensor product = inner.empty() ? x * y : matmul(x, y);
  Shape shape;
  for (const char label : batch + left)
    shape.push_back(a.x.size(static_cast<int>(a.labels.find(label))));
  for (const char label : right) shape.push_back(b.x.size(static_cast<int>(b.labels.find(label))));
  return {product.shape() == shape ? product : reshape(product, shape), batch + left + right};
}

}  // namespace

Tensor einsum(std::string_view text, const std::vector<Tensor>& operands) {
  for (const Tensor& x : operands) check_defined("einsum", x);
  Equation equation = parse(text);
  if (equation.inputs.size() != operands.size())
    fail("einsum: \"", text, "\" is for ", equation.inputs.size(), " operands, got ",
         operands.size());
  std::vector<Term> terms;
  std::string ellipsis;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    core::check_same("einsum", operands[0].dtype(), operands[i].dtype());
    std::string& labels = equation.inputs[i];
    labels = spelled_out(labels, operands[i], i);
    for (const char label : labels)
      if (!is_letter(label) && !contains(ellipsis, label)) ellipsis += label;
    terms.push_back(without_repeats({operands[i], labels}, i));
  }
  std::sort(ellipsis.begin(), ellipsis.end());
  check_sizes(terms);
  const std::string output = equation.has_output
                                 ? explicit_output(equation.output, equation.inputs, ellipsis)
                                 : implied_output(equation.inputs, ellipsis);
  Term result = terms[0];
  for (std::size_t i = 1; i < terms.size(); ++i) {
    std::string keep = output;
    for (std::size_t later_one = i + 1; later_one < terms.size(); ++later_one)
      keep += terms[later_one].labels;
    result = multiplied(result, terms[i], keep);
  }
  return ordered(summed(result, output), output).x;
}

}  // namespace tapehead
