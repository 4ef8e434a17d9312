// The lesson's MultiHeadAttention: forward, and a training step with Adam. Arguments are batch,
// length, d_model and heads.
#include <benchmark/benchmark.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/adam.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/mask.h>

using namespace tapehead;

namespace {

struct Setting {
  explicit Setting(const benchmark::State& state)
      : attention(state.range(2), state.range(3), 0.0),
        x(randn({state.range(0), state.range(1), state.range(2)})),
        target(randn(x.shape())),
        mask(nn::causal_mask(state.range(1))) {}
  Tensor forward() { return attention(x, x, x, mask); }

  nn::MultiHeadAttention attention;
  Tensor x, target, mask;
};

void lesson_shapes(benchmark::internal::Benchmark* bench) {
  bench->Args({2, 8, 16, 2})->Args({16, 16, 32, 4})->Args({32, 50, 512, 8})->Args({8, 128, 256, 8});
}

}  // namespace

static void mha_fwd_nograd_p0(benchmark::State& state) {
  Setting s(state);
  const NoGradGuard no_grad;
  for (auto _ : state) benchmark::DoNotOptimize(s.forward());
}
BENCHMARK(mha_fwd_nograd_p0)->Apply(lesson_shapes);

static void mha_step_adam_p0(benchmark::State& state) {
  Setting s(state);
  optim::Adam adam(s.attention.parameters(), {.lr = 1e-3});
  for (auto _ : state) {
    adam.zero_grad();
    mse_loss(s.forward(), s.target).backward();
    adam.step();
  }
}
BENCHMARK(mha_step_adam_p0)->Apply(lesson_shapes);
