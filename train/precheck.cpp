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

}  // namespace

GradcheckResult check_gradients(ModelOptions options, std::uint64_t seed, double seconds) {
  options.context = std::min<Index>(options.context, 8);
  const GeneratorGuard guard;
  manual_seed(seed);
  SequenceModel model(options);
  model.to(Float64);
  const Tensor tokens = randint(0, options.vocabulary, {1, options.context});
  const auto frozen = [&](const std::vector<Tensor>&) {
    manual_seed(seed);
    return Outputs(model(tokens));
  };
  SampleOptions sampled;
  sampled.seed = seed;
  sampled.seconds = seconds;
  return gradcheck_sampled(frozen, {}, model.named_parameters(), sampled);
}

}  // namespace tapehead::train
