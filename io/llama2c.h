// The files of llama2.c (https://github.com/karpathy/llama2.c): a Llama's weights, and the pieces
// of its tokenizer.
//
//   const Llama2c llama = read_llama2c("stories260K.bin");
//   llama.config.dim;                                           // 64
//   const Llama2cTokenizer pieces = read_llama2c_tokenizer("tok512.bin");
#pragma once

#include <string>
#include <vector>

#include "../autograd/tensor.h"

namespace tapehead::io {

struct Llama2cConfig {
  Index dim, hidden_dim, n_layers, n_heads, n_kv_heads, vocab_size;
  Index seq_len;           // the longest sequence it was trained on
  bool shared_classifier;  // whether output.weight is tok_embeddings.weight
};

struct Llama2c {
  Llama2cConfig config;
  NamedTensors tensors;
};

/// A checkpoint of the legacy version, which has no mark of its own, or of version 1 ("ak42").
/// All tensors are Float32 and have Llama's names and PyTorch's shapes (out, in):
///   tok_embeddings.weight (vocab_size, dim)
///   layers.I.attention_norm.weight, layers.I.ffn_norm.weight (dim)
///   layers.I.attention.wq.weight, .wo.weight (dim, dim), .wk.weight, .wv.weight
///     (n_kv_heads * dim / n_heads, dim)
///   layers.I.feed_forward.w1.weight, .w3.weight (hidden_dim, dim), .w2.weight (dim, hidden_dim)
///   norm.weight (dim)
///   output.weight (vocab_size, dim): where it is shared, the same tensor as the embeddings
/// The legacy version's tables of rotary frequencies are passed over. IoError, naming path and
/// reason, for sizes that do not go together or a file that is not exactly as long as they need,
/// and for the quantized version 2.
Llama2c read_llama2c(const std::string& path);

/// Token k is piece k. A byte that no piece has is written as one of the pieces "<0x00>" to
/// "<0xFF>".
struct Llama2cTokenizer {
  std::vector<std::string> pieces;
  std::vector<float> scores;  // of two pieces that could be joined, the higher goes first
  Index max_token_length;
};

/// IoError, naming path and reason, for a file that is cut off, has a piece longer than it says, a
/// score that is no finite number, or more than 262144 pieces.
Llama2cTokenizer read_llama2c_tokenizer(const std::string& path);

}  // namespace tapehead::io
