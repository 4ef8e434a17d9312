#include <tapehead/autograd/create.h>
#include <tapehead/io/tensor_file.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "process.h"

using namespace tapehead;

namespace {

// Two files of these tensors, to be compared.
struct Pair {
  Pair(const NamedTensors& a, const NamedTensors& b, const std::string& end = ".safetensors")
      : one(folder.file("a" + end)), other(folder.file("b" + end)) {
    io::save_tensors(one, a);
    io::save_tensors(other, b);
  }
  Result diff(const std::string& options = "") const {
    return run_tapehead("diff '" + one + "' '" + other + "' " + options);
  }

  Folder folder;
  std::string one, other;
};

}  // namespace

TEST_CASE("the same weights are the same, also in another format") {
  const Tensor w = tensor({{1.0, 2.0}, {NAN, INFINITY}});
  const Pair same({{"w", w}, {"v", w}}, {{"w", w}, {"v", w}});
  const Result r = same.diff();
  CHECK(r.code == 0);
  CHECK(r.out == "the same: 2 tensors, exactly\n");
  io::save_tensors(same.folder.file("c.npz"), {{"w", w}, {"v", w}});
  CHECK(run_tapehead("diff '" + same.one + "' '" + same.folder.file("c.npz") + "'").out == r.out);
}

TEST_CASE("the first layer that drifts comes first, in the order of layers") {
  const Tensor w = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor off = tensor({{1.0, 2.0, 3.0}, {4.0, 5.5, 6.25}});
  const Pair pair({{"layer.2", w}, {"layer.10", w}, {"layer.1", w}},
                  {{"layer.2", off}, {"layer.10", off}, {"layer.1", w}});
  const Result r = pair.diff();
  CHECK(r.code == 1);
  CHECK(r.out ==
        "layer.2: by up to 0.5, at (1, 1): 5 and 5.5; 2 of 6 differ\n"
        "layer.10: by up to 0.5, at (1, 1): 5 and 5.5; 2 of 6 differ\n");
  CHECK(r.err ==
        "tapehead: 2 tensors differ, of 3; the first by name is layer.2; save as .npz to keep the "
        "order\n");

  // Those of an npz are in the order in which they were computed.
  const Pair dumps({{"late", w}, {"early", w}}, {{"late", off}, {"early", off}}, ".npz");
  CHECK(has(dumps.diff().err, "the first is late\n"));
}

TEST_CASE("what differs is what is further apart than is allowed") {
  const Pair pair({{"w", tensor({100.0, 0.0})}}, {{"w", tensor({100.001, 1e-7})}});
  CHECK(pair.diff("--rtol 1e-4").code == 0);
  CHECK(has(pair.diff("--rtol 1e-4").out, "the same: 1 tensor, to 0.00"));
  CHECK(pair.diff("--rtol 1e-4 --atol 0").code == 1);
  CHECK(pair.diff("--rtol 0 --atol 0.01").code == 0);
  CHECK(has(pair.diff("--rtol 0 --atol 0").out, "2 of 2 differ"));
}

TEST_CASE("names that only one file has and other shapes are differences") {
  const Pair pair({{"a", tensor({1.0})}, {"b", tensor({1.0})}},
                  {{"b", tensor({1.0, 2.0})}, {"c", tensor({NAN})}});
  const Result r = pair.diff();
  CHECK(r.code == 1);
  CHECK(r.out == "a: only in the first\nb: shape (1) and (2)\nc: only in the second\n");
  const Pair nan({{"a", tensor({1.0})}}, {{"a", tensor({NAN})}});
  CHECK(has(nan.diff().out, "a: by up to nan, at (0): 1 and nan; 1 of 1 differ\n"));
}

TEST_CASE("diff tells programs all of it") {
  const Pair pair({{"a", tensor({1.0})}, {"b", tensor({1.0})}},
                  {{"a", tensor({1.0})}, {"b", tensor({1.5})}});
  const Result r = pair.diff("--json");
  CHECK(r.code == 1);
  const auto json = nlohmann::json::parse(r.out);
  CHECK(json.at("same") == false);
  CHECK(json.at("first") == "b");
  CHECK(json.at("tensors").at(0).at("drifts") == false);
  CHECK(json.at("tensors").at(1).at("max_difference") == 0.5);
}
