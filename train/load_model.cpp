#include "load_model.h"

#include <filesystem>
#include <iomanip>

#include "../core/text.h"
#include "../io/pretrained.h"
#include "../io/tensor_file.h"
#include "checkpoint.h"
#include "run_folder.h"

namespace tapehead::train {
namespace {

const std::string& word(const io::Metadata& words, const char* key) {
  const auto found = words.find(key);
  if (found == words.end()) fail("it does not say \"", key, "\" among its metadata");
  return found->second;
}

template <class T>
T number(const io::Metadata& words, const char* key) {
  std::istringstream in(word(words, key));
  in.imbue(std::locale::classic());
  T value{};
  if (!(in >> value) || in.peek() != std::istringstream::traits_type::eof())
    fail("its ", key, " is \"", in.str(), "\", expected a number");
  return value;
}

std::string exactly(double value) { return core::to_text(std::setprecision(17), value); }

// Numbers that a model may have beyond those of its file.
constexpr double most_made = 1 << 21;

// What such a model has at least must be there: its words alone are not to cost memory.
void check_sizes(const ModelOptions& o, const NamedTensors& tensors) {
  constexpr Index most = Index{1} << 30, most_layers = 16384;
  for (const Index size : {o.vocabulary, o.context, o.d_model, o.d_ff, o.heads, o.kv_heads})
    if (size < 1 || size > most) fail("its sizes must be from 1 to ", most, ", got ", size);
  if (o.layers < 0 || o.layers > most_layers)
    fail("its layers must be from 0 to ", most_layers, ", got ", o.layers);
  double held = 0;
  for (const auto& [name, tensor] : tensors) held += static_cast<double>(tensor.numel());
  const auto V = static_cast<double>(o.vocabulary), C = static_cast<double>(o.d_model),
             F = static_cast<double>(o.d_ff), layers = static_cast<double>(o.layers);
  // A table of positions is among the weights where it is learnt; sines are made from the sizes.
  const bool learned =
      o.arch == Arch::gpt || (o.arch == Arch::decoder && o.positions == nn::Positions::Learned);
  const bool sines = o.arch == Arch::encoder || o.arch == Arch::encdec ||
                     (o.arch == Arch::decoder && o.positions == nn::Positions::Sinusoidal);
  const double table = static_cast<double>(o.context) * C;
  const double needed = V * C + 2 * layers * C * (C + F) + (learned ? table : 0);
  if (needed > held)
    fail("its sizes need ", std::setprecision(15), needed, " numbers or more, got ", held);
  if (sines && table > held + most_made)
    fail("the sines of its context need ", std::setprecision(15), table,
         " numbers, expected at most ", held + most_made, " beside weights of ", held);
}

// The weights of a checkpoint, which has more.
NamedTensors of_model(const NamedTensors& tensors) {
  const std::string prefix = "model.";
  NamedTensors result;
  for (const auto& [name, tensor] : tensors)
    if (name.starts_with(prefix)) result.emplace_back(name.substr(prefix.size()), tensor);
  return result;
}

std::unique_ptr<SequenceModel> built(const io::TensorFile& file) {
  const bool is_checkpoint = file.metadata.count("batches") > 0;
  const NamedTensors weights = is_checkpoint ? of_model(file.tensors) : file.tensors;
  const ModelOptions options = options_of(file.metadata);
  check_sizes(options, weights);
  auto model = std::make_unique<SequenceModel>(options);
  model->load_state_dict(io::without_masks(weights));
  return model;
}

std::unique_ptr<SequenceModel> model_of(const std::string& path, const io::TensorFile& file) {
  if (file.format == "minGPT") return std::make_unique<SequenceModel>(io::load_gpt(path));
  if (file.format == "llama2.c") return std::make_unique<SequenceModel>(io::load_llama(path));
  if (file.metadata.count("arch") > 0) return built(file);
  fail(
      "it has weights, but does not say of what model; choose a run folder, weights that tapehead "
      "trained, minGPT's JSON or llama2.c's checkpoint");
}

// What a folder has that comes closest to a trained model.
std::string weights_in(const std::string& folder) {
  const RunFolder run = RunFolder::open(folder);
  std::error_code none;
  for (const std::string& file : {run.final_weights(), run.best(), run.checkpoint()})
    if (std::filesystem::exists(file, none)) return file;
  fail<IoError>("load_model: ", folder, " has no weights yet; resume the run");
}

}  // namespace

io::Metadata model_words(const ModelOptions& o) {
  io::Metadata words{{"arch", name(o.arch)},
                     {"vocabulary", std::to_string(o.vocabulary)},
                     {"context", std::to_string(o.context)},
                     {"d_model", std::to_string(o.d_model)},
                     {"heads", std::to_string(o.heads)},
                     {"layers", std::to_string(o.layers)},
                     {"d_ff", std::to_string(o.d_ff)},
                     {"dropout", exactly(o.dropout)}};
  if (o.arch == Arch::decoder) words["positions"] = name(o.positions);
  if (o.arch == Arch::gpt || o.arch == Arch::llama) words["tied"] = o.tied ? "true" : "false";
  if (o.arch != Arch::llama) return words;
  words.insert({{"kv_heads", std::to_string(o.kv_heads)},
                {"eps", exactly(o.eps)},
                {"base", exactly(o.base)}});
  return words;
}

ModelOptions options_of(const io::Metadata& words) {
  ModelOptions o{.vocabulary = number<Index>(words, "vocabulary"),
                 .context = number<Index>(words, "context"),
                 .d_model = number<Index>(words, "d_model"),
                 .heads = number<Index>(words, "heads"),
                 .layers = number<Index>(words, "layers"),
                 .d_ff = number<Index>(words, "d_ff"),
                 .dropout = number<double>(words, "dropout"),
                 .arch = arch_of(word(words, "arch"))};
  o.kv_heads = o.heads;
  if (o.arch == Arch::decoder) o.positions = positions_of(word(words, "positions"));
  if (o.arch == Arch::gpt || o.arch == Arch::llama) o.tied = word(words, "tied") == "true";
  if (o.arch != Arch::llama) return o;
  o.kv_heads = number<Index>(words, "kv_heads");
  o.eps = number<double>(words, "eps");
  o.base = number<double>(words, "base");
  return o;
}

LoadedModel load_model(const std::string& path) {
  std::error_code none;
  const std::string weights = std::filesystem::is_directory(path, none) ? weights_in(path) : path;
  const io::TensorFile file = io::read_tensor_file(weights);
  try {
    LoadedModel loaded{model_of(weights, file), weights, file.metadata};
    loaded.model->eval();
    return loaded;
  } catch (const IoError&) {
    throw;
  } catch (const Error& error) {
    fail<IoError>("load_model: ", weights, ": ", error.what());
  }
}

}  // namespace tapehead::train
