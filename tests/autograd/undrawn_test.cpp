// What ./go parity does not draw, since PyTorch 1.13.1 is wrong about it or leaves it open, and no
// other test says. docs/parity.md lists all of it.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "../support/compare.h"
#include "../support/leaf.h"
#include "../support/strict_gradcheck.h"

using namespace tapehead;
using testing::difference;
using testing::leaf;
using testing::noise;
using testing::values;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("each call that parity does not draw has a test of the name that docs/parity.md gives") {
  const std::filesystem::path tests = TAPEHEAD_TESTS_DIR;
  std::string all;
  for (const char* folder : {"autograd", "core"})
    for (const auto& file : std::filesystem::directory_iterator(tests / folder))
      if (file.path().extension() == ".cpp") all += text_of(file.path());
  const std::string page = text_of(tests / "../docs/parity.md");
  const std::string table = page.substr(page.find("| call | PyTorch 1.13.1 | test |"));
  const std::regex last_column("\\| \"([^\"]*)\" \\|\n");
  std::size_t count = 0;
  for (std::sregex_iterator it(table.begin(), table.end(), last_column), end; it != end; ++it) {
    CHECK_MESSAGE(all.find("TEST_CASE(\"" + it->str(1) + "\")") != all.npos, it->str(1));
    ++count;
  }
  CHECK(count == std::count(table.begin(), table.end(), '\n') - 2);
}

TEST_CASE("no axes are all axes for logsumexp and var, to the second derivative") {
  const Tensor x = noise({2, 3}).requires_grad_();
  CHECK(difference(logsumexp(x, {}), logsumexp(x, {0, 1})) == "");
  CHECK(difference(var(x, {}), var(x, {0, 1})) == "");
  const auto f = [](const std::vector<Tensor>& in) {
    return std::vector<Tensor>{logsumexp(in[0], {}), var(in[0], {})};
  };
  const GradcheckResult result = gradcheck(f, {x}, {}, {.order = 2});
  CHECK_MESSAGE(result.passed, result.message);
}

TEST_CASE("an embedding of no index has gradients of zero, and those can be differentiated") {
  const Tensor weight = noise({3, 2}).requires_grad_();
  const Tensor none = zeros({0}, Int64);
  const Tensor y = embedding(none, weight);
  CHECK(y.shape() == Shape{0, 2});
  const auto g = autograd::grad({sum(y * y)}, {weight}, {}, {}, true);
  CHECK(values(g[0]) == testing::Values(6, 0));
  const auto f = [&](const std::vector<Tensor>& in) { return embedding(none, in[0]); };
  CHECK(gradgradcheck(f, {weight}));
}

TEST_CASE("cross_entropy without classes is that of targets that are all ignored") {
  const Tensor logits = zeros({2, 0, 3}, Float64).requires_grad_();
  const Tensor ignored = full({2, 3}, -100);
  const Tensor each = cross_entropy(logits, ignored, {.reduction = Reduction::None});
  CHECK(difference(each, zeros({2, 3}, Float64)) == "");
  const Tensor smoothed =
      cross_entropy(logits, ignored, {.reduction = Reduction::Sum, .label_smoothing = 0.1});
  CHECK(smoothed.item() == 0);
  CHECK(autograd::grad({smoothed}, {logits})[0].shape() == logits.shape());
  CHECK(std::isnan(cross_entropy(logits, ignored).item()));
}

TEST_CASE("a matrix has nothing on a diagonal that lies beside it") {
  const Tensor x = noise({2, 3}).requires_grad_();
  for (const Index beside : {-2, -7, 3, 9}) {
    CAPTURE(beside);
    CHECK(diag(x, beside).shape() == Shape{0});
  }
}

TEST_CASE("baddbmm without its first term does not see its NaN, in place neither") {
  const Tensor a = noise({2, 2, 3}, 1), b = noise({2, 3, 2}, 2);
  const Tensor x = full({2, 2, 2}, std::nan(""), Float64);
  CHECK(difference(baddbmm(x, a, b, 0, 2), bmm(a, b) * 2) == "");
  CHECK(difference(clone(x).baddbmm_(a, b, 0, 2), bmm(a, b) * 2) == "");
}

TEST_CASE("masked_scatter_ takes the source in order, however its target lies in memory") {
  Tensor x = zeros({3, 2}, Float64).t();
  x.masked_scatter_(tensor({{true, false, true}, {true, true, false}}),
                    tensor({1., 2., 3., 4.}, Float64));
  CHECK(values(x) == testing::Values{1, 0, 2, 3, 4, 0});
}

TEST_CASE("addmm_ whose factors show what it changes reads the old values") {
  Tensor x = tensor({{1., 2.}, {3., 4.}}, Float64);
  x.addmm_(x, x.t());
  CHECK(values(x) == testing::Values{6, 13, 14, 29});
}

TEST_CASE("layer_norm and cosine_similarity of one element are 0 and its sign") {
  const Tensor x = leaf({3, -2}).view({2, 1});
  CHECK(values(layer_norm(x, {1})) == testing::Values{0, 0});
  CHECK(difference(cosine_similarity(x, x.detach() * -1), tensor({-1., -1.}, Float64),
                   {.atol = 1e-15}) == "");
}

TEST_CASE("gelu far below 0 is nothing, in Float32 too, and so is its slope") {
  for (const DType dtype : {Float32, Float64}) {
    const Tensor x = tensor({-15., -40., -1e4}, dtype).requires_grad_();
    const Tensor y = gelu(x);
    for (const double value : values(y)) CHECK(std::abs(value) < 1e-38);
    for (const double slope : values(autograd::grad({y.sum()}, {x})[0]))
      CHECK(std::abs(slope) < 1e-38);
  }
}

TEST_CASE("tensors of two dtypes are not equal, and an index into nothing is refused") {
  CHECK_FALSE(equal(zeros({2}), zeros({2}, Float64)));
  CHECK_FALSE(equal(zeros({0}), zeros({0}, Int64)));
  CHECK_THROWS_WITH_AS(
      index_fill(zeros({0, 2}), 0, tensor({0}), 1),
      "index_fill: index 0 at position (0) is out of range for dimension 0, which is empty", Error);
}
