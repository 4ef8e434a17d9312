#include "llama2c.h"

#include <array>
#include <cmath>

#include "detail/element.h"

namespace tapehead::io {
namespace {

constexpr std::uint32_t mark = 0x616b3432;  // "ak42", in files of version 1 and 2
constexpr std::uint64_t legacy_bytes = 28, header_bytes = 256;
constexpr Index most_layers = 1024;

struct Start {
  Llama2cConfig config;
  bool legacy;
  std::uint64_t values;  // where they begin
};

// The seven numbers of both headers.
Llama2cConfig read_config(const InputFile& file, std::uint64_t at) {
  std::array<std::int32_t, 7> n{};
  file.read(at, std::as_writable_bytes(std::span(n)));
  return {n[0], n[1], n[2], n[3], n[4], n[5], n[6], true};
}

Start read_start(const InputFile& file) {
  if (file.size() < legacy_bytes)
    file.refuse("it has ", file.size(), " bytes, too few for a llama2.c checkpoint");
  if (file.number<std::uint32_t>(0) != mark) {
    Llama2cConfig config = read_config(file, 0);
    config.shared_classifier = config.vocab_size > 0;
    config.vocab_size = std::abs(config.vocab_size);
    return {config, true, legacy_bytes};
  }
  const auto version = file.number<std::int32_t>(4);
  if (version != 1)
    file.refuse("byte 4: version ", version, version == 2 ? " (quantized)" : "",
                " is not read; export it as version 0 or 1");
  if (file.size() < header_bytes)
    file.refuse("it has ", file.size(), " bytes, too few for a llama2.c checkpoint of version 1");
  Llama2cConfig config = read_config(file, 8);
  const auto shared = file.number<std::uint8_t>(36);
  if (shared > 1) file.refuse("byte 36: expected 0 or 1, got ", int{shared});
  config.shared_classifier = shared == 1;
  return {config, false, header_bytes};
}

void check(const InputFile& file, const Llama2cConfig& c) {
  const auto positive = [&](const char* name, Index value) {
    if (value < 1) file.refuse(name, " must be positive, got ", value);
  };
  positive("dim", c.dim), positive("hidden_dim", c.hidden_dim), positive("n_layers", c.n_layers);
  positive("n_heads", c.n_heads), positive("n_kv_heads", c.n_kv_heads);
  positive("vocab_size", c.vocab_size), positive("seq_len", c.seq_len);
  if (c.dim % c.n_heads != 0 || c.dim / c.n_heads % 2 != 0)
    file.refuse("n_heads = ", c.n_heads, " must split dim = ", c.dim, " into heads of even width");
  if (c.n_heads % c.n_kv_heads != 0)
    file.refuse("n_kv_heads = ", c.n_kv_heads, " must divide n_heads = ", c.n_heads);
  if (c.n_layers > most_layers)
    file.refuse("n_layers = ", c.n_layers, "; at most ", most_layers, " are read");
}

// What lies in the file, in order. A name with a * is there once a layer.
struct Part {
  std::string name;
  Shape shape;
};

std::vector<Part> parts(const Start& start) {
  const Llama2cConfig& c = start.config;
  const Index head = c.dim / c.n_heads, kv = head * c.n_kv_heads;
  const Part embeddings{"tok_embeddings.weight", {c.vocab_size, c.dim}},
      norm{"norm.weight", {c.dim}}, attention_norm{"layers.*.attention_norm.weight", {c.dim}},
      ffn_norm{"layers.*.ffn_norm.weight", {c.dim}};
  const std::vector<Part> attention{{"layers.*.attention.wq.weight", {c.dim, c.dim}},
                                    {"layers.*.attention.wk.weight", {kv, c.dim}},
                                    {"layers.*.attention.wv.weight", {kv, c.dim}},
                                    {"layers.*.attention.wo.weight", {c.dim, c.dim}}};
  const std::vector<Part> feed_forward{{"layers.*.feed_forward.w1.weight", {c.hidden_dim, c.dim}},
                                       {"layers.*.feed_forward.w2.weight", {c.dim, c.hidden_dim}},
                                       {"layers.*.feed_forward.w3.weight", {c.hidden_dim, c.dim}}};
  std::vector<Part> result;
  const auto append = [&](const std::vector<Part>& more) {
    result.insert(result.end(), more.begin(), more.end());
  };
  append(start.legacy ? std::vector{embeddings, attention_norm}
                      : std::vector{attention_norm, ffn_norm, norm, embeddings});
  append(attention);
  if (start.legacy) append({ffn_norm});
  append(feed_forward);
  if (start.legacy)
    append({norm, {"freqs_cos", {c.seq_len, head / 2}}, {"freqs_sin", {c.seq_len, head / 2}}});
  if (!c.shared_classifier) append({{"output.weight", {c.vocab_size, c.dim}}});
  return result;
}

Index copies(const Part& part, const Llama2cConfig& config) {
  return part.name.find('*') == std::string::npos ? 1 : config.n_layers;
}

std::uint64_t bytes_of(const Part& part) {
  std::uint64_t bytes = size_of(Element::F32);
  for (const Index size : part.shape)
    bytes = bounded_product(bytes, static_cast<std::uint64_t>(size));
  return bytes;
}

void check_size(const InputFile& file, const Start& start) {
  std::uint64_t wanted = start.values;
  for (const Part& part : parts(start))
    wanted = bounded_sum(
        wanted,
        bounded_product(bytes_of(part), static_cast<std::uint64_t>(copies(part, start.config))));
  if (wanted != file.size())
    file.refuse("its sizes (dim ", start.config.dim, ", hidden_dim ", start.config.hidden_dim,
                ", n_layers ", start.config.n_layers, ", vocab_size ", start.config.vocab_size,
                ", ...) need ", wanted, " bytes, got ", file.size());
}

std::string name_of(const Part& part, Index layer) {
  const std::size_t star = part.name.find('*');
  if (star == std::string::npos) return part.name;
  return std::string(part.name).replace(star, 1, std::to_string(layer));
}

}  // namespace

Llama2c read_llama2c(const std::string& path) {
  const InputFile file("read_llama2c", path);
  const Start start = read_start(file);
  check(file, start.config);
  check_size(file, start);
  Llama2c result{start.config, {}};
  Tensor embeddings;
  std::uint64_t at = start.values;
  for (const Part& part : parts(start))
    for (Index layer = 0; layer < copies(part, start.config); ++layer) {
      const std::uint64_t begin = at;
      at += bytes_of(part);
      if (part.name.starts_with("freqs")) continue;
      const Tensor values = decode({Element::F32, part.shape}, file.from(begin));
      if (part.name.starts_with("tok")) embeddings = values;
      result.tensors.emplace_back(name_of(part, layer), values);
    }
  if (start.config.shared_classifier) result.tensors.emplace_back("output.weight", embeddings);
  return result;
}

}  // namespace tapehead::io
