#include "precheck.h"

#include <algorithm>

#include "../autograd/create.h"
#include "../autograd/fork_rng.h"

namespace tapehead::train {

GradcheckResult check_gradients(ModelOptions options, std::uint64_t seed, double seconds) {
  options.context = std::min<Index>(options.context, 8);
  const ForkRng fork;
  manual_seed(seed);
  SequenceModel model(options);
  model.to(Float64);
  const Tensor tokens = randint(0, options.vocabulary, {1, options.context});
  const auto f = [&](const std::vector<Tensor>&) {
    return Outputs(model.logits({tokens, tokens}));
  };
  SampleOptions sampled;
  sampled.seed = seed;
  sampled.seconds = seconds;
  return gradcheck_sampled(seeded(f, seed), {}, model.named_parameters(), sampled);
}

}  // namespace tapehead::train
