// Every truncation and every single-bit flip of a small file is refused, or read as tensors that
// are whole: of a shape that their memory has, each value readable.
#include <doctest/doctest.h>
#include <tapehead/io/llama2c.h>
#include <tapehead/io/mingpt.h>
#include <tapehead/io/npy.h>
#include <tapehead/io/npz.h>
#include <tapehead/io/safetensors.h>
#include <tapehead/io/tensor_file.h>

#include "../support/compare.h"
#include "../support/memory_file.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::MemoryFile;

namespace {

void touch(const Tensor& x) {
  CHECK(testing::values(x).size() == static_cast<std::size_t>(core::numel(x.shape())));
}
void touch(const NamedTensors& tensors) {
  for (const auto& [name, x] : tensors) touch(x);
}
void touch(const io::Safetensors& file) { touch(file.tensors); }
void touch(const io::Llama2c& file) { touch(file.tensors); }
void touch(const io::MinGpt& file) { touch(file.tensors); }
void touch(const io::Llama2cTokenizer& file) { CHECK(file.pieces.size() == file.scores.size()); }

template <class Reader>
bool refused(const MemoryFile& file, const std::string& bytes, Reader read) {
  try {
    touch(read(file.write(bytes)));
  } catch (const IoError&) {
    return true;
  }
  return false;
}

// How many of all flips are refused. Those of values are not, where no checksum watches them.
template <class Reader>
int refused_flips(std::string bytes, Reader read) {
  const MemoryFile file;
  REQUIRE_FALSE(refused(file, bytes, read));
  int count = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const char mask = static_cast<char>(1 << bit % 8);
    bytes[bit / 8] ^= mask;
    count += refused(file, bytes, read);
    bytes[bit / 8] ^= mask;
  }
  return count;
}

template <class Reader>
void check_truncations(const std::string& bytes, Reader read) {
  const MemoryFile file;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK(refused(file, bytes.substr(0, size), read));
}

}  // namespace

TEST_CASE("every truncation of a small file is refused") {
  check_truncations(testing::small_safetensors(), io::read_safetensors);
  check_truncations(testing::small_npy(), io::read_npy);
  check_truncations(testing::small_npz(), io::read_npz);
  check_truncations(testing::small_llama2c(), io::read_llama2c);
  check_truncations(testing::small_llama2c_1(), io::read_llama2c);
  check_truncations(testing::small_mingpt(), io::read_mingpt);
  for (const std::string& bytes : {testing::small_safetensors(), testing::small_npy(),
                                   testing::small_npz(), testing::small_mingpt()})
    check_truncations(bytes, io::read_tensors);
}

TEST_CASE("a truncated tokenizer is refused, or ends with a whole piece") {
  const std::string bytes = testing::small_tokenizer();
  const MemoryFile file;
  int whole = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    whole += !refused(file, bytes.substr(0, size), io::read_llama2c_tokenizer);
  CHECK(whole == 4);
}

TEST_CASE("every flipped bit of a small file is refused, or leaves tensors that are whole") {
  CHECK(refused_flips(testing::small_safetensors(), io::read_safetensors) > 64 + 8 * 20);
  CHECK(refused_flips(testing::small_npy(), io::read_npy) > 8 * 40);
  CHECK(refused_flips(testing::small_npz(), io::read_npz) > 8 * 2 * 86);
  CHECK(refused_flips(testing::small_llama2c(), io::read_llama2c) > 8 * 20);
  CHECK(refused_flips(testing::small_llama2c_1(), io::read_llama2c) > 8 * 20);
  CHECK(refused_flips(testing::small_tokenizer(), io::read_llama2c_tokenizer) > 8 * 20);
  CHECK(refused_flips(testing::small_mingpt(), io::read_mingpt) > 8 * 40);
}

TEST_CASE("no flipped bit in a member of an archive goes unseen") {
  const std::string bytes = testing::small_npz();
  const NamedTensors whole = [&] {
    const MemoryFile file;
    return io::read_npz(file.write(bytes));
  }();
  const MemoryFile file;
  int accepted = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    try {
      const NamedTensors got = io::read_npz(file.write(flipped));
      REQUIRE(got.size() == whole.size());
      for (std::size_t i = 0; i < got.size(); ++i)
        CHECK(testing::difference(got[i].second, whole[i].second) == "");
      ++accepted;  // a flip in a date, or in the name's own letters: not in what is read
    } catch (const IoError&) {
    }
  }
  CHECK(accepted > 0);
}

TEST_CASE("every flipped bit, read by content, is refused or leaves tensors that are whole") {
  for (const std::string& bytes :
       {testing::small_safetensors(), testing::small_npy(), testing::small_npz(),
        testing::small_llama2c(), testing::small_mingpt()})
    CHECK(refused_flips(bytes, io::read_tensors) > 0);
}
