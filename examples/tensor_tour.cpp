// Tensors: numbers with a shape. Read this first.
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>

#include <iostream>

#include "check.h"

using namespace tapehead;

int main() {
  // Nested braces give the shape; numbers with a point are Float32, whole numbers Int64.
  const Tensor x = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  std::cout << x << "\n" << x.shape() << " " << core::name(x.dtype()) << "\n\n";
  check(x.shape() == Shape{2, 3} && x.dtype() == Float32, "two rows of three floats");
  check(arange(3).dtype() == Int64, "whole numbers are Int64");

  // Arithmetic goes element by element. Sizes of 1, and missing leading ones, are stretched.
  const Tensor column = tensor({{10.0}, {20.0}});  // (2, 1)
  std::cout << x + column << "\n\n";               // (2, 3) + (2, 1) -> (2, 3)
  check(equal(x + column, tensor({{11.0, 12.0, 13.0}, {24.0, 25.0, 26.0}})), "broadcasting");

  // Reductions take the dimensions that shall disappear.
  check(equal(x.sum({0}), tensor({5.0, 7.0, 9.0})), "sums over rows");
  check(x.mean().item() == 3.5, "the mean of all");
  check(x.argmax(1).select(0, 1).item() == 2, "the largest of the second row is its last");

  // A transposed tensor is the same memory, read with other strides: how far apart neighbours are.
  const Tensor t = x.t();
  std::cout << "x   " << x.shape() << " strides " << x.strides() << "\n";
  std::cout << "x^T " << t.shape() << " strides " << t.strides() << "\n\n";
  check(t.array().shares_storage_with(x.array()), "transposing copies nothing");
  check(t.strides() == Shape{1, 3} && !t.is_contiguous(), "its rows are columns of x");

  // view reads the same numbers, in the same order, under another shape. Where the strides don't
  // allow that, it says what to do.
  check(equal(x.view({3, -1}), tensor({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}})),
        "view keeps the order");
  try {
    t.view({6});
    check(false, "a transposed tensor cannot be viewed as one row");
  } catch (const ShapeError& error) {
    std::cout << error.what() << "\n\n";
  }
  check(equal(t.contiguous().view({6}), tensor({1.0, 4.0, 2.0, 5.0, 3.0, 6.0})), "a copy can");

  // Which is why heads are split in two steps: view, then transpose. view alone would have the
  // right shape and the wrong content.
  const Tensor tokens = arange(2 * 3 * 8, Float32).view({2, 3, 8});  // (B, T, d_model)
  const Tensor heads = tokens.view({2, 3, 4, 2}).transpose(1, 2);    // (B, H, T, d_k)
  const Tensor scrambled = tokens.view({2, 4, 3, 2});                // same shape, but no heads
  check(heads.shape() == scrambled.shape() && !equal(heads, scrambled), "a view is no split");

  // Matrix products work on the last two dimensions; those before are a batch.
  const Tensor scores = matmul(heads, heads.mT());  // (B, H, T, d_k) (B, H, d_k, T) -> (B, H, T, T)
  check(scores.shape() == Shape{2, 4, 3, 3}, "one matrix for each sequence and head");

  // Random numbers are those of PyTorch after the same seed.
  manual_seed(0);
  std::cout << rand({3}) << "\n";
}
