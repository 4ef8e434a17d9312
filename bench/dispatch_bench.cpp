// What an op costs beside its arithmetic: four elements, and chains of a thousand ops.
#include <benchmark/benchmark.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>

using namespace tapehead;

static void add4_nograd(benchmark::State& state) {
  const Tensor a = randn({4}), b = randn({4});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add4_nograd);

static void add4_grad(benchmark::State& state) {
  const Tensor a = randn({4}).requires_grad_(), b = randn({4}).requires_grad_();
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add4_grad);

static Tensor chain_of_1000(const Tensor& start) {
  Tensor x = start;
  for (int i = 0; i < 1000; ++i) x = x + 1.0;
  return x;
}

static void chain1000_fwd(benchmark::State& state) {
  const Tensor start = randn({}).requires_grad_();
  for (auto _ : state) benchmark::DoNotOptimize(chain_of_1000(start));
}
BENCHMARK(chain1000_fwd);

static void chain1000_bwd(benchmark::State& state) {
  Tensor start = randn({}).requires_grad_();
  const Tensor end = chain_of_1000(start);
  for (auto _ : state) end.backward({}, /*retain_graph=*/true);
}
BENCHMARK(chain1000_bwd);

static void chain1000_fwdbwd(benchmark::State& state) {
  Tensor start = randn({}).requires_grad_();
  for (auto _ : state) chain_of_1000(start).backward();
}
BENCHMARK(chain1000_fwdbwd);
