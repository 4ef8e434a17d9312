#include <doctest/doctest.h>
#include <tapehead/core/print.h>

#include <fstream>
#include <limits>

#include "golden.h"

using namespace tapehead;
using namespace tapehead::core;

namespace {

// The array of a line "Float32 [2 3] 1.0 2.0 …" or "Float32 [2 3] arange 0.5".
NDArray read_array(std::istream& in) {
  const DType dtype = golden::read_dtype(in);
  NDArray x = NDArray::empty(golden::read_shape(in), dtype);
  std::string word;
  double step = 0;
  in >> word;
  const bool counted = word == "arange" && in >> step;
  dispatch(dtype, [&]<class T>() {
    T* data = x.mutable_data<T>();
    for (Index i = 0; i < x.size(); ++i, in >> word)
      data[i] = counted ? static_cast<T>(static_cast<double>(i) * step) : golden::number<T>(word);
  });
  return x;
}

std::string printed(const NDArray& x, const std::vector<std::string>& extra = {}) {
  std::vector<std::string> all = suffixes(x);
  all.insert(all.end(), extra.begin(), extra.end());
  return with_suffixes("tensor(" + to_string(x, 7), all);
}

// Takes the lines that start with `mark` from the file, without it.
std::vector<std::string> lines_marked(char mark, std::istream& file) {
  std::vector<std::string> result;
  for (std::string line; file.peek() == mark && std::getline(file, line);)
    result.push_back(line.substr(1));
  return result;
}

}  // namespace

TEST_CASE("arrays print as in PyTorch") {
  std::ifstream file(TAPEHEAD_TESTS_DIR "/goldens/core/print.txt");
  REQUIRE(file);
  int arrays = 0;
  for (std::string line; std::getline(file, line); ++arrays) {
    std::istringstream in(line);
    const NDArray x = read_array(in);
    const std::vector<std::string> extra = lines_marked('+', file);
    std::string expected;
    for (const std::string& text : lines_marked('|', file))
      expected += (expected.empty() ? "" : "\n") + text;
    CAPTURE(line);
    CHECK(printed(x, extra) == expected);
  }
  CHECK(arrays > 150);
}

TEST_CASE("a view prints what it shows") {
  const NDArray x = NDArray::of({1, 2, 3, 4, 5, 6}, {2, 3}, DType::Int64);
  CHECK(to_string(x.transpose(0, 1)) == "[[1, 4],\n [2, 5],\n [3, 6]]");
  CHECK(to_string(x.slice(1, 0, 3, 2)) == "[[1, 3],\n [4, 6]]");
  CHECK(to_string(x.select(1, 1)) == "[2, 5]");
  CHECK(to_string(x.select(0, 1).select(0, 2)) == "6");
  CHECK(to_string(x.narrow(0, 1, 1).expand({2, 3})) == "[[4, 5, 6],\n [4, 5, 6]]");
}

TEST_CASE("a summary looks only at what it shows") {
  NDArray x = NDArray::full({1001}, 1, DType::Float64);
  x.mutable_data<double>()[500] = 1e-9;
  CHECK(to_string(x) == "[1., 1., 1.,  ..., 1., 1., 1.]");
  CHECK(to_string(NDArray::full({1}, 1, DType::Float32).expand({std::int64_t{1} << 40})) ==
        "[1., 1., 1.,  ..., 1., 1., 1.]");
}

TEST_CASE("a lone number prints as an array without dimensions") {
  CHECK(to_string(2, DType::Float32) == "2.");
  CHECK(to_string(2.5, DType::Float64) == "2.5000");
  CHECK(to_string(1e-7, DType::Float32) == "1.0000e-07");
  CHECK(to_string(-3, DType::Int64) == "-3");
  CHECK(to_string(1, DType::Bool) == "True");
  CHECK(to_string(-std::numeric_limits<double>::quiet_NaN(), DType::Float64) == "nan");
}

TEST_CASE("the indent moves every line and shortens them") {
  const NDArray x = NDArray::full({2, 12}, 0.5, DType::Float32);
  CHECK(to_string(x.narrow(1, 0, 2), 3) == "[[0.5000, 0.5000],\n    [0.5000, 0.5000]]");
  const std::string row = "0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000";
  CHECK(to_string(x.select(0, 0), 15) ==
        "[" + row + ",\n                0.5000, 0.5000, 0.5000, 0.5000]");
  CHECK(to_string(x.narrow(1, 0, 2).select(0, 0), 100) ==
        "[0.5000,\n" + std::string(101, ' ') + "0.5000]");
}

TEST_CASE("suffixes say what the numbers do not show") {
  using Strings = std::vector<std::string>;
  CHECK(suffixes(NDArray::full({2}, 1, DType::Float32)) == Strings{});
  CHECK(suffixes(NDArray::full({2}, 1, DType::Float64)) == Strings{"dtype=Float64"});
  CHECK(suffixes(NDArray::full({2}, 1, DType::Int64)) == Strings{});
  CHECK(suffixes(NDArray::full({2}, 1, DType::Bool)) == Strings{});
  CHECK(suffixes(NDArray::full({0}, 1, DType::Bool)) == Strings{"dtype=Bool"});
  CHECK(suffixes(NDArray::full({2, 0}, 1, DType::Float32)) == Strings{"size=(2, 0)"});
  CHECK(suffixes(NDArray::full({2, 0}, 1, DType::Int64)) == Strings{"size=(2, 0)", "dtype=Int64"});
}

TEST_CASE("a suffix that would pass the 80th character starts a new line") {
  CHECK(with_suffixes("tensor([1.]", {}) == "tensor([1.])");
  CHECK(with_suffixes("tensor([1.]", {"a=1", "b=2"}) == "tensor([1.], a=1, b=2)");
  const std::string most(60, 'x'), full(66, 'x');
  CHECK(with_suffixes(most, {"a=1", "0123456789A"}) == most + ", a=1, 0123456789A)");
  CHECK(with_suffixes(most, {"a=1", "0123456789AB"}) == most + ", a=1,\n       0123456789AB)");
  CHECK(with_suffixes(full, {"0123456789"}) == full + ", 0123456789)");
  CHECK(with_suffixes(full + "x", {"0123456789", "b=2"}) == full + "x,\n       0123456789, b=2)");
  CHECK(with_suffixes("ten\n" + full + "x", {"0123456789"}, 3) ==
        "ten\n" + full + "x,\n   0123456789)");
}
