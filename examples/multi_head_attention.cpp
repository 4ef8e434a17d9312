// Multi-head attention in five steps, as a module of its own. Read this third.
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/attention.h>

#include <cmath>
#include <iostream>

#include "check.h"

using namespace tapehead;

// How well each query matches each key, as weights that sum to 1; then the mean of the values.
std::pair<Tensor, Tensor> scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                                       const Tensor& value, const Tensor& mask,
                                                       nn::Dropout& dropout) {
  const auto d_k = static_cast<double>(query.size(-1));
  Tensor scores = matmul(query, key.transpose(-2, -1)) / std::sqrt(d_k);  // (..., Tq, Tk)
  if (mask.defined()) scores = scores.masked_fill(mask == 0, -1e9);       // hidden keys
  Tensor attention_weights = softmax(scores, -1);                         // rows sum to 1
  attention_weights = dropout(attention_weights);
  return {matmul(attention_weights, value), attention_weights};  // (..., Tq, d_k)
}

struct MultiHeadAttention : nn::Layer<MultiHeadAttention> {
  MultiHeadAttention(Index model_size, Index heads, double p = 0.1)
      : d_model(model_size),
        num_heads(heads),
        d_k(model_size / heads),
        W_q(d_model, d_model),
        W_k(d_model, d_model),
        W_v(d_model, d_model),
        W_o(d_model, d_model),
        dropout(p) {
    check(d_model % num_heads == 0, "d_model is divisible by num_heads");
    add("W_q", W_q), add("W_k", W_k), add("W_v", W_v), add("W_o", W_o), add("dropout", dropout);
  }

  Tensor forward(const Tensor& query, const Tensor& key, const Tensor& value,
                 const Tensor& mask = {}) {
    const Index batch_size = query.size(0);

    // 1. Project. Every head's projection is a slice of one large matrix.
    Tensor Q = W_q(query);  // (B, Tq, d_model)
    Tensor K = W_k(key);    // (B, Tk, d_model)
    Tensor V = W_v(value);  // (B, Tk, d_model)

    // 2. Split into heads: cut the features into d_k each, then bring the heads to the front.
    Q = Q.view({batch_size, -1, num_heads, d_k}).transpose(1, 2);  // (B, H, Tq, d_k)
    K = K.view({batch_size, -1, num_heads, d_k}).transpose(1, 2);  // (B, H, Tk, d_k)
    V = V.view({batch_size, -1, num_heads, d_k}).transpose(1, 2);  // (B, H, Tk, d_k)
    split = Q.shape();

    // 3. Attend, all heads at once: to matmul they are one more batch dimension.
    auto [output, weights] = scaled_dot_product_attention(Q, K, V, mask, dropout);
    attention_weights = weights;  // (B, H, Tq, Tk)

    // 4. Concatenate the heads. The transposed tensor must be copied before it can be viewed.
    output =
        output.transpose(1, 2).contiguous().view({batch_size, -1, d_model});  // (B, Tq, d_model)

    // 5. Mix what the heads have found.
    return W_o(output);  // (B, Tq, d_model)
  }

  const Index d_model, num_heads, d_k;
  nn::Linear W_q, W_k, W_v, W_o;
  nn::Dropout dropout;
  Tensor attention_weights;
  Shape split;  // of Q in step 2
};

int main() {
  manual_seed(0);
  MultiHeadAttention attention(512, 8);
  const Tensor X = rand({32, 50, 512});  // (B, T, d_model)
  const Tensor output = attention(X, X, X);
  std::cout << "X                 " << X.shape() << "\nQ, split in heads " << attention.split
            << "\nattention weights " << attention.attention_weights.shape()
            << "\noutput            " << output.shape() << "\n";
  check(attention.d_k == 64, "each head has 512 / 8 features");
  check(attention.split == Shape{32, 8, 50, 64}, "Q is (32, 8, 50, 64) before attention");
  check(attention.attention_weights.shape() == Shape{32, 8, 50, 50}, "each head has its weights");
  check(output.shape() == X.shape(), "what comes out has the shape of what went in");

  // The library's class is this one, with step 3 in a single op.
  nn::MultiHeadAttention same(512, 8);
  same.copy_from(attention);
  attention.eval(), same.eval();
  const Tensor x = X.narrow(0, 0, 2), causal = nn::causal_mask(50);
  check(allclose(attention(x, x, x, causal), same(x, x, x, causal), 1e-4, 1e-6),
        "the same results");
}
