#include "precheck.h"

#include <algorithm>

#include "../autograd/create.h"
#include "../autograd/fork_rng.h"

namespace tapehead::train {
namespace {

// With parameters, tokens and dropout drawn from `seed`.
GradcheckResult check_once(const ModelOptions& options, std::uint64_t seed,
                           const SampleOptions& sampled) {
  manual_seed(seed);
  SequenceModel model(options);
  model.to(Float64);
  const Tensor tokens = randint(0, options.vocabulary, {1, options.context});
  const auto f = [&](const std::vector<Tensor>&) { return Outputs(model(tokens)); };
  return gradcheck_sampled(seeded(f, seed), {}, model.named_parameters(), sampled);
}

}  // namespace

GradcheckResult check_gradients(ModelOptions options, std::uint64_t seed, double seconds) {
  constexpr int attempts = 3;
  options.context = std::min<Index>(options.context, 8);
  const ForkRng fork;
  SampleOptions sampled;
  sampled.seed = seed;
  sampled.seconds = seconds / attempts;
  GradcheckResult result;
  for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
    result = check_once(options, seed + attempt, sampled);
    if (result.passed) break;
  }
  return result;
}

}  // namespace tapehead::train
