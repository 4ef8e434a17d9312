// What every kind of attention is made of: heads that are split and merged, and one op between.
//
//   Tensor Q = split_heads(W_q(x), 8);                     // (B, T, 512) -> (B, 8, T, 64)
//   Tensor y = attend(Q, K, V, {.causal = true}, dropout, kept);
//   return W_o(merge_heads(y));                            // (B, T, 512)
#pragma once

#include <initializer_list>
#include <mutex>

#include "dropout.h"
#include "mask.h"

namespace tapehead::nn {

/// What a query gets that may see no key at all: the mean of all values, as with scores of -1e9;
/// zeros, weights included; or NaN, whose output is PyTorch's.
enum class HiddenRows { Uniform, Zero, NaN };

/// The weights of a module's last call, if it keeps them. Threads may share it.
class KeptWeights {
 public:
  /// Error if there are none.
  Tensor get() const;
  void set(const Tensor& weights);
  void keep(bool on);
  bool keeps() const;

 private:
  mutable std::mutex mutex_;
  bool keep_ = true;
  Tensor weights_;
};

struct AttendOptions {
  Tensor mask = {}, bias = {};  // see mask.h; each may be undefined
  bool causal = false;          // the queries are the last of the keys, and see none that is later
  HiddenRows hidden_rows = HiddenRows::Uniform;
};
/// scaled_dot_product_attention as one op, with the same results. Q (B, H, Tq, d_k), K (B, H, Tk,
/// d_k), V (B, H, Tk, d_v) -> (B, H, Tq, d_v).
Tensor attend(const Tensor& Q, const Tensor& K, const Tensor& V, const AttendOptions& options,
              Dropout& dropout, KeptWeights& kept);
/// x (..., Tq, d), the output or weights of attention under the Bool `mask` (..., Tq, Tk), with the
/// rows of queries that see no key as `hidden_rows` has them.
Tensor with_hidden_rows(const Tensor& x, const Tensor& mask, HiddenRows hidden_rows);

/// (B, T, H d) -> (B, H, T, d), sharing memory.
Tensor split_heads(const Tensor& x, Index heads);
/// (B, H, T, d) -> (B, T, H d).
Tensor merge_heads(const Tensor& x);
/// (B, H, T, d) -> (B, H times, T, d): each head `times` in a row.
Tensor repeat_heads(const Tensor& x, Index times);

/// d_model / num_heads. Error, naming `module`, unless both are at least 1 and it has no remainder.
Index head_size(const char* module, Index d_model, Index num_heads);
/// What a module is to be called with: x (B, T, width), where `width_name` is "d_model".
struct AttentionInput {
  const char* name;
  const Tensor& x;
  const char* width_name;
  Index width;
};
/// ShapeError, naming `module`, unless query, key and value fit each other and their widths.
void check_inputs(const char* module, const AttentionInput& query, const AttentionInput& key,
                  const AttentionInput& value);

}  // namespace tapehead::nn
