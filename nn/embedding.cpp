#include "embedding.h"

#include "../autograd/create.h"
#include "init.h"

namespace tapehead::nn {

Embedding::Embedding(Index count, Index dim) : num_embeddings(count), embedding_dim(dim) {
  if (count < 1 || dim < 1)
    fail("Embedding: expected num_embeddings and embedding_dim of at least 1, got ", count, " and ",
         dim);
  weight = Parameter(empty({count, dim}));
  init::normal_(weight);
  add("weight", weight);
}

}  // namespace tapehead::nn
