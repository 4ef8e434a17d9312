#include "tensor_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "detail/input_file.h"
#include "detail/stored.h"
#include "detail/zip.h"
#include "llama2c.h"
#include "mingpt.h"
#include "npy.h"
#include "npz.h"

namespace tapehead::io {
namespace {

constexpr const char* reader = "read_tensors";

std::string extension(const std::string& path) {
  return std::filesystem::path(path).extension().string();
}

TensorFile from_safetensors(const std::string& path) {
  Safetensors file = read_safetensors(path);
  return {"safetensors", std::move(file.tensors), std::move(file.metadata), std::move(file.stored)};
}

TensorFile from_npy(const std::string& path) {
  const std::string name = std::filesystem::path(path).stem().string();
  StoredDTypes stored;
  Tensor tensor = read_npy(path, name, stored);
  return {"npy", {{name, std::move(tensor)}}, {}, std::move(stored)};
}

TensorFile from_npz(const std::string& path) {
  StoredDTypes stored;
  NamedTensors tensors = read_npz(path, stored);
  return {"npz", std::move(tensors), {}, std::move(stored)};
}

TensorFile from_llama2c(const std::string& path) {
  Llama2c file = read_llama2c(path);
  const Llama2cConfig& c = file.config;
  Metadata metadata{{"dim", core::to_text(c.dim)},
                    {"hidden_dim", core::to_text(c.hidden_dim)},
                    {"n_layers", core::to_text(c.n_layers)},
                    {"n_heads", core::to_text(c.n_heads)},
                    {"n_kv_heads", core::to_text(c.n_kv_heads)},
                    {"vocab_size", core::to_text(c.vocab_size)},
                    {"seq_len", core::to_text(c.seq_len)},
                    {"shared_classifier", c.shared_classifier ? "true" : "false"}};
  return {"llama2.c", std::move(file.tensors), std::move(metadata)};
}

TensorFile from_mingpt(const std::string& path) {
  MinGpt file = read_mingpt(path);
  const MinGptConfig& c = file.config;
  Metadata metadata{{"model_type", c.model_type},
                    {"n_layer", core::to_text(c.n_layer)},
                    {"n_head", core::to_text(c.n_head)},
                    {"n_embd", core::to_text(c.n_embd)},
                    {"vocab_size", core::to_text(c.vocab_size)},
                    {"block_size", core::to_text(c.block_size)},
                    {"embd_pdrop", core::to_text(c.embd_pdrop)},
                    {"resid_pdrop", core::to_text(c.resid_pdrop)},
                    {"attn_pdrop", core::to_text(c.attn_pdrop)}};
  return {"minGPT", std::move(file.tensors), std::move(metadata), std::move(file.stored)};
}

// The first bytes; zeros where the file has fewer.
using Beginning = std::array<char, 28>;
Beginning beginning(const InputFile& file) {
  Beginning result{};
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(file.size(), result.size()));
  file.read(0, std::as_writable_bytes(std::span(result).first(count)));
  return result;
}

bool is_safetensors(const InputFile& file, std::string_view bytes) {
  return file.size() > 8 && bytes[8] == '{' && file.number<std::uint64_t>(0) <= file.size() - 8;
}

bool is_zip(std::string_view bytes) {
  return bytes.starts_with(std::string_view("PK\3\4")) ||
         bytes.starts_with(std::string_view("PK\5\6"));
}

// What pickle writes first: \x80 and the version of its protocol.
bool is_pickle(std::string_view bytes) {
  return bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

[[noreturn]] void refuse_pickle(const InputFile& file) {
  file.refuse(
      "this is a pickle, as torch.save writes it. To read one means to run what it says, so it is "
      "not read; in Python, where you trust it, save it again with "
      "safetensors.torch.save_file(model.state_dict(), \"model.safetensors\")");
}

// torch.save writes a zip archive whose member NAME/data.pkl is the pickle.
bool has_pickle(const InputFile& file) {
  const std::vector<ZipMember> members = zip_members(file);
  return std::any_of(members.begin(), members.end(), [](const ZipMember& member) {
    return member.name.ends_with("/data.pkl") || member.name == "data.pkl";
  });
}

// llama2.c's first version has no mark: seven plausible numbers.
bool may_be_llama2c(const InputFile& file, std::string_view bytes) {
  if (bytes.starts_with("24ka")) return true;
  if (file.size() < bytes.size()) return false;
  for (std::uint64_t i = 0; i < 7; ++i) {
    const auto number = file.number<std::int32_t>(4 * i);
    if (number == 0 || (number < 0 && i != 5) || number > 1 << 24) return false;
  }
  return true;
}

TensorFile by_name(const InputFile& file, const std::string& path) {
  const std::string end = extension(path);
  if (end == ".safetensors") return from_safetensors(path);
  if (end == ".npy") return from_npy(path);
  if (end == ".npz") return from_npz(path);
  if (end == ".json") return from_mingpt(path);
  file.refuse(
      "its content is of no format that is read: safetensors, npy, npz, llama2.c's checkpoints, "
      "minGPT's JSON");
}

}  // namespace

TensorFile read_tensor_file(const std::string& path) {
  const InputFile file(reader, path);
  const Beginning first = beginning(file);
  const std::string_view bytes(first.data(), first.size());
  if (is_safetensors(file, bytes)) return from_safetensors(path);
  if (bytes.starts_with("\x93NUMPY")) return from_npy(path);
  if (is_pickle(bytes)) refuse_pickle(file);
  if (is_zip(bytes)) {
    if (has_pickle(file)) refuse_pickle(file);
    return from_npz(path);
  }
  if (bytes[0] == '{') return from_mingpt(path);
  if (may_be_llama2c(file, bytes)) return from_llama2c(path);
  return by_name(file, path);
}

NamedTensors read_tensors(const std::string& path) { return read_tensor_file(path).tensors; }

void save_tensors(const std::string& path, const NamedTensors& tensors, const Metadata& metadata) {
  const std::string end = extension(path);
  if (end == ".safetensors") return save_safetensors(path, tensors, metadata);
  if (end == ".npz") return save_npz(path, tensors);
  if (end != ".npy")
    fail("save_tensors: ", path, " should end in .safetensors, .npz or .npy; rename it");
  if (tensors.size() != 1)
    fail("save_tensors: a .npy file holds one tensor, got ", tensors.size(),
         "; save as .npz or .safetensors");
  save_npy(path, tensors.front().second);
}

}  // namespace tapehead::io
