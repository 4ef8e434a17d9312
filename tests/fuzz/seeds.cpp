// seeds FOLDER: writes small good files for the fuzzers to begin with, in a folder for each of
// them.
#include <tapehead/train/load_model.h>

#include <filesystem>
#include <fstream>

#include "../support/weight_bytes.h"
#include "tiny_run.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

void write_models(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (const std::string& arch : train::arch_names()) {
    const train::SequenceModel model({.vocabulary = 3,
                                      .context = 2,
                                      .d_model = 4,
                                      .heads = 2,
                                      .d_ff = 4,
                                      .arch = train::arch_of(arch)});
    io::save_safetensors(folder / arch, model.state_dict(), train::model_words(model.options));
  }
}

void write_checkpoint(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  TinyRun run;
  run.trainer.step(run.batches.next);
  train::save_checkpoint(folder / "0", run.trainer, run.batches);
}

}  // namespace

int main(int, char** arguments) {
  const std::filesystem::path folder = arguments[1];
  const auto write = [&](const std::string& fuzzer, const std::vector<std::string>& files) {
    std::filesystem::create_directories(folder / fuzzer);
    for (std::size_t i = 0; i < files.size(); ++i)
      std::ofstream(folder / fuzzer / std::to_string(i), std::ios::binary) << files[i];
  };
  const std::string other_npy =
      npy_file(npy_header(">f2", "(2, 1)", true), std::string("\x3c\0\xbc\0", 4), 2);
  const std::string other_safetensors =
      safetensors_file(R"({"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},)"
                       R"("b":{"dtype":"I32","shape":[1],"data_offsets":[2,6]}})",
                       std::string(6, '\1'));
  write("safetensors", {small_safetensors(), other_safetensors});
  write("npy", {small_npy(), other_npy});
  write("npz", {small_npz(), zip_file({deflated_part("x/y.npy", other_npy)})});
  write("llama2c", {small_llama2c(), small_llama2c(false), small_llama2c_1()});
  write("llama2c_tokenizer", {small_tokenizer()});
  write("mingpt", {small_mingpt()});
  write("byte_pairs", {R"({"format": "tapehead byte pairs", "merges": [[116, 104], [256, 101]]})"});
  write("tensor_file", {small_safetensors(), small_npy(), small_npz(), small_llama2c(),
                        small_llama2c_1(), small_mingpt()});
  write("load_model", {small_safetensors(), small_llama2c(), small_mingpt()});
  write_models(folder / "load_model");
  write_checkpoint(folder / "checkpoint");
}
