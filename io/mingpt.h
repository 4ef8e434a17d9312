// minGPT's weights as JSON, as https://github.com/bbycroft/llm-viz has them: an object of `config`
// and of tensors by name, each {"shape": [3, 48], "dtype": "torch.float32", "data": "base64"}.
//
//   const MinGpt gpt = read_mingpt("model.json");
//   gpt.config.n_embd;   // 48
#pragma once

#include <string>

#include "safetensors.h"

namespace tapehead::io {

struct MinGptConfig {
  std::string model_type;
  Index n_layer = 0, n_head = 0, n_embd = 0, vocab_size = 0, block_size = 0;
  double embd_pdrop = 0, resid_pdrop = 0, attn_pdrop = 0;
};

struct MinGpt {
  MinGptConfig config;
  NamedTensors tensors;
  StoredDTypes stored = {};  // "F16" for torch.float16
};

/// All tensors in the order of the file under the names that minGPT gives them
/// ("transformer.h.0.attn.c_attn.weight"), shapes (out, in); its causal masks too, which are
/// buffers named "….attn.bias". Dtypes become ours as in read_safetensors(). Keys of `config` that
/// are not in MinGptConfig are passed over. IoError, naming path and reason, for what is not JSON,
/// lacks one of the whole numbers of `config`, has a name twice, a shape that its data do not have,
/// data that are not base64, or more than 16384 tensors.
MinGpt read_mingpt(const std::string& path);

}  // namespace tapehead::io
