// The methods that are ops: each calls the free function of its name.
#include "ops.h"

namespace tapehead {

Tensor Tensor::view(const Shape& shape) const { return tapehead::view(*this, shape); }
Tensor Tensor::reshape(const Shape& shape) const { return tapehead::reshape(*this, shape); }
Tensor Tensor::flatten(int start_dim, int end_dim) const {
  return tapehead::flatten(*this, start_dim, end_dim);
}
Tensor Tensor::transpose(int d0, int d1) const { return tapehead::transpose(*this, d0, d1); }
Tensor Tensor::t() const { return tapehead::t(*this); }
Tensor Tensor::mT() const { return tapehead::mT(*this); }
Tensor Tensor::permute(const Dims& order) const { return tapehead::permute(*this, order); }
Tensor Tensor::expand(const Shape& shape) const { return tapehead::expand(*this, shape); }
Tensor Tensor::squeeze() const { return tapehead::squeeze(*this); }
Tensor Tensor::squeeze(int d) const { return tapehead::squeeze(*this, d); }
Tensor Tensor::unsqueeze(int d) const { return tapehead::unsqueeze(*this, d); }
Tensor Tensor::narrow(int d, Index start, Index length) const {
  return tapehead::narrow(*this, d, start, length);
}
Tensor Tensor::select(int d, Index index) const { return tapehead::select(*this, d, index); }
Tensor Tensor::slice(int d, Index start, Index end, Index step) const {
  return tapehead::slice(*this, d, start, end, step);
}
std::vector<Tensor> Tensor::split(Index size, int d) const {
  return tapehead::split(*this, size, d);
}
std::vector<Tensor> Tensor::split(const std::vector<Index>& sizes, int d) const {
  return tapehead::split(*this, sizes, d);
}
std::vector<Tensor> Tensor::chunk(Index chunks, int d) const {
  return tapehead::chunk(*this, chunks, d);
}
Tensor Tensor::contiguous() const { return tapehead::contiguous(*this); }
Tensor Tensor::clone() const { return tapehead::clone(*this); }
Tensor Tensor::to(DType dtype) const { return tapehead::to(*this, dtype); }

Tensor Tensor::add(const Tensor& other, Scalar alpha) const {
  return tapehead::add(*this, other, alpha);
}
Tensor Tensor::sub(const Tensor& other, Scalar alpha) const {
  return tapehead::sub(*this, other, alpha);
}
Tensor Tensor::mul(const Tensor& other) const { return tapehead::mul(*this, other); }
Tensor Tensor::div(const Tensor& other) const { return tapehead::div(*this, other); }
Tensor Tensor::pow(const Tensor& exponent) const { return tapehead::pow(*this, exponent); }
Tensor Tensor::add(Scalar other) const { return tapehead::add(*this, other); }
Tensor Tensor::sub(Scalar other) const { return tapehead::sub(*this, other); }
Tensor Tensor::mul(Scalar other) const { return tapehead::mul(*this, other); }
Tensor Tensor::div(Scalar other) const { return tapehead::div(*this, other); }
Tensor Tensor::pow(Scalar exponent) const { return tapehead::pow(*this, exponent); }
Tensor Tensor::floor_divide(const Tensor& other) const {
  return tapehead::floor_divide(*this, other);
}
Tensor Tensor::floor_divide(Scalar other) const { return tapehead::floor_divide(*this, other); }
Tensor Tensor::remainder(const Tensor& other) const { return tapehead::remainder(*this, other); }
Tensor Tensor::remainder(Scalar other) const { return tapehead::remainder(*this, other); }
Tensor Tensor::lerp(const Tensor& end, const Tensor& weight) const {
  return tapehead::lerp(*this, end, weight);
}
Tensor Tensor::lerp(const Tensor& end, Scalar weight) const {
  return tapehead::lerp(*this, end, weight);
}
Tensor Tensor::addcmul(const Tensor& a, const Tensor& b, Scalar value) const {
  return tapehead::addcmul(*this, a, b, value);
}
Tensor Tensor::addcdiv(const Tensor& a, const Tensor& b, Scalar value) const {
  return tapehead::addcdiv(*this, a, b, value);
}
Tensor Tensor::neg() const { return tapehead::neg(*this); }
Tensor Tensor::abs() const { return tapehead::abs(*this); }
Tensor Tensor::exp() const { return tapehead::exp(*this); }
Tensor Tensor::expm1() const { return tapehead::expm1(*this); }
Tensor Tensor::log() const { return tapehead::log(*this); }
Tensor Tensor::log1p() const { return tapehead::log1p(*this); }
Tensor Tensor::log2() const { return tapehead::log2(*this); }
Tensor Tensor::log10() const { return tapehead::log10(*this); }
Tensor Tensor::sqrt() const { return tapehead::sqrt(*this); }
Tensor Tensor::rsqrt() const { return tapehead::rsqrt(*this); }
Tensor Tensor::sin() const { return tapehead::sin(*this); }
Tensor Tensor::cos() const { return tapehead::cos(*this); }
Tensor Tensor::tanh() const { return tapehead::tanh(*this); }
Tensor Tensor::sigmoid() const { return tapehead::sigmoid(*this); }
Tensor Tensor::relu() const { return tapehead::relu(*this); }
Tensor Tensor::square() const { return tapehead::square(*this); }
Tensor Tensor::reciprocal() const { return tapehead::reciprocal(*this); }
Tensor Tensor::erf() const { return tapehead::erf(*this); }
Tensor Tensor::logaddexp(const Tensor& other) const { return tapehead::logaddexp(*this, other); }
Tensor Tensor::sign() const { return tapehead::sign(*this); }
Tensor Tensor::floor() const { return tapehead::floor(*this); }
Tensor Tensor::ceil() const { return tapehead::ceil(*this); }
Tensor Tensor::round() const { return tapehead::round(*this); }
Tensor Tensor::trunc() const { return tapehead::trunc(*this); }
Tensor Tensor::clamp(std::optional<Scalar> min, std::optional<Scalar> max) const {
  return tapehead::clamp(*this, min, max);
}
Tensor Tensor::maximum(const Tensor& other) const { return tapehead::maximum(*this, other); }
Tensor Tensor::minimum(const Tensor& other) const { return tapehead::minimum(*this, other); }
Tensor Tensor::where(const Tensor& condition, const Tensor& other) const {
  return tapehead::where(condition, *this, other);
}
Tensor Tensor::where(const Tensor& condition, Scalar other) const {
  return tapehead::where(condition, *this, other);
}
Tensor Tensor::masked_fill(const Tensor& mask, Scalar value) const {
  return tapehead::masked_fill(*this, mask, value);
}
Tensor Tensor::tril(Index diagonal) const { return tapehead::tril(*this, diagonal); }
Tensor Tensor::triu(Index diagonal) const { return tapehead::triu(*this, diagonal); }
Tensor Tensor::eq(const Tensor& other) const { return tapehead::eq(*this, other); }
Tensor Tensor::ne(const Tensor& other) const { return tapehead::ne(*this, other); }
Tensor Tensor::lt(const Tensor& other) const { return tapehead::lt(*this, other); }
Tensor Tensor::le(const Tensor& other) const { return tapehead::le(*this, other); }
Tensor Tensor::gt(const Tensor& other) const { return tapehead::gt(*this, other); }
Tensor Tensor::ge(const Tensor& other) const { return tapehead::ge(*this, other); }
Tensor Tensor::eq(Scalar other) const { return tapehead::eq(*this, other); }
Tensor Tensor::ne(Scalar other) const { return tapehead::ne(*this, other); }
Tensor Tensor::lt(Scalar other) const { return tapehead::lt(*this, other); }
Tensor Tensor::le(Scalar other) const { return tapehead::le(*this, other); }
Tensor Tensor::gt(Scalar other) const { return tapehead::gt(*this, other); }
Tensor Tensor::ge(Scalar other) const { return tapehead::ge(*this, other); }
Tensor Tensor::logical_not() const { return tapehead::logical_not(*this); }
Tensor Tensor::logical_and(const Tensor& other) const {
  return tapehead::logical_and(*this, other);
}
Tensor Tensor::logical_or(const Tensor& other) const { return tapehead::logical_or(*this, other); }
Tensor Tensor::logical_xor(const Tensor& other) const {
  return tapehead::logical_xor(*this, other);
}
Tensor Tensor::isnan() const { return tapehead::isnan(*this); }
Tensor Tensor::isinf() const { return tapehead::isinf(*this); }
Tensor Tensor::isfinite() const { return tapehead::isfinite(*this); }
Tensor Tensor::isclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return tapehead::isclose(*this, other, rtol, atol, equal_nan);
}
bool Tensor::equal(const Tensor& other) const { return tapehead::equal(*this, other); }
bool Tensor::allclose(const Tensor& other, double rtol, double atol, bool equal_nan) const {
  return tapehead::allclose(*this, other, rtol, atol, equal_nan);
}

