// The catalogue: every op, a line each. All but the methods' in-place forms are free functions.
//
// Two tensors that meet must have one dtype and broadcast, unless said otherwise; dimensions may be
// negative. Definitions, names and defaults are PyTorch's. ShapeError, DTypeError and GraphError
// name the op, what it got and what to do.
#pragma once

#include <string_view>

#include "record.h"
#include "tensor_index.h"

namespace tapehead {

// Arithmetic (ops/arithmetic.cpp). Tensors broadcast; a Scalar takes the tensor's dtype.

Tensor add(const Tensor& a, const Tensor& b, Scalar alpha = 1);  // a + alpha b
Tensor add(const Tensor& a, Scalar b);
Tensor sub(const Tensor& a, const Tensor& b, Scalar alpha = 1);  // a - alpha b
Tensor sub(const Tensor& a, Scalar b);
Tensor sub(Scalar a, const Tensor& b);
Tensor mul(const Tensor& a, const Tensor& b);
Tensor mul(const Tensor& a, Scalar b);
Tensor div(const Tensor& a, const Tensor& b);
Tensor div(const Tensor& a, Scalar b);
Tensor div(Scalar a, const Tensor& b);
Tensor pow(const Tensor& a, const Tensor& b);
Tensor pow(const Tensor& a, Scalar b);
Tensor pow(Scalar a, const Tensor& b);
Tensor neg(const Tensor& x);

// Pointwise (ops/pointwise.cpp).

Tensor abs(const Tensor& x);      // derivative 0 at 0
Tensor exp(const Tensor& x);      //
Tensor log(const Tensor& x);      // natural
Tensor sqrt(const Tensor& x);     //
Tensor rsqrt(const Tensor& x);    // x^(-1/2)
Tensor sin(const Tensor& x);      //
Tensor cos(const Tensor& x);      //
Tensor tanh(const Tensor& x);     //
Tensor sigmoid(const Tensor& x);  // 1 / (1 + exp(-x))
Tensor relu(const Tensor& x);     // max(x, 0), derivative 0 at 0
/// x Phi(x) with `approximate` "none", or its tanh form with "tanh"; Error for any other word.
/// At infinity it and its derivative are what they tend to, where PyTorch gives NaN.
Tensor gelu(const Tensor& x, std::string_view approximate = "none");
/// Into [min, max], or all max where min > max; the gradient passes where min <= x <= max. A bound
/// that is NaN makes everything NaN (PyTorch 1.13 ignores one that comes alone). Error if both
/// bounds are missing.
Tensor clamp(const Tensor& x, std::optional<Scalar> min, std::optional<Scalar> max = {});
Tensor maximum(const Tensor& a, const Tensor& b);  // a tie shares its gradient equally
Tensor minimum(const Tensor& a, const Tensor& b);
Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);  // condition is Bool
Tensor where(const Tensor& condition, const Tensor& a, Scalar b);
Tensor where(const Tensor& condition, Scalar a, const Tensor& b);
Tensor where(const Tensor& condition, Scalar a, Scalar b);  // Float32 if one has a fraction
Tensor masked_fill(const Tensor& x, const Tensor& mask, Scalar value);  // mask is Bool

// Comparisons (ops/compare.cpp): Bool, without a gradient.

Tensor eq(const Tensor& a, const Tensor& b);
Tensor ne(const Tensor& a, const Tensor& b);
Tensor lt(const Tensor& a, const Tensor& b);
Tensor le(const Tensor& a, const Tensor& b);
Tensor gt(const Tensor& a, const Tensor& b);
Tensor ge(const Tensor& a, const Tensor& b);
Tensor eq(const Tensor& a, Scalar b);
Tensor ne(const Tensor& a, Scalar b);
Tensor lt(const Tensor& a, Scalar b);
Tensor le(const Tensor& a, Scalar b);
Tensor gt(const Tensor& a, Scalar b);
Tensor ge(const Tensor& a, Scalar b);
Tensor logical_not(const Tensor& x);
Tensor logical_and(const Tensor& a, const Tensor& b);
Tensor logical_or(const Tensor& a, const Tensor& b);
bool equal(const Tensor& a, const Tensor& b);  // shapes, dtypes and all elements
/// Whether |a - b| <= atol + rtol |b| everywhere. Both must have one shape (PyTorch broadcasts).
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);

