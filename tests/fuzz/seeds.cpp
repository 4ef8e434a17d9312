// seeds FOLDER: writes small good files for the fuzzers to begin with, in a folder for each of
// them.
#include <filesystem>
#include <fstream>

#include "../support/weight_bytes.h"

using namespace tapehead::testing;

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
}
