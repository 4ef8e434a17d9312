#include "precheck.h"

#include <algorithm>

#include "../autograd/create.h"
#include "../core/random.h"

namespace tapehead::train {
namespace {

// Puts the default generator back to where it was.
class GeneratorGuard {
 public:
  GeneratorGuard() {
    const std::lock_guard lock(core::default_generator_mutex());
    state_ = core::default_generator().state();
  }
  ~GeneratorGuard() {
    const std::lock_guard lock(core::default_generator_mutex());
    core::default_generator().set_state(state_);
  }
  GeneratorGuard(const GeneratorGuard&) = delete;
  GeneratorGuard& operator=(const GeneratorGuard&) = delete;

 private:
  std::string state_;
};

// With parameters, tokens and dropout drawn from `seed`.
GradcheckResult check_once(const ModelOptions& options, std::uint64_t seed,
                           const SampleOptions& sampled) {
  manual_seed(seed);
  SequenceModel model(options);
  model.to(Float64);
  const Tensor tokens = randint(0, options.vocabulary, {1, options.context});
  const auto frozen = [&](const std::vector<Tensor>&) {
    manual_seed(seed);
    return Outputs(model(tokens));
  };
  return gradcheck_sampled(frozen, {}, model.named_parameters(), sampled);
}

}  // namespace

GradcheckResult check_gradients(ModelOptions options, std::uint64_t seed, double seconds) {
  constexpr int attempts = 3;
  options.context = std::min<Index>(options.context, 8);
  const GeneratorGuard guard;
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
