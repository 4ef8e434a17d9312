// The same workloads in LibTorch, under the same names.
#include <benchmark/benchmark.h>
#include <torch/torch.h>

#include <cmath>

namespace {

struct Attention : torch::nn::Module {
  Attention(int64_t d_model, int64_t num_heads) : h(num_heads), d_k(d_model / num_heads) {
    for (torch::nn::Linear* linear : {&W_q, &W_k, &W_v, &W_o})
      *linear = register_module("W" + std::to_string(children().size()),
                                torch::nn::Linear(d_model, d_model));
  }
  torch::Tensor split(const torch::Tensor& x) const {
    return x.view({x.size(0), -1, h, d_k}).transpose(1, 2);
  }
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask) {
    const torch::Tensor q = split(W_q(x)), k = split(W_k(x)), v = split(W_v(x));
    torch::Tensor scores = torch::matmul(q, k.transpose(-2, -1)) / std::sqrt(double(d_k));
    scores = scores.masked_fill(mask == 0, -1e9);
    const torch::Tensor heads = torch::matmul(torch::softmax(scores, -1), v);
    return W_o(heads.transpose(1, 2).contiguous().view(x.sizes()));
  }

  int64_t h, d_k;
  torch::nn::Linear W_q{nullptr}, W_k{nullptr}, W_v{nullptr}, W_o{nullptr};
};

struct Setting {
  explicit Setting(const benchmark::State& state)
      : attention(state.range(2), state.range(3)),
        x(torch::randn({state.range(0), state.range(1), state.range(2)})),
        target(torch::randn_like(x)),
        mask(torch::ones({state.range(1), state.range(1)}).tril()) {}
  torch::Tensor forward() { return attention.forward(x, mask); }

  Attention attention;
  torch::Tensor x, target, mask;
};

void lesson_shapes(benchmark::internal::Benchmark* bench) {
  bench->Args({2, 8, 16, 2})->Args({16, 16, 32, 4})->Args({32, 50, 512, 8})->Args({8, 128, 256, 8});
}

torch::Tensor chain_of_1000(const torch::Tensor& start) {
  torch::Tensor x = start;
  for (int i = 0; i < 1000; ++i) x = x + 1.0;
  return x;
}

}  // namespace

static void add4_nograd(benchmark::State& state) {
  const torch::Tensor a = torch::randn({4}), b = torch::randn({4});
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add4_nograd);

static void add4_grad(benchmark::State& state) {
  const torch::Tensor a = torch::randn({4}, torch::requires_grad());
  const torch::Tensor b = torch::randn({4}, torch::requires_grad());
  for (auto _ : state) benchmark::DoNotOptimize(a + b);
}
BENCHMARK(add4_grad);

static void chain1000_fwd(benchmark::State& state) {
  const torch::Tensor start = torch::randn({}, torch::requires_grad());
  for (auto _ : state) benchmark::DoNotOptimize(chain_of_1000(start));
}
BENCHMARK(chain1000_fwd);

static void chain1000_bwd(benchmark::State& state) {
  torch::Tensor start = torch::randn({}, torch::requires_grad());
  const torch::Tensor end = chain_of_1000(start);
  for (auto _ : state) end.backward({}, /*retain_graph=*/true);
}
BENCHMARK(chain1000_bwd);

static void chain1000_fwdbwd(benchmark::State& state) {
  const torch::Tensor start = torch::randn({}, torch::requires_grad());
  for (auto _ : state) chain_of_1000(start).backward();
}
BENCHMARK(chain1000_fwdbwd);

static void product(benchmark::State& state, const torch::Tensor& a, const torch::Tensor& b) {
  const torch::NoGradGuard no_grad;
  for (auto _ : state) benchmark::DoNotOptimize(torch::matmul(a, b));
}
static void matmul_square(benchmark::State& state) {
  product(state, torch::randn({state.range(0), state.range(0)}),
          torch::randn({state.range(0), state.range(0)}));
}
BENCHMARK(matmul_square)->Name("matmul")->RangeMultiplier(2)->Range(8, 1024);
static void bmm(benchmark::State& state) {
  product(state, torch::randn({256, 50, 64}), torch::randn({256, 64, 50}));
}
BENCHMARK(bmm)->Name("bmm/256x50x64x50");
static void bmm_nt(benchmark::State& state) {
  product(state, torch::randn({256, 50, 64}), torch::randn({256, 50, 64}).transpose(1, 2));
}
BENCHMARK(bmm_nt)->Name("bmm_nt/256x50x64x50");

static void mha_fwd_nograd_p0(benchmark::State& state) {
  Setting s(state);
  const torch::NoGradGuard no_grad;
  for (auto _ : state) benchmark::DoNotOptimize(s.forward());
}
BENCHMARK(mha_fwd_nograd_p0)->Apply(lesson_shapes);

static void mha_step_adam_p0(benchmark::State& state) {
  Setting s(state);
  torch::optim::Adam adam(s.attention.parameters(), torch::optim::AdamOptions(1e-3));
  for (auto _ : state) {
    adam.zero_grad();
    torch::mse_loss(s.forward(), s.target).backward();
    adam.step();
  }
}
BENCHMARK(mha_step_adam_p0)->Apply(lesson_shapes);
