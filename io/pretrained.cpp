#include "pretrained.h"

#include "llama2c.h"
#include "mingpt.h"

namespace tapehead::io {
namespace {

// What a model of these sizes would take is no more than a few times what the file holds: a config
// alone must not cost memory.
void check_sizes(const std::string& path, const MinGptConfig& config, const NamedTensors& tensors) {
  const auto check = [&](const std::string& name, const Shape& shape) {
    for (const auto& [have, tensor] : tensors)
      if (have == name && tensor.shape() == shape) return;
    fail<IoError>("load_gpt: ", path, ": by its config it must have ", name, " ", shape);
  };
  check("transformer.wte.weight", {config.vocab_size, config.n_embd});
  check("transformer.wpe.weight", {config.block_size, config.n_embd});
  for (Index layer = 0; layer < config.n_layer; ++layer)
    check("transformer.h." + std::to_string(layer) + ".mlp.c_fc.weight",
          {4 * config.n_embd, config.n_embd});
}

// `build()`, with what it throws as a matter of the file.
template <class Build>
auto of_file(const char* op, const std::string& path, const Build& build) {
  try {
    auto model = build();
    model->eval();
    return model;
  } catch (const IoError&) {
    throw;
  } catch (const Error& error) {
    fail<IoError>(op, ": ", path, ": ", error.what());
  }
}

}  // namespace

NamedTensors without_masks(const NamedTensors& tensors) {
  NamedTensors result;
  for (const auto& [name, tensor] : tensors)
    if (!name.ends_with(".attn.bias")) result.emplace_back(name, tensor);
  return result;
}

std::unique_ptr<nn::GPT> load_gpt(const std::string& path) {
  return of_file("load_gpt", path, [&] {
    const MinGpt file = read_mingpt(path);
    const MinGptConfig& config = file.config;
    const NamedTensors weights = without_masks(file.tensors);
    check_sizes(path, config, weights);
    auto model = std::make_unique<nn::GPT>(nn::GPTOptions{.vocabulary = config.vocab_size,
                                                          .context = config.block_size,
                                                          .d_model = config.n_embd,
                                                          .heads = config.n_head,
                                                          .layers = config.n_layer,
                                                          .dropout = config.resid_pdrop,
                                                          .tied = false});
    model->load_state_dict(weights);
    return model;
  });
}

std::unique_ptr<nn::Llama> load_llama(const std::string& path) {
  return of_file("load_llama", path, [&] {
    const Llama2c file = read_llama2c(path);
    const Llama2cConfig& config = file.config;
    auto model = std::make_unique<nn::Llama>(nn::LlamaOptions{.vocabulary = config.vocab_size,
                                                              .context = config.seq_len,
                                                              .d_model = config.dim,
                                                              .heads = config.n_heads,
                                                              .kv_heads = config.n_kv_heads,
                                                              .layers = config.n_layers,
                                                              .d_ff = config.hidden_dim,
                                                              .tied = config.shared_classifier});
    model->load_state_dict(file.tensors);
    return model;
  });
}

}  // namespace tapehead::io
