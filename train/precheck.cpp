#include "precheck.h"

#include <algorithm>

#include "../autograd/create.h"
#include "../core/random.h"

namespace tapehead::train {
namespace {

/// Puts the default generator back to where it was.
class GeneratorGuard {
 public:
  ~GeneratorGuard() { core::default_generator().set_state(state_); }

 private:
  std::string state_ = core::default_generator().state();
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