// Reductions (ops/reduce.cpp). No axes means all; a 0-d tensor accepts axis 0 or -1.

Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdim = false);   // Bool counts as Int64
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdim = false);  // floats only
Tensor var(const Tensor& x, const Axes& axes = {}, bool unbiased = true, bool keepdim = false);
Tensor amax(const Tensor& x, const Axes& axes = {}, bool keepdim = false);  // ties share equally
Tensor amin(const Tensor& x, const Axes& axes = {}, bool keepdim = false);
Tensor max(const Tensor& x);  // of all elements; ties share equally
Tensor min(const Tensor& x);
ValuesIndices max(const Tensor& x, int d, bool keepdim = false);  // all to the first of a tie
ValuesIndices min(const Tensor& x, int d, bool keepdim = false);
Tensor argmax(const Tensor& x, std::optional<int> d = {}, bool keepdim = false);  // Int64
Tensor argmin(const Tensor& x, std::optional<int> d = {}, bool keepdim = false);
Tensor sum_to(const Tensor& x, const Shape& shape);  // undoes a broadcast from `shape`

// Matrix products (ops/matmul.cpp).

/// (n) (n) -> (); (n, k) (k) -> (n); (k) (k, m) -> (m); (..., n, k) (..., k, m) -> (..., n, m).
Tensor matmul(const Tensor& a, const Tensor& b);
/// x W^T + b: (..., in) (out, in) [(out)] -> (..., out). `bias` may be undefined.
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias = {});
Tensor mm(const Tensor& a, const Tensor& b);     // (n, k) (k, m) -> (n, m)
Tensor bmm(const Tensor& a, const Tensor& b);    // (B, n, k) (B, k, m) -> (B, n, m)
Tensor mv(const Tensor& a, const Tensor& v);     // (n, k) (k) -> (n)
Tensor dot(const Tensor& a, const Tensor& b);    // (n) (n) -> ()
Tensor outer(const Tensor& a, const Tensor& b);  // (n) (m) -> (n, m)
/// beta x + alpha a b, for x that broadcasts to (n, m). With beta = 0 no x counts, not even NaN.
/// With Int64 both factors must be whole (PyTorch drops the fraction).
Tensor addmm(const Tensor& x, const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);
Tensor baddbmm(const Tensor& x, const Tensor& a, const Tensor& b, Scalar beta = 1,
               Scalar alpha = 1);  // the same for bmm
/// Einstein's sum: "bhqd,bhkd->bhqk" multiplies, "ij->ji" permutes, "ij->i" sums, "ii->i" takes the
/// diagonal, "..." stands for any number of broadcast dimensions. A label that the output does not
/// have is summed over. Without "->" the output has the ellipsis, then the labels that appear once,
/// upper case before lower. Sizes of 1 broadcast. Operands are multiplied from left to right. Error
/// for an equation that cannot be read, ShapeError for one that does not fit the operands.
Tensor einsum(std::string_view equation, const std::vector<Tensor>& operands);

// Shapes (ops/shape.cpp). All share memory where PyTorch's do.

Tensor view(const Tensor& x, const Shape& shape);     // one size may be -1
Tensor reshape(const Tensor& x, const Shape& shape);  // a view where possible, else of a copy
Tensor flatten(const Tensor& x, int start_dim = 0, int end_dim = -1);
Tensor transpose(const Tensor& x, int d0, int d1);
Tensor t(const Tensor& x);   // transposes a matrix; rank <= 2
Tensor mT(const Tensor& x);  // transposes the last two dimensions
Tensor permute(const Tensor& x, const Dims& order);
Tensor expand(const Tensor& x, const Shape& shape);  // -1 keeps a size
Tensor squeeze(const Tensor& x);
Tensor squeeze(const Tensor& x, int d);
Tensor unsqueeze(const Tensor& x, int d);
Tensor narrow(const Tensor& x, int d, Index start, Index length);
Tensor select(const Tensor& x, int d, Index index);
Tensor slice(const Tensor& x, int d, Index start, Index end, Index step = 1);  // as x[start:end]
std::vector<Tensor> split(const Tensor& x, Index size, int d = 0);
std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& sizes, int d = 0);
std::vector<Tensor> chunk(const Tensor& x, Index chunks, int d = 0);
Tensor cat(const std::vector<Tensor>& tensors, int d = 0);
Tensor stack(const std::vector<Tensor>& tensors, int d = 0);
Tensor contiguous(const Tensor& x);                // itself if row-major already
Tensor clone(const Tensor& x);                     // a row-major copy
Tensor to(const Tensor& x, DType dtype);           // itself if of that dtype already
Tensor tril(const Tensor& x, Index diagonal = 0);  // of the last two dimensions
Tensor triu(const Tensor& x, Index diagonal = 0);
Tensor alias(const Tensor& x);  // the same memory under a new node

// More shapes (ops/rearrange.cpp). Of these diagonal, movedim, swapdims and unbind share memory.

