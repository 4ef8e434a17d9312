#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/io/tensor_file.h>

#include "../support/weight_bytes.h"
#include "process.h"

using namespace tapehead;

TEST_CASE("convert writes what it reads, in the format that the name asks for") {
  const Folder folder;
  for (const auto& [name, bytes] :
       {std::pair{"a", testing::small_safetensors()}, std::pair{"b", testing::small_npy()},
        std::pair{"c", testing::small_npz()}, std::pair{"d", testing::small_llama2c()}}) {
    const std::string from = folder.write(name, bytes);
    const NamedTensors want = io::read_tensors(from);
    for (const std::string end : {".safetensors", ".npz"}) {
      const Result r = run_tapehead("convert '" + from + "' '" + from + end + "'");
      CAPTURE(from);
      CHECK(r.code == 0);
      const NamedTensors got = io::read_tensors(from + end);
      CHECK(got.size() == want.size());
      for (const auto& tensor : want) {
        const auto same = [&](const auto& other) { return other.first == tensor.first; };
        const auto found = std::find_if(got.begin(), got.end(), same);
        REQUIRE(found != got.end());
        CHECK(equal(found->second, tensor.second));
      }
    }
  }
  const Result r =
      run_tapehead("convert '" + folder.file("b") + "' '" + folder.file("b.npy") + "'");
  CHECK(r.out == folder.file("b.npy") + ": 1 tensor from npy\n");
}

TEST_CASE("what goes along with a model goes along with its safetensors") {
  const Folder folder;
  CHECK(run_tapehead("train copy --arch gpt --steps 1 --out '" + folder.file("w") + "'").code == 0);
  CHECK(run_tapehead("convert '" + folder.file("w") + "' '" + folder.file("v.safetensors") + "'")
            .code == 0);
  CHECK(io::read_tensor_file(folder.file("v.safetensors")).metadata ==
        io::read_tensor_file(folder.file("w")).metadata);
  CHECK(folder.read("v.safetensors") == folder.read("w"));
}

TEST_CASE(
    "convert refuses a format that is not written, and several tensors as one, with one line") {
  const Folder folder;
  const std::string from = folder.write("a", testing::small_llama2c());
  const Result text = run_tapehead("convert '" + from + "' '" + folder.file("a.txt") + "'");
  CHECK(text.code == 2);
  CHECK(text.err ==
        "tapehead: TO " + folder.file("a.txt") + " should end in .safetensors, .npz or .npy\n");
  const Result one = run_tapehead("convert '" + from + "' '" + folder.file("a.npy") + "'");
  CHECK(one.code == 1);
  CHECK(one.err == "tapehead: a .npy file holds one tensor, and " + from +
                       " has 21; name TO so that it ends in .npz or .safetensors\n");
  CHECK(folder.names() == std::vector<std::string>{"a"});
}
