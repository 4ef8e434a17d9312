#include "sample.h"

#include <algorithm>
#include <cmath>

#include "../autograd/create.h"

namespace tapehead::train {
namespace {

// By the inverse of the cumulative distribution; the logits are shifted so that none overflows.
Index draw(const Tensor& logits, double temperature, core::Generator& generator) {
  if (temperature == 0) return argmax(logits).item<Index>();
  const Tensor p = ((logits - logits.max()) / temperature).softmax(-1);  // (V) Float64
  const double u = generator.uniform_double();
  double below = 0;
  for (Index token = 0; token < p.numel(); ++token) {
    below += p.select(0, token).item();
    if (u < below) return token;
  }
  return argmax(p).item<Index>();  // where rounding left the sum a little below u
}

}  // namespace

std::vector<Index> sample(SequenceModel& model, const std::vector<Index>& prompt, Index count,
                          core::Generator& generator, double temperature) {
  if (prompt.empty() || !(temperature >= 0) || !model.options.causal)
    fail("sample: expected a causal model, a prompt and a temperature of at least 0, got ",
         model.options.causal ? "a" : "no", " causal model, ", prompt.size(), " tokens and ",
         temperature, "; start with one token, at temperature 1");
  const Evaluating evaluating(model);
  std::vector<Index> text = prompt;
  for (Index i = 0; i < count; ++i) {
    const Index T = std::min(static_cast<Index>(text.size()), model.options.context);
    const Tensor read = tensor(std::vector<Index>(text.end() - T, text.end()), {1, T});
    const Tensor logits = model(read).select(0, 0).select(0, T - 1).to(Float64);  // (V)
    text.push_back(draw(logits, temperature, generator));
  }
  return {text.begin() + static_cast<std::ptrdiff_t>(prompt.size()), text.end()};
}

}  // namespace tapehead::train
