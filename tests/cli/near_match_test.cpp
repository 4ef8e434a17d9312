#include <doctest/doctest.h>
#include <tapehead/cli/near_match.h>

using tapehead::cli::near_match;
using tapehead::cli::suggestion;

TEST_CASE("a name is found by letters changed, missing, added, swapped or in another case") {
  const std::vector<std::string> names{"softmax", "log_softmax", "matmul", "LayerNorm", "exp", "t"};
  CHECK(near_match("softmix", names) == "softmax");
  CHECK(near_match("sofmax", names) == "softmax");
  CHECK(near_match("softmaxx", names) == "softmax");
  CHECK(near_match("matmlu", names) == "matmul");
  CHECK(near_match("layernorm", names) == "LayerNorm");
  CHECK(near_match("MATMUL", names) == "matmul");
  CHECK(near_match("epx", names) == "exp");
}

TEST_CASE("nothing is suggested where nothing is close") {
  const std::vector<std::string> names{"softmax", "t"};
  CHECK(near_match("convolution", names).empty());
  CHECK(near_match("x", names).empty());
  CHECK(near_match("", names).empty());
  CHECK(suggestion("convolution", names).empty());
  CHECK(suggestion("sotfmax", names) == "; did you mean softmax?");
}
