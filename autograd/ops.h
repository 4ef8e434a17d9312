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

// Arithmetic (ops/arithmetic.cpp, ops/rounding.cpp). Tensors broadcast; a Scalar takes the tensor's
// dtype. Bool has none (DTypeError): for Bool + Bool and Bool * Bool, which PyTorch takes as or and
// and, there are logical_or and logical_and.

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
/// floor(a / b), with gradient zero; Int64 too, where b = 0 is an Error.
Tensor floor_divide(const Tensor& a, const Tensor& b);
Tensor floor_divide(const Tensor& a, Scalar b);
/// a - floor(a / b) b, which has the sign of b (as Python's %, not C's).
Tensor remainder(const Tensor& a, const Tensor& b);
Tensor remainder(const Tensor& a, Scalar b);
/// a + weight (b - a). Float32 and Float64.
Tensor lerp(const Tensor& a, const Tensor& b, const Tensor& weight);
Tensor lerp(const Tensor& a, const Tensor& b, Scalar weight);
/// x + value a b, and x + value a / b (Float32 and Float64); all three broadcast.
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1);
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, Scalar value = 1);

// Pointwise (ops/pointwise.cpp, ops/activations.cpp, ops/rounding.cpp). Float32 and Float64 but for
// abs, relu, square, sign, rounding and choices. Where PyTorch would make Float32 of Int64, convert
// first.

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
Tensor square(const Tensor& x);
Tensor reciprocal(const Tensor& x);  // 1 / x
Tensor expm1(const Tensor& x);       // exp(x) - 1, exact near 0
Tensor log1p(const Tensor& x);       // log(1 + x), exact near 0
Tensor log2(const Tensor& x);
Tensor log10(const Tensor& x);
Tensor erf(const Tensor& x);
Tensor logaddexp(const Tensor& a, const Tensor& b);  // log(exp(a) + exp(b))
Tensor sign(const Tensor& x);                        // -1, 0 or 1; like the next four it has
Tensor floor(const Tensor& x);                       // gradient zero, and leaves Int64 as it is
Tensor ceil(const Tensor& x);
Tensor round(const Tensor& x);  // halves to even
Tensor trunc(const Tensor& x);
Tensor silu(const Tensor& x);  // x sigmoid(x), also called swish
Tensor leaky_relu(const Tensor& x, double negative_slope = 0.01);  // x, times the slope if x <= 0
Tensor elu(const Tensor& x, double alpha = 1);  // x, or alpha (exp(x) - 1) if x <= 0
/// log(1 + exp(beta x)) / beta, taken as x where beta x > threshold.
Tensor softplus(const Tensor& x, double beta = 1, double threshold = 20);
Tensor logsigmoid(const Tensor& x);  // log(sigmoid(x)), exact for every x
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

// Comparisons (ops/compare.cpp): Bool, without a gradient. A number that the dtype cannot hold is
// compared as it is. Logical ops take any dtypes: what is not 0, NaN too, is true.

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
Tensor logical_xor(const Tensor& a, const Tensor& b);
Tensor isnan(const Tensor& x);
Tensor isinf(const Tensor& x);
Tensor isfinite(const Tensor& x);              // neither NaN nor infinite
bool equal(const Tensor& a, const Tensor& b);  // shapes, dtypes and all elements
/// Where |a - b| <= atol + rtol |b|, computed in double precision for every dtype. Infinities are
/// close to themselves alone, and NaN to NaN if `equal_nan`. Error for a tolerance below 0.
Tensor isclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);
/// Whether that is so everywhere.
bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);

// Reductions (ops/reduce.cpp, ops/prod.cpp, ops/norm.cpp). No axes means all; a 0-d tensor accepts
// axis 0 or -1.

Tensor sum(const Tensor& x, const Axes& axes = {}, bool keepdim = false);   // Bool counts as Int64
Tensor mean(const Tensor& x, const Axes& axes = {}, bool keepdim = false);  // floats only
/// Unbiased: over n - 1. That of one element is NaN, and so is its gradient.
Tensor var(const Tensor& x, const Axes& axes = {}, bool unbiased = true, bool keepdim = false);
Tensor std(const Tensor& x, const Axes& axes = {}, bool unbiased = true,
           bool keepdim = false);  // sqrt(var); gradient 0 where it is 0
Tensor prod(const Tensor& x);      // Bool and Int64 give Int64, here and in cumsum
Tensor prod(const Tensor& x, int d, bool keepdim = false);
Tensor cumsum(const Tensor& x, int d);  // sums of all elements up to each
/// (sum |x|^p)^(1/p) of vectors: 2 the Euclidean one, 0 how many are not 0 (without a gradient),
/// INFINITY and -INFINITY the largest and smallest |x|. Of nothing it is 0. The gradient is 0 where
/// the norm is; ties share theirs. Float32 and Float64.
Tensor norm(const Tensor& x, double p = 2, const Axes& axes = {}, bool keepdim = false);
Tensor all(const Tensor& x);  // Bool of any dtype, as in logical_and
Tensor all(const Tensor& x, int d, bool keepdim = false);
Tensor any(const Tensor& x);
Tensor any(const Tensor& x, int d, bool keepdim = false);
Tensor count_nonzero(const Tensor& x, const Axes& axes = {});               // Int64
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
/// x with the elements of source, in their order, where the Bool mask is true.
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source);
Tensor nonzero(const Tensor& x);  // Int64 (n, rank of x), row-major
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
/// x / sqrt(mean(x^2) + eps) * weight over the last dimensions, which are `normalized`; by default
/// eps is the distance from 1 to the next number of the dtype (Zhang and Sennrich, 2019; PyTorch
/// has it from 2.4 on). weight has that shape or is undefined.
Tensor rms_norm(const Tensor& x, const Shape& normalized, const Tensor& weight = {},
                std::optional<double> eps = {});
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

