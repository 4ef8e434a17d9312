#include <doctest/doctest.h>
#include <tapehead/io/llama2c.h>

#include <cmath>

#include "../support/refusals.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::llama_numbers;
using testing::llama_piece;
using testing::packed;

namespace {

// The small checkpoint with number `at` of its header changed.
std::string with(int at, std::int32_t value) {
  return testing::small_llama2c().replace(static_cast<std::size_t>(4 * at), 4, packed(value));
}

}  // namespace

TEST_CASE("a llama2.c checkpoint whose sizes do not go together is refused") {
  const std::string good = testing::small_llama2c(), one = testing::small_llama2c_1();
  const std::int32_t most = 0x7fffffff;
  testing::check_refusals(
      {{"", "it has 0 bytes, too few for a llama2.c checkpoint"},
       {good.substr(0, 27), "it has 27 bytes, too few for a llama2.c checkpoint"},
       {with(0, 0), "dim must be positive, got 0"},
       {with(1, -6), "hidden_dim must be positive, got -6"},
       {with(2, 0), "n_layers must be positive, got 0"},
       {with(3, -2), "n_heads must be positive, got -2"},
       {with(4, 0), "n_kv_heads must be positive, got 0"},
       {with(5, 0), "vocab_size must be positive, got 0"},
       {with(6, -1), "seq_len must be positive, got -1"},
       {with(3, 3), "n_heads = 3 must split dim = 4 into heads of even width"},
       {with(3, 4), "n_heads = 4 must split dim = 4 into heads of even width"},
       {with(4, 2) + "x",
        "its sizes (dim 4, hidden_dim 6, n_layers 2, vocab_size 5, ...) need 1300 bytes, got 1173"},
       {with(4, 3), "n_kv_heads = 3 must divide n_heads = 2"},
       {with(2, 1025), "n_layers = 1025; at most 1024 are read"},
       {with(5, -5),
        "its sizes (dim 4, hidden_dim 6, n_layers 2, vocab_size 5, ...) need 1252 bytes, got 1172"},
       {with(5, std::numeric_limits<std::int32_t>::min()),
        "its sizes (dim 4, hidden_dim 6, n_layers 2, vocab_size 2147483648, ...) need 68719477828 "
        "bytes, got 1172"},
       {good.substr(0, good.size() - 1),
        "its sizes (dim 4, hidden_dim 6, n_layers 2, vocab_size 5, ...) need 1172 bytes, got 1171"},
       {llama_numbers({most - 1, most, 1024, 1, 1, most, most}),
        "its sizes (dim 2147483646, hidden_dim 2147483647, n_layers 1024, vocab_size 2147483647, "
        "...) need 18446744073709551615 bytes, got 28"},
       {packed(0x616b3432u, 2) + std::string(300, '\0'),
        "byte 4: version 2 (quantized) is not read; export it as version 0 or 1"},
       {packed(0x616b3432u, 3) + std::string(300, '\0'),
        "byte 4: version 3 is not read; export it as version 0 or 1"},
       {one.substr(0, 255), "it has 255 bytes, too few for a llama2.c checkpoint of version 1"},
       {std::string(one).replace(36, 1, "\2"), "byte 36: expected 0 or 1, got 2"},
       {one + "1234",
        "its sizes (dim 4, hidden_dim 6, n_layers 2, vocab_size 5, ...) need 1376 bytes, got "
        "1380"}},
      "read_llama2c", io::read_llama2c);
}

TEST_CASE("a tokenizer that is cut off, or whose pieces lie, is refused") {
  const std::string good = testing::small_tokenizer();
  const std::string start = packed(std::int32_t{3});
  std::string many = start;
  for (int i = 0; i <= 262144; ++i) many += packed(0.0f, 0);
  testing::check_refusals(
      {{"", "it has 0 bytes, too few for a tokenizer of llama2.c"},
       {"123", "it has 3 bytes, too few for a tokenizer of llama2.c"},
       {packed(0), "byte 0: max_token_length must be positive, got 0"},
       {packed(-3) + good.substr(4), "byte 0: max_token_length must be positive, got -3"},
       {start, "it has no pieces"},
       {good.substr(0, 10), "it ends at byte 10, within piece 0"},
       {good.substr(0, good.size() - 1), "it ends at byte 53, within piece 4"},
       {start + llama_piece("four", 0), "piece 0 has 4 bytes, where max_token_length is 3"},
       {start + packed(0.0f, -1), "piece 0 has -1 bytes, where max_token_length is 3"},
       {packed(0x7fffffff) + packed(0.0f, 0x7fffffff), "it ends at byte 12, within piece 0"},
       {start + llama_piece("a", NAN), "piece 0 has a score that is no finite number"},
       {start + llama_piece("a", 0) + llama_piece("b", -INFINITY),
        "piece 1 has a score that is no finite number"},
       {many, "it has more than 262144 pieces"}},
      "read_llama2c_tokenizer", io::read_llama2c_tokenizer);
}