Tensor ravel(const Tensor& x);  // row-major, of one dimension
Tensor swapdims(const Tensor& x, int d0, int d1);
Tensor movedim(const Tensor& x, const Dims& source, const Dims& destination);
Tensor movedim(const Tensor& x, int source, int destination);
std::vector<Tensor> unbind(const Tensor& x, int d = 0);
/// Elements (i, i + offset) of dimensions d0 and d1, as a new last dimension.
Tensor diagonal(const Tensor& x, Index offset = 0, int d0 = 0, int d1 = 1);
/// The diagonal of a matrix, copied, or the matrix with this vector as its diagonal. Nothing where
/// a matrix has no such diagonal (PyTorch 1.13 throws).
Tensor diag(const Tensor& x, Index diagonal = 0);
Tensor flip(const Tensor& x, const Dims& dims);
/// Element i moves to i + shift, round the end. No dimensions: as if flattened.
Tensor roll(const Tensor& x, const Dims& shifts, const Dims& dims);
Tensor roll(const Tensor& x, Index shift, std::optional<int> d = {});
Tensor repeat(const Tensor& x, const Dims& repeats);  // all of x, again and again
Tensor tile(const Tensor& x, const Dims& repeats);    // the same; missing dimensions count as 1
/// Each element `repeats` times in a row along d, or of the flattened x.
Tensor repeat_interleave(const Tensor& x, Index repeats, std::optional<int> d = {});
/// The same with a number for each element: Int64 of shape (), (1) or (size of d).
Tensor repeat_interleave(const Tensor& x, const Tensor& repeats, std::optional<int> d = {});
Tensor repeat_interleave(const Tensor& repeats);  // index i repeats[i] times

// By index (ops/indexing.cpp). Indices are Int64.

Tensor index_select(const Tensor& x, int d, const Tensor& index);
Tensor gather(const Tensor& x, int d, const Tensor& index);
/// Rows of `weight` (V, C) by index (...) -> (..., C); repeated rows add up their gradients.
Tensor embedding(const Tensor& index, const Tensor& weight);
Tensor take_along_dim(const Tensor& x, const Tensor& index, std::optional<int> d = {});
/// x with src[i][j][k] at [i][index[i][j][k]][k] (for d = 1). Of an index named twice the last
/// counts, and alone has a gradient (PyTorch leaves both open).
Tensor scatter(const Tensor& x, int d, const Tensor& index, const Tensor& src);
Tensor scatter(const Tensor& x, int d, const Tensor& index, Scalar value);
Tensor scatter_add(const Tensor& x, int d, const Tensor& index, const Tensor& src);
/// x with alpha src.select(d, i) added to its slice index[i].
Tensor index_add(const Tensor& x, int d, const Tensor& index, const Tensor& src, Scalar alpha = 1);
Tensor index_copy(const Tensor& x, int d, const Tensor& index, const Tensor& src);
Tensor index_fill(const Tensor& x, int d, const Tensor& index, Scalar value);
Tensor masked_select(const Tensor& x, const Tensor& mask);  // (n): where the Bool mask is true
Tensor nonzero(const Tensor& x);                            // Int64 (n, rank of x), row-major
/// Int64 (...) -> (..., num_classes): 1 at each index, 0 elsewhere. -1: as many as there are.
Tensor one_hot(const Tensor& index, Index num_classes = -1);
/// x[indices] as in PyTorch; tensor_index.h says what an index may be. Shares memory unless one is
/// a tensor (of rank 1 or more, or Bool) or a bool. A Bool mask takes as many dimensions as it has
/// also where an int follows it (PyTorch 1.13 counts it as one there).
Tensor index(const Tensor& x, const std::vector<TensorIndex>& indices);
/// x with x[indices] = values, or += where `accumulate`. `values` broadcasts to x[indices]. Of
/// places named twice the last counts, and alone has a gradient (PyTorch leaves both open).
Tensor index_put(const Tensor& x, const std::vector<TensorIndex>& indices, const Tensor& values,
                 bool accumulate = false);

// Order and chance (ops/sort.cpp). Along d; a 0-d tensor accepts 0 or -1. NaN counts as largest.

/// Values and indices in order. Always stable: `stable` changes nothing, as on PyTorch's CPU.
ValuesIndices sort(const Tensor& x, int d = -1, bool descending = false, bool stable = false);
Tensor argsort(const Tensor& x, int d = -1, bool descending = false, bool stable = false);
/// The k largest (or smallest) and where they were. Of equal ones the first are chosen, and those
/// not `sorted` come as they stand in x (PyTorch leaves both open).
ValuesIndices topk(const Tensor& x, Index k, int d = -1, bool largest = true, bool sorted = true);
/// Int64 (n) or (rows, n): indices drawn by the weights (categories) or (rows, categories), which
/// need not add up to 1. Draws as PyTorch does from the default generator. Error for weights that
/// are negative, not finite or all 0. Without `replacement` a row needs n weights above 0 (PyTorch
/// also draws those of weight 0).
Tensor multinomial(const Tensor& weights, Index num_samples, bool replacement = false);