// Losses (ops/cross_entropy.cpp, ops/losses.cpp). Input and target have one floating dtype and one
// shape (PyTorch broadcasts some of them), unless said otherwise.

enum class Reduction {
  None,
  Mean,
  Sum,
  BatchMean  // sum / input.size(0), of kl_div alone
};
struct CrossEntropyOptions {
  Index ignore_index = -100;  // targets that do not count
  Reduction reduction = Reduction::Mean;
  double label_smoothing = 0;  // in [0, 1]
};
/// Of logits (C), (N, C) or (N, C, d1, …) and Int64 classes (), (N) or (N, d1, …). The mean runs
/// over the targets that count; if none does it is NaN, with zero gradients, as in PyTorch.
Tensor cross_entropy(const Tensor& logits, const Tensor& target,
                     const CrossEntropyOptions& options = {});
/// -input at the target class: what cross_entropy makes of log-probabilities, in the same shapes.
struct NllLossOptions {
  Index ignore_index = -100;
  Reduction reduction = Reduction::Mean;
};
Tensor nll_loss(const Tensor& input, const Tensor& target, const NllLossOptions& options = {});
/// (input - target)^2.
Tensor mse_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean);
/// |input - target|; derivative 0 at 0.
Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean);
/// With d = |input - target|: d^2 / (2 beta) where d < beta, else d - beta / 2. Beta 0 is l1_loss,
/// also in its derivative at 0; Error below 0.
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      Reduction reduction = Reduction::Mean, double beta = 1);
/// delta times smooth_l1_loss with beta = delta. Error unless delta > 0.
Tensor huber_loss(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean,
                  double delta = 1);
/// target (log(target) - input) of log-probabilities `input`, 0 where target is 0; with
/// `log_target` exp(target) (target - input). The derivative for a target of 0 is -input (PyTorch's
/// is NaN).
Tensor kl_div(const Tensor& input, const Tensor& target, Reduction reduction = Reduction::Mean,
              bool log_target = false);
/// -(target log(input) + (1 - target) log(1 - input)), logarithms not below -100, times `weight`,
/// which broadcasts to the input or is undefined. Error for input outside [0, 1].
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight = {},
                            Reduction reduction = Reduction::Mean);
/// The same of sigmoid(input), without bounds and for any finite input; `pos_weight`, which
/// broadcasts too, multiplies the target's part. Both weights have gradients (in PyTorch neither).
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const Tensor& weight = {},
                                        Reduction reduction = Reduction::Mean,
                                        const Tensor& pos_weight = {});
/// sum(a b) / (max(norm(a), eps) max(norm(b), eps)) along d; a and b broadcast. Below eps a norm is
/// constant, and so it is to the gradient (PyTorch 1.13 has it vary).
Tensor cosine_similarity(const Tensor& a, const Tensor& b, int d = 1, double eps = 1e-8);

// Adjoints (ops/adjoints.cpp): what the derivative of indexing is. The rest is zero.

Tensor slice_backward(const Tensor& g, const Shape& shape, int d, Index start, Index step);
Tensor index_select_backward(const Tensor& g, const Shape& shape, int d, const Tensor& index);
Tensor gather_backward(const Tensor& g, const Shape& shape, int d, const Tensor& index);
Tensor diagonal_backward(const Tensor& g, const Shape& shape, Index offset, int d0, int d1);

// Operators. % has the sign of its right side, as remainder. & | ^ ~ are and, or, exclusive or and
// not of Bool masks, DTypeError for other dtypes; in C++ == and < bind more tightly than they do,
// in Python less, so `(x > 0) & mask` is clear in both. += -= *= /= are methods, in place.

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
inline Tensor operator%(const Tensor& a, const Tensor& b) { return remainder(a, b); }
inline Tensor operator%(const Tensor& a, Scalar b) { return remainder(a, b); }
Tensor operator&(const Tensor& a, const Tensor& b);
Tensor operator|(const Tensor& a, const Tensor& b);
Tensor operator^(const Tensor& a, const Tensor& b);
Tensor operator~(const Tensor& x);
inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
inline Tensor operator==(const Tensor& a, Scalar b) { return eq(a, b); }
inline Tensor operator==(Scalar a, const Tensor& b) { return eq(b, a); }
inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
inline Tensor operator!=(const Tensor& a, Scalar b) { return ne(a, b); }
inline Tensor operator!=(Scalar a, const Tensor& b) { return ne(b, a); }
inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
inline Tensor operator<(const Tensor& a, Scalar b) { return lt(a, b); }
inline Tensor operator<(Scalar a, const Tensor& b) { return gt(b, a); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
inline Tensor operator<=(const Tensor& a, Scalar b) { return le(a, b); }
inline Tensor operator<=(Scalar a, const Tensor& b) { return ge(b, a); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
inline Tensor operator>(const Tensor& a, Scalar b) { return gt(a, b); }
inline Tensor operator>(Scalar a, const Tensor& b) { return lt(b, a); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
inline Tensor operator>=(const Tensor& a, Scalar b) { return ge(a, b); }
inline Tensor operator>=(Scalar a, const Tensor& b) { return le(b, a); }

}  // namespace tapehead
