#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/nn/embedding.h>

#include "../support/strict_gradcheck.h"
#include "goldens.h"

using namespace tapehead;
using nn::Embedding;

TEST_CASE("an embedding starts with the weights that PyTorch's does") {
  const testing::Json golden = testing::goldens("init").at("layers").at("Embedding(3, 5)");
  manual_seed(golden.at("seed").get<std::uint64_t>());
  CHECK(testing::state_difference(Embedding(3, 5).state_dict(), golden.at("state")) == "");
}

TEST_CASE("an embedding gives the row of each index") {
  Embedding embedding(4, 2);
  embedding.load_state_dict({{"weight", tensor({{0., 1.}, {2., 3.}, {4., 5.}, {6., 7.}})}});
  const Tensor y = embedding(tensor({{3, 0}, {1, 1}}));
  CHECK(testing::difference(y, tensor({{{6., 7.}, {0., 1.}}, {{2., 3.}, {2., 3.}}})) == "");
}

TEST_CASE("an embedding's gradient is right, repeated indices included") {
  Embedding embedding(4, 3);
  embedding.to(Float64);
  const Tensor index = tensor({{3, 0, 3}, {1, 1, 3}});
  CHECK(testing::strict_gradcheck([&](const auto&) { return embedding(index); }, {},
                                  embedding.named_parameters()));
}

TEST_CASE("an embedding refuses sizes below 1") {
  CHECK_THROWS_WITH_AS(
      Embedding(0, 3),
      "Embedding: expected num_embeddings and embedding_dim of at least 1, got 0 and 3", Error);
  CHECK_THROWS_WITH_AS(
      Embedding(3, 0),
      "Embedding: expected num_embeddings and embedding_dim of at least 1, got 3 and 0", Error);
}