// Softmax and normalisation (ops/softmax.cpp, ops/normalisation.cpp).

Tensor softmax(const Tensor& x, int d);
Tensor log_softmax(const Tensor& x, int d);
Tensor logsumexp(const Tensor& x, const Axes& axes, bool keepdim = false);
/// (x - mean) / sqrt(var + eps) * weight + bias over the last dimensions, which are `normalized`;
/// the variance is biased. weight and bias have that shape or are undefined.
Tensor layer_norm(const Tensor& x, const Shape& normalized, const Tensor& weight = {},
                  const Tensor& bias = {}, double eps = 1e-5);
/// Each element 0 with probability p, else x / (1 - p); x itself unless `training`. Draws as
/// PyTorch does from the default generator. Error for p outside [0, 1].
Tensor dropout(const Tensor& x, double p = 0.5, bool training = true);
/// The factor dropout multiplies with: 0 or 1 / (1 - p), drawn from the default generator.
Tensor dropout_mask(const Shape& shape, double p, DType dtype = Float32);

// Attention (ops/attention.cpp).

/// softmax(scale q k^T + bias, masked) v in one pass, and the weights if `want_weights`.
/// q (B, H, Tq, d), k (B, H, Tk, d), v (B, H, Tk, d_v). `mask` (Bool, true = may attend) and `bias`
/// broadcast to (B, H, Tq, Tk), `keep_scale` (see dropout_mask) has that shape; each may be
/// undefined. Hidden scores are -1e9: a row with no visible key is uniform.
struct AttentionResult {
  Tensor output;   // (B, H, Tq, d_v)
  Tensor weights;  // (B, H, Tq, Tk), after dropout, or undefined
};
AttentionResult fused_attention(const Tensor& q, const Tensor& k, const Tensor& v,
                                const Tensor& mask, const Tensor& bias, const Tensor& keep_scale,
                                double scale, bool want_weights);

// Losses (ops/losses.cpp).

enum class Reduction { None, Mean, Sum };
struct CrossEntropyOptions {
  Index ignore_index = -100;  // targets that do not count
  Reduction reduction = Reduction::Mean;
  double label_smoothing = 0;  // in [0, 1]
};
/// Of logits (C), (N, C) or (N, C, d1, …) and Int64 classes (), (N) or (N, d1, …). The mean runs
/// over the targets that count; if none does it is NaN, with zero gradients, as in PyTorch.
Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                     const CrossEntropyOptions& options = {});
/// (input - target)^2, averaged. Shapes must be equal.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean);

// Adjoints (ops/adjoints.cpp): what the derivative of indexing is. The rest is zero.

Tensor slice_backward(const Tensor& g, const Shape& shape, int d, Index start, Index step);
Tensor index_select_backward(const Tensor& g, const Shape& shape, int d, const Tensor& index);
Tensor gather_backward(const Tensor& g, const Shape& shape, int d, const Tensor& index);
Tensor diagonal_backward(const Tensor& g, const Shape& shape, Index offset, int d0, int d1);

// Operators.

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator+(const Tensor& a, Scalar b) { return add(a, b); }
inline Tensor operator+(Scalar a, const Tensor& b) { return add(b, a); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }
inline Tensor operator-(const Tensor& a, Scalar b) { return sub(a, b); }
inline Tensor operator-(Scalar a, const Tensor& b) { return sub(a, b); }
inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }
inline Tensor operator*(const Tensor& a, Scalar b) { return mul(a, b); }
inline Tensor operator*(Scalar a, const Tensor& b) { return mul(b, a); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }
inline Tensor operator/(const Tensor& a, Scalar b) { return div(a, b); }
inline Tensor operator/(Scalar a, const Tensor& b) { return div(a, b); }
inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
inline Tensor operator==(const Tensor& a, Scalar b) { return eq(a, b); }
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
inline Tensor operator!=(const Tensor& a, Scalar b) { return ne(a, b); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
inline Tensor operator<(const Tensor& a, Scalar b) { return lt(a, b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
inline Tensor operator<=(const Tensor& a, Scalar b) { return le(a, b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
inline Tensor operator>(const Tensor& a, Scalar b) { return gt(a, b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
inline Tensor operator>=(const Tensor& a, Scalar b) { return ge(a, b); }

}  // namespace tapehead
