// What ops say to inputs that they cannot take.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include "../support/compare.h"
#include "../support/leaf.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

// Who says no to f.
template <class F>
std::string refused_by(F f) {
  try {
    f();
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(0, what.find(':'));
  }
  return "nobody";
}

}  // namespace

TEST_CASE("matmul and linear say which dimensions must be equal") {
  const Tensor m = zeros({2, 3}), v = zeros({3}), s = zeros({});
  CHECK_THROWS_WITH_AS(
      matmul(m, s), "matmul: expected at least 1 dimension, got (2, 3) and (); use * for a scalar",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      matmul(m, m),
      "matmul: last dimension of (2, 3) must equal second-last of (2, 3); did you mean a.mT()?",
      ShapeError);
  CHECK_THROWS_WITH_AS(matmul(v, zeros({4})),
                       "matmul: last dimension of (3) must equal the length of (4); the vector's "
                       "length must match",
                       ShapeError);
  CHECK_THROWS_WITH_AS(linear(m, v), "linear: weight must be (out, in), got (3)", ShapeError);
  CHECK_THROWS_WITH_AS(linear(m, zeros({4, 2})),
                       "linear: the last dimension of the input (2, 3) must be in = 2 of the "
                       "weight (out, in) = (4, 2)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      linear(s, zeros({4, 2})),
      "linear: the last dimension of the input () must be in = 2 of the weight (out, in) = (4, 2)",
      ShapeError);
  CHECK_THROWS_WITH_AS(linear(m, zeros({3, 2})),
                       "linear: the last dimension of the input (2, 3) must be in = 2 of the "
                       "weight (out, in) = (3, 2); did you mean weight.t()?",
                       ShapeError);
  CHECK_THROWS_WITH_AS(linear(m, zeros({4, 3}), v), "linear: bias must be (out) = (4), got (3)",
                       ShapeError);
}