Tensor Tensor::sum(const Axes& axes, bool keepdim) const {
  return tapehead::sum(*this, axes, keepdim);
}
Tensor Tensor::mean(const Axes& axes, bool keepdim) const {
  return tapehead::mean(*this, axes, keepdim);
}
Tensor Tensor::var(const Axes& axes, bool unbiased, bool keepdim) const {
  return tapehead::var(*this, axes, unbiased, keepdim);
}
Tensor Tensor::std(const Axes& axes, bool unbiased, bool keepdim) const {
  return tapehead::std(*this, axes, unbiased, keepdim);
}
Tensor Tensor::prod() const { return tapehead::prod(*this); }
Tensor Tensor::prod(int d, bool keepdim) const { return tapehead::prod(*this, d, keepdim); }
Tensor Tensor::cumsum(int d) const { return tapehead::cumsum(*this, d); }
Tensor Tensor::norm(double p, const Axes& axes, bool keepdim) const {
  return tapehead::norm(*this, p, axes, keepdim);
}
Tensor Tensor::all() const { return tapehead::all(*this); }
Tensor Tensor::all(int d, bool keepdim) const { return tapehead::all(*this, d, keepdim); }
Tensor Tensor::any() const { return tapehead::any(*this); }
Tensor Tensor::any(int d, bool keepdim) const { return tapehead::any(*this, d, keepdim); }
Tensor Tensor::count_nonzero(const Axes& axes) const {
  return tapehead::count_nonzero(*this, axes);
}
Tensor Tensor::max() const { return tapehead::max(*this); }
Tensor Tensor::min() const { return tapehead::min(*this); }
ValuesIndices Tensor::max(int d, bool keepdim) const { return tapehead::max(*this, d, keepdim); }
ValuesIndices Tensor::min(int d, bool keepdim) const { return tapehead::min(*this, d, keepdim); }
Tensor Tensor::amax(const Axes& axes, bool keepdim) const {
  return tapehead::amax(*this, axes, keepdim);
}
Tensor Tensor::amin(const Axes& axes, bool keepdim) const {
  return tapehead::amin(*this, axes, keepdim);
}
Tensor Tensor::argmax(std::optional<int> d, bool keepdim) const {
  return tapehead::argmax(*this, d, keepdim);
}
Tensor Tensor::argmin(std::optional<int> d, bool keepdim) const {
  return tapehead::argmin(*this, d, keepdim);
}
Tensor Tensor::logsumexp(const Axes& axes, bool keepdim) const {
  return tapehead::logsumexp(*this, axes, keepdim);
}
Tensor Tensor::softmax(int d) const { return tapehead::softmax(*this, d); }
Tensor Tensor::log_softmax(int d) const { return tapehead::log_softmax(*this, d); }
Tensor Tensor::matmul(const Tensor& other) const { return tapehead::matmul(*this, other); }
Tensor Tensor::index_select(int d, const Tensor& index) const {
  return tapehead::index_select(*this, d, index);
}
Tensor Tensor::gather(int d, const Tensor& index) const {
  return tapehead::gather(*this, d, index);
}

}  // namespace tapehead
