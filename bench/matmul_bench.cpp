// Square products, and the batches of small ones that attention's heads are.
#include <benchmark/benchmark.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

using namespace tapehead;

static void product(benchmark::State& state, const Tensor& a, const Tensor& b) {
  for (auto _ : state) benchmark::DoNotOptimize(matmul(a, b));
  const double flop = 2.0 * static_cast<double>(a.numel()) * static_cast<double>(b.size(-1));
  state.counters["FLOP/s"] = benchmark::Counter(flop, benchmark::Counter::kIsIterationInvariantRate,
                                                benchmark::Counter::kIs1000);
}

static void matmul_square(benchmark::State& state) {
  const Index n = state.range(0);
  product(state, randn({n, n}), randn({n, n}));
}
BENCHMARK(matmul_square)->Name("matmul")->RangeMultiplier(2)->Range(8, 1024);

static void bmm(benchmark::State& state) {
  product(state, randn({256, 50, 64}), randn({256, 64, 50}));
}
BENCHMARK(bmm)->Name("bmm/256x50x64x50");

static void bmm_nt(benchmark::State& state) {
  product(state, randn({256, 50, 64}), randn({256, 50, 64}).transpose(1, 2));
}
BENCHMARK(bmm_nt)->Name("bmm_nt/256x50x64x50");