TEST_CASE("shape ops say what they expected") {
  const Tensor x = zeros({2, 3, 4});
  CHECK_THROWS_WITH_AS(flatten(x, 2, 1), "flatten: start_dim 2 comes after end_dim 1 in (2, 3, 4)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(t(x),
                       "t: expected at most 2 dimensions, got (2, 3, 4); use mT() for the last "
                       "two, or transpose(d0, d1)",
                       ShapeError);
  CHECK_THROWS_WITH_AS(mT(zeros({3})),
                       "mT: expected at least 2 dimensions, got (3); t() takes fewer", ShapeError);
  CHECK_THROWS_WITH_AS(
      split(x, std::vector<Index>{4, -1}, 1),
      "split: sizes cannot be negative, got -1; they add up to the dimension's size", ShapeError);
  CHECK_THROWS_WITH_AS(split(x, std::vector<Index>{1, 1}, 1),
                       "split: the 2 sizes must add up to 3, the size of dimension 1 of (2, 3, 4), "
                       "not to 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(split(x, std::vector<Index>{INT64_MAX, 4, INT64_MAX}, 1),
                       "split: the 3 sizes must add up to 3, the size of dimension 1 of (2, 3, 4), "
                       "not to more than 64 bits can count",
                       ShapeError);
  CHECK_THROWS_WITH_AS(split(x, 0), "split: the size of a part must be positive, got 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(chunk(x, 0), "chunk: the number of parts must be positive, got 0",
                       ShapeError);
  CHECK_THROWS_WITH_AS(stack({}), "stack: expected at least one tensor", ShapeError);
  CHECK_THROWS_WITH_AS(stack({x, zeros({2})}),
                       "stack: shapes must be equal, got (2, 3, 4) and (2); cat joins tensors that "
                       "differ in one dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cat({}), "cat: expected at least one tensor, got none", ShapeError);
}

TEST_CASE("chunk and split into any number of parts are right, or refused before memory is full") {
  const Tensor x = arange(5, Float64), none = zeros({0, 3});
  CHECK(chunk(x, INT64_MAX).size() == 5);
  CHECK(values(chunk(x, INT64_MAX)[4]) == Values{4});
  CHECK(chunk(none, 3).size() == 3);
  CHECK(chunk(none, 3)[2].shape() == Shape{0, 3});
  CHECK(split(none, 0).size() == 1);
  core::set_memory_limit(core::reserved_bytes() + (Index{1} << 30));
  const auto refusal = [](const auto& call) {
    try {
      call();
    } catch (const MemoryError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string chunked = refusal([&] { chunk(none, Index{1} << 58); });
  CHECK(chunked.starts_with("allocate: chunk into 288230376151711744 parts needs "));
  const std::string split_up = refusal([] { split(zeros({Index{1} << 40, 0}), 1); });
  CHECK(split_up.starts_with("allocate: split into 1099511627776 parts needs "));
  core::set_memory_limit(0);
}

TEST_CASE("slice_backward refuses what lies outside, without overflow") {
  const auto refused = [](const Tensor& g, Index start, Index step) {
    CHECK_THROWS_WITH_AS(
        slice_backward(g, {5}, 0, start, step),
        ("slice_backward: " + std::to_string(g.numel()) + " elements from " +
         std::to_string(start) + " on in steps of " + std::to_string(step) +
         " reach outside dimension 0 of (5); give the start and step of the slice itself")
            .c_str(),
        ShapeError);
  };
  refused(ones({2}), 1, INT64_MAX);
  refused(ones({2}), 3, 2);
  refused(ones({1}), 5, 1);
  refused(ones({1}), -1, 1);
  refused(ones({0}), 6, 1);
  refused(ones({1}), 0, 0);
  CHECK(values(slice_backward(ones({2}), {5}, 0, 2, 2)) == Values{0, 0, 1, 0, 1});
  CHECK(values(slice_backward(ones({1}), {5}, 0, 4, INT64_MAX)) == Values{0, 0, 0, 0, 1});
}

TEST_CASE("indexing and losses say what they expected") {
  const Tensor logits = zeros({4, 3}), classes = tensor({0, 1, 2, 0});
  CHECK_THROWS_WITH_AS(embedding(classes, zeros({3})),
                       "embedding: weight must be (vocabulary, width), got (3)", ShapeError);
  CHECK_THROWS_WITH_AS(embedding(zeros({2}), zeros({3, 2})),
                       "embedding: the index must be Int64, got Float32; convert with .to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(embedding(tensor({{0, 1}, {2, 3}}), zeros({3, 2})),
                       "embedding: index 3 at position (1, 1) is out of range for dimension 0 of "
                       "size 3; use 0 to 2",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      cross_entropy(logits, zeros({4})),
      "cross_entropy: expected Int64 class indices, got Float32; convert with .to(Int64)",
      DTypeError);
  CHECK_THROWS_WITH_AS(cross_entropy(zeros({}), tensor(0)),
                       "cross_entropy: expected logits (C), (N, C) or (N, C, d1, ...), got ()",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cross_entropy(logits, tensor({0, 1})),
                       "cross_entropy: for logits (4, 3) the target must be (4), got (2); classes "
                       "are dimension 1 of the logits",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cross_entropy(zeros({3}), tensor({0, 1})),
                       "cross_entropy: for logits (3) the target must be (), got (2); classes are "
                       "dimension 0 of the logits",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cross_entropy(logits, classes, {.label_smoothing = 1.5}),
                       "cross_entropy: label_smoothing must be between 0 and 1, got 1.5", Error);
  CHECK_THROWS_WITH_AS(cross_entropy(logits, tensor({0, 3, 0, 0})),
                       "cross_entropy: target 3 of row 1 is not one of 3 classes; use 0 to 2, or "
                       "ignore_index to skip a row",
                       ShapeError);
  CHECK_THROWS_WITH_AS(cross_entropy(zeros({1, 0}), tensor({0})),
                       "cross_entropy: target 0 of row 0 cannot be met, since the input has no "
                       "classes; give it one at least",
                       ShapeError);
}

TEST_CASE("where refuses a number that the tensor's dtype cannot hold, in its own name") {
  const Tensor whole = tensor({1, 2}), condition = whole > 1;
  const char* const message =
      "where: the scalar 1.5 is not a whole number that Int64 holds; convert with .to(Float32) "
      "first";
  CHECK_THROWS_WITH_AS(where(condition, whole, 1.5), message, DTypeError);
  CHECK_THROWS_WITH_AS(where(condition, 1.5, whole), message, DTypeError);
  const char* const neither =
      "where: a Bool tensor takes true and false, got -1.5; convert it with .to(Float32) first";
  CHECK_THROWS_WITH_AS(where(condition, condition, -1.5), neither, DTypeError);
  CHECK_THROWS_WITH_AS(where(condition, -1.5, condition), neither, DTypeError);
  CHECK(equal(where(condition, condition, 1), ones_like(condition)));
}

TEST_CASE("what chooses among nothing says so in its own name") {
  const Tensor none = zeros({0, 3});
  const auto refused = [](const char* op, const auto& call) {
    CHECK_THROWS_WITH_AS(call(),
                         (std::string(op) + ": nothing to choose from in shape (0, 3); reduce only "
                                            "dimensions that are not empty")
                             .c_str(),
                         ShapeError);
  };
  refused("max", [&] { max(none); });
  refused("min", [&] { min(none); });
  refused("max", [&] { max(none, 0); });
  refused("argmax", [&] { argmax(none); });
  refused("argmin", [&] { argmin(none, 0); });
  CHECK(argmax(none, 1).shape() == Shape{0});
  CHECK_THROWS_WITH_AS(
      argmax(none, 2),
      "argmax: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1", ShapeError);
}

TEST_CASE("pointwise ops and reductions say what they expected") {
  const Tensor x = zeros({2, 3}), whole = tensor({1, 2});
  CHECK_THROWS_WITH_AS(gelu(x, "sigmoid"),
                       "gelu: approximate must be \"none\" or \"tanh\", got \"sigmoid\"", Error);
  CHECK_THROWS_WITH_AS(dropout(x, 1.5), "dropout: the probability must lie in [0, 1], got 1.5",
                       Error);
  CHECK_THROWS_WITH_AS(dropout(x, NAN), "dropout: the probability must lie in [0, 1], got nan",
                       Error);
  CHECK_THROWS_WITH_AS(dropout(x, -0.1, false),
                       "dropout: the probability must lie in [0, 1], got -0.1", Error);
  CHECK_THROWS_WITH_AS(dropout_mask({2}, 2), "dropout: the probability must lie in [0, 1], got 2",
                       Error);
  CHECK_THROWS_WITH_AS(mean(whole),
                       "mean: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(var(whole),
                       "var: expected Float32 or Float64, got Int64; convert with .to(Float32)",
                       DTypeError);
}

TEST_CASE("argmax and argmin refuse Bool, as PyTorch does") {
  const Tensor flags = tensor({true, false});
  CHECK_THROWS_WITH_AS(argmax(flags),
                       "argmax: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(argmin(flags, 0),
                       "argmin: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
}

TEST_CASE("an op that is made of others speaks in its own name") {
  const Tensor whole = tensor({1, 2}), x = tensor({1., 2.});
  Tensor target = whole.clone();
  const auto fraction = [](const char* op) {
    return std::string(op) +
           ": the scalar 1.5 is not a whole number that Int64 holds; convert with "
           ".to(Float32) first";
  };
  CHECK_THROWS_WITH_AS(target.sub_(1.5), fraction("sub_").c_str(), DTypeError);
  CHECK_THROWS_WITH_AS(target.sub_(whole, 1.5), fraction("sub_").c_str(), DTypeError);
  CHECK_THROWS_WITH_AS(add(whole, whole, 1.5), fraction("add").c_str(), DTypeError);
  CHECK_THROWS_WITH_AS(sub(whole, whole, 1.5), fraction("sub").c_str(), DTypeError);
  CHECK_THROWS_WITH_AS(full_like(whole, 1.5), fraction("full_like").c_str(), DTypeError);
  const auto floating = [](const char* op) {
    return std::string(op) + ": expected Float32 or Float64, got Int64; convert with .to(Float32)";
  };
  CHECK_THROWS_WITH_AS(dropout(whole), floating("dropout").c_str(), DTypeError);
  CHECK_THROWS_WITH_AS(mse_loss(whole, whole), floating("mse_loss").c_str(), DTypeError);
  CHECK_THROWS_WITH_AS(cross_entropy(whole, tensor(1)), floating("cross_entropy").c_str(),
                       DTypeError);
  CHECK_THROWS_WITH_AS(mse_loss(x, whole),
                       "mse_loss: input Float32 and target Int64 must have one dtype; convert with "
                       ".to(Float32)",
                       DTypeError);
  CHECK_THROWS_WITH_AS(
      stack({x, x}, 2),
      "stack: dimension 2 is out of range for a tensor of 2 dimensions; use -2 to 1", ShapeError);
  CHECK_THROWS_WITH_AS(
      split(x, 1, 1), "split: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      split(x, std::vector<Index>{1, 1}, 1),
      "split: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0", ShapeError);
  CHECK_THROWS_WITH_AS(
      chunk(x, 2, 1), "chunk: dimension 1 is out of range for a tensor of 1 dimension; use -1 to 0",
      ShapeError);
  CHECK_THROWS_WITH_AS(reshape(x, {3}),
                       "reshape: (3) does not hold the 2 elements of (2); make their product 2",
                       ShapeError);
}

TEST_CASE("what an index or a dtype is refused by is the op that was called") {
  const Tensor x = zeros({2, 3}), at = tensor({0, 5}), truth = zeros({2}, Bool);
  const Tensor ints = tensor({{1, 2, 3}, {4, 5, 6}}), wide = zeros({2, 3}, Float64);
  CHECK(refused_by([&] { square(truth); }) == "square");
  CHECK(refused_by([&] { index_fill(x, 1, at, 1.0); }) == "index_fill");
  CHECK(refused_by([&] { index_fill(x, 1, tensor(5), 1.0); }) == "index_fill");
  CHECK(refused_by([&] { index_fill(ints, 1, tensor({0}), 1.5); }) == "index_fill");
  CHECK(refused_by([&] { x.clone().index_fill_(1, at, 1.0); }) == "index_fill_");
  CHECK(refused_by([&] { x.clone().index_fill_(1, tensor(5), 1.0); }) == "index_fill_");
  CHECK(refused_by([&] { ints.clone().index_fill_(1, tensor({0}), 1.5); }) == "index_fill_");
  CHECK(refused_by([&] { index_copy(x, 0, at, x); }) == "index_copy");
  CHECK(refused_by([&] { index_copy(x, 0, tensor({0, 1}), wide); }) == "index_copy");
  CHECK(refused_by([&] { take_along_dim(x, tensor({{9}}), 0); }) == "take_along_dim");
  CHECK(refused_by([&] { take_along_dim(x, tensor({9})); }) == "take_along_dim");
  CHECK(refused_by([&] { take_along_dim(tensor(1.0), tensor(9), 0); }) == "take_along_dim");
  CHECK(refused_by([&] { index_add(x, 0, tensor({0}), x); }) == "index_add");
  CHECK(refused_by([&] { x.clone().index_add_(0, tensor({0}), x); }) == "index_add_");
  CHECK(refused_by([&] { gather_backward(x, {2, 3}, 0, tensor({{5}})); }) == "gather_backward");
  CHECK(refused_by([&] { index_select_backward(x, {2, 3}, 0, at); }) == "index_select_backward");
  CHECK_THROWS_WITH_AS(sum_to(x, {4}),
                       "sum_to: cannot sum (2, 3) to (4); sizes must be equal or become 1, counted "
                       "from the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(square(truth),
                       "square: expected a numeric dtype, got Bool; convert with .to(Int64)",
                       DTypeError);
}

TEST_CASE("addcmul and addcdiv refuse in their own names what does not fit") {
  const Tensor x = zeros({2, 3}), whole = zeros({2, 3}, Int64);
  CHECK_THROWS_WITH_AS(addcmul(x, x, zeros({2})),
                       "addcmul: shapes (2, 3) and (2) do not broadcast: 3 against 2 in dimension "
                       "-1; sizes must be equal, or one of them 1",
                       ShapeError);
  CHECK_THROWS_WITH_AS(addcmul(x, whole, x),
                       "addcmul: dtypes Float32 and Int64 differ; convert one of them, for example "
                       "with .to(Float32)",
                       DTypeError);
  CHECK(refused_by([&] { addcmul(whole, whole, whole, 0.5); }) == "addcmul");
  CHECK(refused_by([&] { addcmul(x > 0, x > 0, x > 0); }) == "addcmul");
  CHECK(refused_by([&] { addcdiv(whole, whole, whole); }) == "addcdiv");
  CHECK(refused_by([&] { Tensor(whole.clone()).addcdiv_(whole, whole); }) == "addcdiv_");
  CHECK(refused_by([&] { Tensor(zeros({3})).addcmul_(x, x); }) == "addcmul_");
  CHECK(values(addcmul(whole, whole + 2, whole + 3, 4)) == std::vector<double>(6, 24));
}
