#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/io/tensor_file.h>

#include "../support/compare.h"
#include "../support/refusals.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::difference;
using testing::packed;

namespace {

const Tensor small = tensor({{1.0, 2.0}, {3.0, -4.5}});

std::string words(const std::string& bytes, const char* reader = "read_tensors") {
  return testing::refusal_of(bytes, reader, io::read_tensors);
}

const std::string pickle_words =
    "this is a pickle, as torch.save writes it. To read one means to run what it says, so it is "
    "not "
    "read; in Python, where you trust it, save it again with "
    "safetensors.torch.save_file(model.state_dict(), \"model.safetensors\")";

}  // namespace

TEST_CASE("a file's own dtypes are told where they are widened, by the same names in all formats") {
  const Folder folder;
  const auto stored = [&](const std::string& bytes) {
    return io::read_tensor_file(folder.write("x.dat", bytes)).stored;
  };
  using Stored = io::StoredDTypes;
  std::string header, values;
  int end = 0;
  for (const auto& [dtype, size] : {std::pair{"BF16", 2},
                                    {"F16", 2},
                                    {"F32", 4},
                                    {"F64", 8},
                                    {"I16", 2},
                                    {"I32", 4},
                                    {"I64", 8},
                                    {"I8", 1},
                                    {"U16", 2},
                                    {"U32", 4},
                                    {"U8", 1},
                                    {"BOOL", 1}}) {
    header += std::string(header.empty() ? "{" : ",") + "\"" + dtype + "\":{\"dtype\":\"" + dtype +
              "\",\"shape\":[1],\"data_offsets\":[" + std::to_string(end) + "," +
              std::to_string(end + size) + "]}";
    end += size;
  }
  const std::string all =
      testing::safetensors_file(header + "}", std::string(static_cast<std::size_t>(end), '\0'));
  CHECK(stored(all) == Stored{{"BF16", "BF16"},
                              {"F16", "F16"},
                              {"I16", "I16"},
                              {"I32", "I32"},
                              {"I8", "I8"},
                              {"U16", "U16"},
                              {"U32", "U32"},
                              {"U8", "U8"}});
  const std::string half =
      testing::npy_file(testing::npy_header("<f2", "(1,)"), packed(std::uint16_t{1}));
  CHECK(stored(half) == Stored{{"x", "F16"}});
  CHECK(stored(testing::zip_file({testing::stored_part("a.npy", half),
                                  testing::stored_part("b.npy", testing::small_npy())})) ==
        Stored{{"a", "F16"}});
  const std::string mingpt =
      "{" + testing::small_config + R"(,"w":{"dtype":"torch.bfloat16","shape":[1],"data":"AAA="}})";
  CHECK(stored(mingpt) == Stored{{"w", "BF16"}});
  CHECK(stored(testing::small_llama2c()).empty());
}

TEST_CASE("a file of tensors is known by its content, whatever its name") {
  const Folder folder;
  const auto read = [&](const std::string& bytes) {
    return io::read_tensor_file(folder.write("x.dat", bytes));
  };
  const io::TensorFile safetensors = read(testing::small_safetensors());
  CHECK(safetensors.format == "safetensors");
  CHECK(safetensors.tensors.at(0).first == "w");
  CHECK(difference(safetensors.tensors.at(0).second, small) == "");
  CHECK(safetensors.metadata == io::as_pytorch);

  const io::TensorFile npy = read(testing::small_npy());
  CHECK(npy.format == "npy");
  CHECK(npy.tensors.at(0).first == "x");
  CHECK(difference(npy.tensors.at(0).second, small) == "");

  const io::TensorFile npz = read(testing::small_npz());
  CHECK(npz.format == "npz");
  CHECK(npz.tensors.size() == 2);
  CHECK(read(testing::zip_file({})).format == "npz");

  for (const std::string& bytes :
       {testing::small_llama2c(), testing::small_llama2c(false), testing::small_llama2c_1()}) {
    const io::TensorFile llama = read(bytes);
    CHECK(llama.format == "llama2.c");
    CHECK(llama.tensors.size() == 21);
    CHECK(llama.metadata.at("n_kv_heads") == "1");
  }
  CHECK(read(testing::small_llama2c()).metadata == io::Metadata{{"dim", "4"},
                                                                {"hidden_dim", "6"},
                                                                {"n_layers", "2"},
                                                                {"n_heads", "2"},
                                                                {"n_kv_heads", "1"},
                                                                {"vocab_size", "5"},
                                                                {"seq_len", "3"},
                                                                {"shared_classifier", "true"}});

  const io::TensorFile gpt = read(testing::small_mingpt());
  CHECK(gpt.format == "minGPT");
  CHECK(gpt.metadata == io::Metadata{{"model_type", "gpt-nano"},
                                     {"n_layer", "1"},
                                     {"n_head", "1"},
                                     {"n_embd", "2"},
                                     {"vocab_size", "3"},
                                     {"block_size", "4"},
                                     {"embd_pdrop", "0.1"},
                                     {"resid_pdrop", "0"},
                                     {"attn_pdrop", "0.25"}});
}

