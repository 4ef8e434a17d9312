// What PyTorch packs into one matrix, in a layer that has four.
#include <doctest/doctest.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/attention.h>

#include "../support/cases.h"

using namespace tapehead;

TEST_CASE(
    "FILE-07: PyTorch MultiheadAttention weights: in_proj rows are q, k, v; every matrix is "
    "(out,in)") {
  const testing::Case c = testing::this_case();
  const std::vector<Tensor> weights = c.input("in_proj_weight").chunk(3),
                            biases = c.input("in_proj_bias").chunk(3);
  nn::MultiHeadAttention attn(4, 2, 0.0);
  attn.to(Float64);
  attn.load_state_dict({{"W_q.weight", weights[0]},
                        {"W_q.bias", biases[0]},
                        {"W_k.weight", weights[1]},
                        {"W_k.bias", biases[1]},
                        {"W_v.weight", weights[2]},
                        {"W_v.bias", biases[2]},
                        {"W_o.weight", c.input("out_proj_weight")},
                        {"W_o.bias", c.input("out_proj_bias")}});
  const Tensor x = c.input("x"), y = attn(x, x, x);
  CHECK(c.difference(y, c.output("out")) == "");
  CHECK(c.difference(attn.attention_weights(), c.output("weights")) == "");
  CHECK(c.difference(y, c.known_wrong("all_transposed_out")) != "");
  CHECK(c.difference(y, c.known_wrong("interleaved_per_head_out")) != "");
}
