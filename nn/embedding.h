// Embedding: a learnt vector for each of a set of indices.
//
//   Embedding embedding(65, 32);            // weight (65, 32)
//   embedding(tensor({{1, 2}, {2, 0}}));    // (2, 2) -> (2, 2, 32)
#pragma once

#include "../autograd/ops.h"
#include "../core/text.h"
#include "module.h"

namespace tapehead::nn {

class Embedding : public Layer<Embedding> {
 public:
  /// The weight is drawn from a normal distribution. Error for sizes below 1.
  Embedding(Index num_embeddings, Index embedding_dim);

  /// Int64 indices (...) -> (..., embedding_dim). ShapeError for one outside [0, num_embeddings).
  Tensor forward(const Tensor& index) { return embedding(index, weight); }

  std::string extra_repr() const override {
    return core::to_text(num_embeddings, ", ", embedding_dim);
  }

  const Index num_embeddings, embedding_dim;
  Parameter weight;  // (num_embeddings, embedding_dim)
};

}  // namespace tapehead::nn
