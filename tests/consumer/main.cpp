// A tapehead program whose own core/ndarray.h must not get in the way.
#include <tapehead/core/ndarray.h>
#include <tapehead/tapehead.h>

#include <iostream>

#include "core/ndarray.h"

using namespace tapehead;

int main() {
  Tensor x = tensor({1.0, 2.0, 3.0}, Float64).requires_grad_();
  (x * x).sum().backward();
  nn::MultiHeadAttention attn(8, 2);
  const Tensor y = attn(rand({2, 3, 8}), rand({2, 5, 8}), rand({2, 5, 8}));
  std::cout << owner() << ": " << x.grad() << ' ' << y.shape() << '\n';
}