TEST_CASE("the length of a safetensors header may look like a pickle") {
  const std::string padded = "{" + std::string(0x27e, ' ') + "}";
  REQUIRE(padded.size() == 0x280);
  const Folder folder;
  CHECK(io::read_tensor_file(folder.write("x", testing::safetensors_file(padded))).format ==
        "safetensors");
}

TEST_CASE("pickles are refused unread, with what to do instead") {
  CHECK(words("\x80\2\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19.\x80\2M\xe9\3.") == pickle_words);
  CHECK(words("\x80\4\x95") == pickle_words);
  CHECK(words(testing::zip_file({testing::stored_part("model/data.pkl", "\x80\2cos\nsystem\n"),
                                 testing::stored_part("model/data/0", packed(1.0f))})) ==
        pickle_words);
  CHECK(words(testing::zip_file({testing::stored_part("data.pkl", "")})) == pickle_words);
}

TEST_CASE("what is no file of tensors is refused with what would be one") {
  const std::string none =
      "its content is of no format that is read: safetensors, npy, npz, llama2.c's checkpoints, "
      "minGPT's JSON";
  CHECK(words("") == none);
  CHECK(words("\x89HDF\r\n\x1a\n") == none);
  CHECK(words("GGUF" + packed(3, 0, 0, 0, 0, 0, 0, 0)) == none);
  CHECK(words("To be, or not to be, that is the question") == none);
}

TEST_CASE("where the content says nothing, the name does, and its reader says what is wrong") {
  const auto refused = [](const char* name) {
    const Folder folder;
    const std::string path = folder.write(name, "damage");
    try {
      io::read_tensors(path);
    } catch (const IoError& error) {
      std::string message = error.what();
      return message.replace(message.find(path), path.size(), "FILE");
    }
    return std::string();
  };
  CHECK(refused("x.safetensors") ==
        "read_safetensors: FILE: it has 6 bytes, too few for a safetensors file");
  CHECK(refused("x.npy") == "read_npy: FILE: it has 6 bytes, too few for a .npy file");
  CHECK(refused("x.npz") == "read_npz: FILE: it has 6 bytes, too few for a zip archive");
  CHECK(refused("x.json") ==
        "read_mingpt: FILE: it does not begin with {, as the JSON of a model does");
}

TEST_CASE("tensors are saved as the name ends, and read back") {
  const Folder folder;
  for (const char* name : {"x.safetensors", "x.npz", "x.npy"}) {
    io::save_tensors(folder.file(name), {{"x", small}});
    const NamedTensors back = io::read_tensors(folder.file(name));
    REQUIRE(back.size() == 1);
    CHECK(back[0].first == "x");
    CHECK(difference(back[0].second, small) == "");
  }
  io::save_tensors(folder.file("x.safetensors"), {{"x", small}}, {{"a", "b"}});
  CHECK(io::read_tensor_file(folder.file("x.safetensors")).metadata == io::Metadata{{"a", "b"}});
}

TEST_CASE(
    "a name that says no format, and several tensors as npy, are refused before anything is "
    "written") {
  const Folder folder;
  for (const std::string name : {"x.pt", "x", "x.bin", ".npz"})
    CHECK_THROWS_WITH_AS(io::save_tensors(folder.file(name), {{"x", small}}),
                         ("save_tensors: " + folder.file(name) +
                          " should end in .safetensors, .npz or .npy; rename it")
                             .c_str(),
                         Error);
  CHECK_THROWS_WITH_AS(
      io::save_tensors(folder.file("x.npy"), {{"a", small}, {"b", small}}),
      "save_tensors: a .npy file holds one tensor, got 2; save as .npz or .safetensors", Error);
  CHECK(folder.names().empty());
}
