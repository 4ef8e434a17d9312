#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/transformer.h>

#include <cmath>

#include "../support/compare.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using namespace tapehead::nn;
using testing::difference;

namespace {

TransformerOptions small() {
  return {.source_vocabulary = 5,
          .target_vocabulary = 6,
          .context = 7,
          .d_model = 8,
          .heads = 2,
          .layers = 2,
          .d_ff = 12};
}

}  // namespace

TEST_CASE("a transformer encodes the source, and decodes the target with it") {
  Transformer model(small());
  model.to(Float64).eval();
  const Tensor source = tensor({{1, 2, 3, 4}, {0, 4, 0, 0}}),
               target = tensor({{6, 1, 2}, {6, 5, 0}});
  const Tensor padding = padding_mask({4, 2}, 4);
  const auto embedded = [&](Embedding& embedding, const Tensor& tokens) {
    return embedding(tokens) * std::sqrt(8.0) +
           sinusoidal_encoding(7, 8).to(Float64).narrow(0, 0, tokens.size(1));
  };
  Tensor x = embedded(model.source_embedding, source);
  for (const std::size_t i : {0u, 1u}) x = model.encoder[i](x, padding);
  Tensor y = embedded(model.target_embedding, target);
  for (const std::size_t i : {0u, 1u}) y = model.decoder[i](y, x, causal_mask(3), padding);
  const Tensor logits = model(source, target, padding);
  CHECK(logits.shape() == Shape{2, 3, 6});
  CHECK(difference(logits, model.head(y), {.atol = 1e-14}) == "");
}

TEST_CASE("a transformer reads all of the source, and of the target what came before") {
  Transformer model(small());
  model.eval();
  const Tensor source = tensor({{1, 2, 3}}), target = tensor({{model.start(), 1, 2}});
  const Tensor y = model(source, target);
  const Tensor later = model(source, tensor({{model.start(), 1, 5}}));
  CHECK(difference(later.narrow(1, 0, 2), y.narrow(1, 0, 2)) == "");
  CHECK(difference(later.narrow(1, 2, 1), y.narrow(1, 2, 1)) != "");
  CHECK(difference(model(tensor({{1, 2, 4}}), target).narrow(1, 0, 1), y.narrow(1, 0, 1)) != "");
  const Tensor padding = padding_mask({2}, 3);
  CHECK(difference(model(tensor({{1, 2, 4}}), target, padding), model(source, target, padding)) ==
        "");
}

TEST_CASE("a transformer's matrices start as xavier_uniform_ draws them") {
  Transformer model(small());
  for (const auto& entry : model.named_parameters()) {
    const Tensor& parameter = entry.second;
    if (parameter.dim() < 2) continue;
    const double bound =
        std::sqrt(6.0 / static_cast<double>(parameter.size(0) + parameter.size(1)));
    CHECK_MESSAGE(parameter.abs().max().item() <= bound, entry.first);
    CHECK_MESSAGE(parameter.abs().max().item() > 0.7 * bound, entry.first);
  }
}

TEST_CASE("a transformer has a token to begin with and refuses what it cannot read") {
  Transformer model(small());
  CHECK(model.start() == 6);
  CHECK(model.target_embedding.num_embeddings == 7);
  CHECK_THROWS_WITH_AS(model(zeros({1, 8}, Int64), zeros({1, 2}, Int64)),
                       "SinusoidalPositions: expected (B, T, 8) with T up to 7, got (1, 8, 8) "
                       "(in positions)",
                       ShapeError);
  TransformerOptions none = small();
  none.layers = -1;
  CHECK_THROWS_WITH_AS(Transformer{none}, "Transformer: layers must be at least 0, got -1", Error);
}

TEST_CASE("a transformer drops out while training, and not in evaluation") {
  Transformer model(small());
  const Tensor source = tensor({{1, 2, 3}}), target = tensor({{6, 1, 2}});
  CHECK(difference(model(source, target), model(source, target)) != "");
  model.eval();
  CHECK(difference(model(source, target), model(source, target)) == "");
}

TEST_CASE("a transformer's gradients are right") {
  manual_seed(1);
  Transformer model({.source_vocabulary = 3,
                     .target_vocabulary = 2,
                     .context = 3,
                     .d_model = 4,
                     .heads = 2,
                     .layers = 1,
                     .d_ff = 3,
                     .dropout = 0});
  model.to(Float64);
  const Tensor source = tensor({{0, 2, 1}}), target = tensor({{2, 1}});
  CHECK(testing::strict_gradcheck([&](const auto&) { return model(source, target); }, {},
                                  model.named_parameters()));
}
