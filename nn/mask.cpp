#include "mask.h"

#include "../autograd/create.h"
#include "../autograd/ops.h"
#include "../core/text.h"

namespace tapehead::nn {
namespace {

bool fits(const Shape& mask, const Shape& scores) {
  if (mask.rank() == 2 && scores.rank() != 2) return mask[0] == scores[-2] && mask[1] == scores[-1];
  if (mask.rank() != scores.rank() || mask[-1] != scores[-1]) return false;
  for (int d = 0; d < mask.rank() - 1; ++d)
    if (mask[d] != 1 && mask[d] != scores[d]) return false;
  return true;
}

// What the shapes that people often try were meant to be.
std::string fix(const Shape& mask, const Shape& scores) {
  if (scores.rank() != 4) return "";
  const Index Tk = scores[-1];
  core::TextStream text;
  if (mask.rank() == 1 && mask[0] == Tk)
    text << "; to hide keys, use .view({1, 1, 1, " << Tk << "})";
  if (mask.rank() == 2 && mask[1] == Tk)
    text << "; to hide keys of each sequence, use .view({" << mask[0] << ", 1, 1, " << Tk << "})";
  if (mask.rank() == 3) text << "; to use one for all heads, use .unsqueeze(1)";
  if (mask.rank() == 4 && mask[-1] == 1)
    text << "; this one hides queries, to hide keys use .transpose(2, 3)";
  return text.str();
}

void check_shape(const char* what, const Shape& mask, const Shape& scores) {
  if (fits(mask, scores)) return;
  fail<ShapeError>("attention: a ", what, " for scores ", scores, " must be ",
                   Shape{scores[-2], scores[-1]}, " or ", scores,
                   " with 1 for any size but the last, got ", mask, fix(mask, scores));
}

void check_length(const char* op, Index T) {
  if (T < 0) fail<ShapeError>(op, ": T must be at least 0, got ", T);
}

// 0 and 1 as Bool. Anything else is no mask.
template <class T>
NDArray as_bool(const NDArray& mask) {
  const NDArray row_major = mask.contiguous();
  NDArray result = NDArray::empty(mask.shape(), Bool);
  const T* const in = row_major.data<T>();
  bool* const out = result.mutable_data<bool>("mask");
  for (Index i = 0; i < mask.size(); ++i) {
    if (in[i] != T{0} && in[i] != T{1})
      fail("attention: a mask holds 0 (hidden) and 1 (may attend), got ", in[i],
           "; this looks like an additive mask: pass it as bias");
    out[i] = in[i] != T{0};
  }
  return result;
}

}  // namespace

Tensor causal_mask(Index T) { return causal_mask(T, T); }

Tensor causal_mask(Index Tq, Index Tk) {
  check_length("causal_mask", Tq), check_length("causal_mask", Tk);
  return ones({Tq, Tk}, Bool).tril(Tk - Tq);
}

Tensor padding_mask(const std::vector<Index>& lengths, Index T) {
  check_length("padding_mask", T);
  const auto B = static_cast<Index>(lengths.size());
  NDArray mask = NDArray::empty({B, 1, 1, T}, Bool);
  bool* row = mask.mutable_data<bool>("padding_mask");
  for (const Index length : lengths) {
    if (length < 0 || length > T)
      fail("padding_mask: a length must be from 0 to T = ", T, ", got ", length);
    std::fill_n(row, length, true);
    std::fill_n(row + length, T - length, false);
    row += T;
  }
  return Tensor(std::move(mask));
}

Tensor checked_mask(const Tensor& mask, const Shape& scores) {
  check_shape("mask", mask.shape(), scores);
  if (mask.dtype() == Bool) return mask;
  return core::dispatch(mask.dtype(), [&]<class T>() { return Tensor(as_bool<T>(mask.array())); });
}

Tensor checked_bias(const Tensor& bias, const Shape& scores, DType dtype) {
  check_shape("bias", bias.shape(), scores);
  if (bias.dtype() != dtype)
    fail<DTypeError>("attention: the bias must have the dtype of the query, ", name(dtype),
                     ", got ", name(bias.dtype()), "; convert with .to(", name(dtype), ")");
  return bias;
}

}  // namespace tapehead::nn
