// tapehead convert: weights from one format to another.
#include <filesystem>
#include <memory>

#include "../io/tensor_file.h"
#include "../train/load_model.h"
#include "commands.h"
#include "output.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

struct ConvertArguments {
  std::string from, to;
};

// What goes along, so that a model stays one.
io::Metadata words_of(const std::string& path, const io::TensorFile& file) {
  io::Metadata words = io::as_pytorch;
  words.insert(file.metadata.begin(), file.metadata.end());
  if (file.format == "minGPT" || file.format == "llama2.c")
    words.merge(train::model_words(train::load_model(path).model->options));
  return words;
}

void check_name(const std::string& to) {
  const std::string end = std::filesystem::path(to).extension().string();
  if (end != ".safetensors" && end != ".npz" && end != ".npy")
    throw UsageError(core::to_text("TO ", to, " should end in .safetensors, .npz or .npy"));
}

void convert(const ConvertArguments& a) {
  check_name(a.to);
  const io::TensorFile file = io::read_tensor_file(a.from);
  if (a.to.ends_with(".npy") && file.tensors.size() != 1)
    fail("a .npy file holds one tensor, and ", a.from, " has ", file.tensors.size(), "; name TO ",
         "so that it ends in .npz or .safetensors");
  io::save_tensors(a.to, file.tensors, words_of(a.from, file));
  say(core::to_text(one_line(a.to), ": ", grouped(std::ssize(file.tensors)),
                    file.tensors.size() == 1 ? " tensor" : " tensors", " from ", file.format,
                    "\n"));
}

}  // namespace

Command convert_command() {
  const auto a = std::make_shared<ConvertArguments>();
  return {.name = "convert",
          .about = "Write weights in another format",
          .notes =
              "FROM is safetensors, npy, npz, minGPT's JSON or a checkpoint of llama2.c,\n"
              "whatever it is called; TO ends in .safetensors, .npz or .npy. Only\n"
              "safetensors keep what makes weights a model: its sizes, its symbols.\n\n"
              "Examples:\n"
              "  tapehead convert stories15M.bin stories15M.safetensors\n"
              "  tapehead convert model.safetensors model.npz",
          .options = {required(file("FROM", a->from, "What is read")),
                      required(file("TO", a->to, "What is written"))},
          .run = [a] { convert(*a); }};
}

}  // namespace tapehead::cli
