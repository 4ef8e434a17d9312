#include "explained.h"

#include <algorithm>
#include <cmath>

#include "row.h"

namespace parity {
namespace {

bool says(const std::string* refusal, const char* words) {
  return refusal != nullptr && refusal->find(words) != std::string::npos;
}
bool only_ours_refuses(const Situation& s) {
  return s.our_refusal != nullptr && s.their_refusal == nullptr;
}
// Whether dtypes meet, or a whole one meets what works on others.
bool promotes(const Situation& s) {
  return std::any_of(s.inputs.begin(), s.inputs.end(), [&](const Reading& input) {
    return input.defined && (!input.floating() || input.dtype != s.inputs[0].dtype);
  });
}
bool uses(const Situation& s, const char* op) {
  return std::any_of(s.plan.begin(), s.plan.end(),
                     [op](const Step& step) { return step.row->op == op; });
}
bool has_number(const Step& step) {
  return std::any_of(step.arguments.begin(), step.arguments.end(), [](const Argument& a) {
    return std::holds_alternative<Index>(a) || std::holds_alternative<double>(a);
  });
}
// But for rounding.
bool zero(const Reading& reading) {
  const double most = reading.dtype == DType::Float32 ? 1e-5 : 1e-12;
  return std::all_of(reading.values.begin(), reading.values.end(),
                     [most](double v) { return std::abs(v) <= most; });
}

}  // namespace

const std::vector<Explanation>& explanations() {
  static const std::vector<Explanation> all = {
      {"no promotion",
       "Dtypes are never converted silently: where PyTorch promotes, tapehead asks for .to().",
       false,
       [](const Situation& s) {
         return only_ours_refuses(s) && promotes(s) &&
                (says(s.our_refusal, ".to(") || says(s.our_refusal, "floor_divide"));
       }},
      {"a number takes the tensor's dtype",
       "where of a whole tensor and a number has the tensor's dtype; PyTorch's result may be "
       "wider.",
       false,
       [](const Situation& s) {
         return !s.our_refusal && !s.their_refusal && s.step.row->op == "where" &&
                has_number(s.step) && !s.ours.floating() && s.ours.dtype != s.theirs.dtype;
       }},
      {"in place on shared memory",
       "A recorded change of memory that another tensor shows too is refused, where PyTorch "
       "rewrites the history of every view; of the outputs of split it refuses that itself, "
       "later.",
       false,
       [](const Situation& s) {
         if (s.our_refusal == nullptr)
           return says(s.their_refusal, "another view of its base has been modified inplace");
         return only_ours_refuses(s) && s.step.row->kind == Row::InPlace &&
                says(s.our_refusal, "another tensor shares the memory");
       }},
      {"in place on overlapping memory",
       "A change in place of memory that shows an element twice is refused by all ops; PyTorch "
       "lets some do it, with a warning. Of an operand that shows part of what is changed the old "
       "values count; PyTorch refuses it.",
       false,
       [](const Situation& s) {
         if (s.step.row->kind != Row::InPlace) return false;
         if (s.our_refusal == nullptr)
           return says(s.their_refusal, "written-to tensor refer to a single memory location");
         return s.their_refusal == nullptr && says(s.our_refusal, "share memory");
       }},
      {"second backward",
       "A backward pass frees every node it has been to, also where nothing had been saved, "
       "and no other; the outputs of fused attention are two nodes here, and PyTorch gets a "
       "composition.",
       false,
       [](const Situation& s) {
         return s.step.row->kind == Row::Control &&
                (s.their_refusal == nullptr ? says(s.our_refusal, "a backward pass has been here")
                                            : says(s.their_refusal, "the graph a second time") &&
                                                  uses(s, "fused_attention"));
       }},
      {"what is saved",
       "A rule keeps what it needs, which is not always what PyTorch's keeps: PyTorch keeps the "
       "inputs of var, mean, mse_loss and index_select_backward, and the results of some changes "
       "in place; ours those of number / x, of cross_entropy, and all of fused attention's and "
       "rms_norm's. A change in place of what was kept is refused.",
       false,
       [](const Situation& s) {
         if (s.step.row->kind != Row::Control) return false;
         if (s.our_refusal == nullptr)
           return says(s.their_refusal, "modified by an inplace operation");
         const bool known = says(s.our_refusal, "attention") ||
                            says(s.our_refusal, "div: it saved") ||
                            says(s.our_refusal, "rms_norm: it saved") ||
                            says(s.our_refusal, "cross_entropy: it saved");
         return s.their_refusal == nullptr && known;
       }},
      {"backward fails",
       "PyTorch 1.13 fails in a backward pass that does not reach an output of split or chunk "
       "whose gradient is to be retained, and in some second derivatives where a gradient is not "
       "row-major.",
       false,
       [](const Situation& s) {
         return s.our_refusal == nullptr && s.step.row->kind == Row::Control &&
                (says(s.their_refusal, "Expected a proper Tensor but got None") ||
                 says(s.their_refusal, "grad_input must be contiguous"));
       }},
      {"no gradient is zero",
       "A gradient that is zero everywhere may be missing in one of the two.", true,
       [](const Situation& s) {
         return !s.our_refusal && !s.their_refusal && s.ours.defined != s.theirs.defined &&
                zero(s.ours) && zero(s.theirs);
       }},
  };
  return all;
}

const Explanation* explain(const Situation& situation) {
  for (const Explanation& candidate : explanations())
    if (candidate.fits(situation)) return &candidate;
  return nullptr;
}

}  // namespace parity
