// Matrix products.
#include "../../core/matmul.h"

#include "../../core/elementwise.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {

// C = A B  gives  dA = G B^T  and  dB = A^T G, each summed over broadcast batch axes.  (ranks >= 2)
static Tensor matmul_matrices(const Tensor& a, const Tensor& b) {
  return record(
      "matmul", [&] { return core::matmul(a.array(), b.array()); },
      wrt(a,
          [b = saved(b), s = a.shape()](const Tensor& g) { return sum_to(matmul(g, mT(b())), s); }),
      wrt(b, [a = saved(a), s = b.shape()](const Tensor& g) {
        return sum_to(matmul(mT(a()), g), s);
      }));
}

// A vector on the left is a row, on the right a column; its dimension leaves the result again.
Tensor matmul(const Tensor& a, const Tensor& b) {
  check_defined("matmul", a, b);
  if (a.dim() >= 2 && b.dim() >= 2) return matmul_matrices(a, b);
  core::check_matmul(a.array(), b.array());
  const Tensor rows = a.dim() == 1 ? unsqueeze(a, 0) : a;
  const Tensor columns = b.dim() == 1 ? unsqueeze(b, 1) : b;
  Tensor product = matmul_matrices(rows, columns);
  if (b.dim() == 1) product = squeeze(product, -1);
  return a.dim() == 1 ? squeeze(product, b.dim() == 1 ? -1 : -2) : product;
}

namespace {

void check_linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  core::check_same("linear", x.dtype(), weight.dtype());
  if (bias.defined()) core::check_same("linear", x.dtype(), bias.dtype());
  if (weight.dim() != 2) fail<ShapeError>("linear: weight must be (out, in), got ", weight.shape());
  if (x.dim() == 0 || x.size(-1) != weight.size(1))
    fail<ShapeError>(
        "linear: the last dimension of the input ", x.shape(), " must be in = ", weight.size(1),
        " of the weight (out, in) = ", weight.shape(),
        x.dim() > 0 && x.size(-1) == weight.size(0) ? "; did you mean weight.t()?" : "");
  if (bias.defined() && bias.shape() != Shape{weight.size(0)})
    fail<ShapeError>("linear: bias must be (out) = (", weight.size(0), "), got ", bias.shape());
}

// All dimensions but the last, as one. Rows may be empty, and still be many.
Index row_count(const Shape& shape) { return core::numel(without(shape, shape.rank() - 1)); }

Tensor rows(const Tensor& x) {
  return x.dim() == 2 ? x : reshape(x, {row_count(x.shape()), x.size(-1)});
}

NDArray linear_value(const NDArray& x, const NDArray& weight, const Tensor& bias) {
  const Index in = x.shape()[-1], out = weight.shape()[0];
  Shape shape = x.shape();
  shape[-1] = out;
  const NDArray flat = x.contiguous().view({row_count(x.shape()), in});
  NDArray y = core::matmul(flat, weight.transpose(0, 1));
  if (bias.defined()) core::add_(y, bias.array(), 1, "linear");
  return y.view(shape);
}

}  // namespace

// y = x W^T + b  gives  dx = g W,  dW = g^T x  and  db = g, the last two summed over all rows.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  check_defined("linear", x, weight);
  check_linear(x, weight, bias);
  const auto dx = [weight = saved(weight)](const Tensor& g) { return matmul(g, weight()); };
  const auto dw = [x = saved(x)](const Tensor& g) { return matmul(t(rows(g)), rows(x())); };
  const auto db = [n = weight.size(0)](const Tensor& g) { return sum_to(g, {n}); };
  return record(
      "linear", [&] { return linear_value(x.array(), weight.array(), bias); }, wrt(x, dx),
      wrt(weight, dw), wrt(bias, db));
}

}  // namespace tapehead
