#include "causal_attention.h"

namespace tapehead::nn {
namespace {

Index kv_size(Index d_model, Index num_heads, Index num_kv_heads) {
  constexpr const char* module = "GroupedQueryAttention";
  const Index d_k = head_size(module, d_model, num_heads);
  if (num_kv_heads < 1 || num_heads % num_kv_heads != 0)
    fail(module, ": num_heads ", num_heads, " must be divisible by num_kv_heads ", num_kv_heads,
         ", since each of those serves equally many");
  return num_kv_heads * d_k;
}

void check_names(const std::array<const char*, 4>& names) {
  const std::array usual = GroupedQueryOptions().names;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == nullptr)
      fail("GroupedQueryAttention: expected names for W_q, W_k, W_v and W_o, got none for ",
           usual[i], "; give all four, such as .names = {\"wq\", \"wk\", \"wv\", \"wo\"}");
}

AttendOptions seen(const CausalContext& context, HiddenRows hidden_rows) {
  return {context.mask, context.bias, /*causal=*/true, hidden_rows};
}

}  // namespace

GroupedQueryAttention::GroupedQueryAttention(Index model, Index heads, Index kv_heads,
                                             const GroupedQueryOptions& options)
    : d_model(model),
      num_heads(heads),
      num_kv_heads(kv_heads),
      d_k(head_size("GroupedQueryAttention", model, heads)),
      W_q(model, model, options.bias),
      W_k(model, kv_size(model, heads, kv_heads), options.bias),
      W_v(model, kv_size(model, heads, kv_heads), options.bias),
      W_o(model, model, options.bias),
      dropout(options.dropout) {
  check_names(options.names);
  add(options.names[0], W_q);
  add(options.names[1], W_k);
  add(options.names[2], W_v);
  add(options.names[3], W_o);
  add("dropout", dropout);
}

Tensor GroupedQueryAttention::forward(const Tensor& x, const CausalContext& context) {
  const AttentionInput input{"x", x, "d_model", d_model};
  check_inputs("GroupedQueryAttention", input, input, input);

  // 1. Project, and split into heads.
  Tensor Q = split_heads(W_q(x), num_heads);     // (B, H, T, d_k)
  Tensor K = split_heads(W_k(x), num_kv_heads);  // (B, H_kv, T, d_k)
  Tensor V = split_heads(W_v(x), num_kv_heads);  // (B, H_kv, T, d_k)

  // 2. Turn by position.
  if (context.rotary.defined()) {
    Q = apply_rotary(Q, context.rotary);
    K = apply_rotary(K, context.rotary);
  }

  // 3. Remember, and recall what came before.
  const KVCache::KeysValues all = context.so_far(K, V);    // (B, H_kv, Tk, d_k)
  K = repeat_heads(all.keys, num_heads / num_kv_heads);    // (B, H, Tk, d_k)
  V = repeat_heads(all.values, num_heads / num_kv_heads);  // (B, H, Tk, d_k)

  // 4. Attend, and mix what the heads found.
  const Tensor output = attend(Q, K, V, seen(context, hidden_rows), dropout, kept_);
  return W_o(merge_heads(output));  // (B, T, d_model)
}

CausalSelfAttention::CausalSelfAttention(Index model, Index heads, double p)
    : d_model(model),
      num_heads(heads),
      d_k(head_size("CausalSelfAttention", model, heads)),
      c_attn(model, 3 * model),
      c_proj(model, model),
      attn_dropout(p),
      resid_dropout(p) {
  add("c_attn", c_attn);
  add("c_proj", c_proj);
  add("attn_dropout", attn_dropout);
  add("resid_dropout", resid_dropout);
}

Tensor CausalSelfAttention::forward(const Tensor& x, const CausalContext& context) {
  const AttentionInput input{"x", x, "d_model", d_model};
  check_inputs("CausalSelfAttention", input, input, input);
  const std::vector<Tensor> qkv = c_attn(x).split(d_model, -1);  // 3 (B, T, d_model)
  const Tensor Q = split_heads(qkv[0], num_heads);               // (B, H, T, d_k)
  const auto [K, V] =
      context.so_far(split_heads(qkv[1], num_heads), split_heads(qkv[2], num_heads));
  const Tensor output = attend(Q, K, V, seen(context, hidden_rows), attn_dropout, kept_);
  return resid_dropout(c_proj(merge_heads(output)));  // (B, T, d_model)
}

}  // namespace tapehead::nn
