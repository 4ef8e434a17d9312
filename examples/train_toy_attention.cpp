// Training: attention learns to read a sequence backwards, and shows how. Read this fourth.
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/adam.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/cross_entropy_loss.h>
#include <tapehead/nn/embedding.h>
#include <tapehead/nn/positions.h>

#include <algorithm>
#include <iostream>
#include <vector>

#include "check.h"

using namespace tapehead;

constexpr Index symbols = 10, length = 8, d_model = 32, batch = 32;

// Tokens and places are told apart by what is added to them; attention moves, `out` names.
struct Reverser : nn::Layer<Reverser> {
  Reverser()
      : tokens(symbols, d_model),
        places(length, d_model),
        attn(d_model, /*num_heads=*/2, /*dropout=*/0.0),
        out(d_model, symbols) {
    add("tokens", tokens), add("places", places), add("attn", attn), add("out", out);
  }

  Tensor forward(const Tensor& sequence) {
    const Tensor x = places(tokens(sequence));  // (B, T) -> (B, T, d_model)
    return out(attn(x, x, x));                  // (B, T, symbols)
  }

  nn::Embedding tokens;
  nn::LearnedPositions places;
  nn::MultiHeadAttention attn;
  nn::Linear out;
};

struct Batch {
  Tensor sequence, reversed;  // (B, T)
};
Batch random_batch() {
  const Tensor sequence = randint(0, symbols, {batch, length});
  std::vector<Index> backwards(length);
  for (Index i = 0; i < length; ++i) backwards[static_cast<std::size_t>(i)] = length - 1 - i;
  return {sequence, sequence.index_select(1, tensor(backwards, {length}))};
}

// How many sequences are right in every place.
double accuracy(Reverser& model) {
  const NoGradGuard no_grad;
  const Batch fresh = random_batch();
  const Tensor right = (model(fresh.sequence).argmax(-1) == fresh.reversed).to(Int64);  // (B, T)
  return (right.sum({1}) == length).to(Float64).mean().item();
}

int main() {
  manual_seed(0);
  Reverser model;
  nn::CrossEntropyLoss loss_of;
  optim::Adam optimizer(model.parameters(), {.lr = 1e-2});
  std::cout << model.num_parameters() << " parameters\n";

  for (int step = 1; step <= 60; ++step) {
    const Batch data = random_batch();
    const Tensor logits = model(data.sequence);                                         // (B, T, V)
    const Tensor loss = loss_of(logits.view({-1, symbols}), data.reversed.view({-1}));  // ()
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step == 1 || step % 10 == 0)
      std::cout << "step " << step << " loss " << loss.item() << "\n";
  }
  const double right = accuracy(model);
  std::cout << "right: " << 100 * right << " % of new sequences\n";
  check(right > 0.9, "it reads backwards");

  // Where does it look? Row i of the mean weights of all heads should be dark at place T - 1 - i.
  const Tensor weights = model.attn.attention_weights().mean({0, 1});  // (B, H, T, T) -> (T, T)
  for (Index i = 0; i < length; ++i) {
    for (Index j = 0; j < length; ++j) {
      const double weight = weights.select(0, i).select(0, j).item();
      std::cout << ' ' << " .:-=+*#%@"[static_cast<std::size_t>(std::min(weight, 0.99) * 10)];
    }
    std::cout << "\n";
  }
  const Tensor looks_at = weights.argmax(1);  // (T)
  for (Index i = 0; i < length; ++i)
    check(looks_at.select(0, i).item<Index>() == length - 1 - i,
          "each place looks at its mirror image");
}
