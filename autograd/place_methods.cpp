// The methods that move, multiply and choose by place: each calls the free function of its name.
#include "create.h"
#include "ops.h"

namespace tapehead {

Tensor Tensor::ravel() const { return tapehead::ravel(*this); }
Tensor Tensor::swapdims(int d0, int d1) const { return tapehead::swapdims(*this, d0, d1); }
Tensor Tensor::movedim(const Dims& source, const Dims& destination) const {
  return tapehead::movedim(*this, source, destination);
}
Tensor Tensor::movedim(int source, int destination) const {
  return tapehead::movedim(*this, source, destination);
}
std::vector<Tensor> Tensor::unbind(int d) const { return tapehead::unbind(*this, d); }
Tensor Tensor::diagonal(Index offset, int d0, int d1) const {
  return tapehead::diagonal(*this, offset, d0, d1);
}
Tensor Tensor::diag(Index diagonal) const { return tapehead::diag(*this, diagonal); }
Tensor Tensor::flip(const Dims& dims) const { return tapehead::flip(*this, dims); }
Tensor Tensor::roll(const Dims& shifts, const Dims& dims) const {
  return tapehead::roll(*this, shifts, dims);
}
Tensor Tensor::roll(Index shift, std::optional<int> d) const {
  return tapehead::roll(*this, shift, d);
}
Tensor Tensor::repeat(const Dims& repeats) const { return tapehead::repeat(*this, repeats); }
Tensor Tensor::tile(const Dims& repeats) const { return tapehead::tile(*this, repeats); }
Tensor Tensor::repeat_interleave(Index repeats, std::optional<int> d) const {
  return tapehead::repeat_interleave(*this, repeats, d);
}
Tensor Tensor::repeat_interleave(const Tensor& repeats, std::optional<int> d) const {
  return tapehead::repeat_interleave(*this, repeats, d);
}

Tensor Tensor::mm(const Tensor& other) const { return tapehead::mm(*this, other); }
Tensor Tensor::bmm(const Tensor& other) const { return tapehead::bmm(*this, other); }
Tensor Tensor::mv(const Tensor& vector) const { return tapehead::mv(*this, vector); }
Tensor Tensor::dot(const Tensor& other) const { return tapehead::dot(*this, other); }
Tensor Tensor::outer(const Tensor& other) const { return tapehead::outer(*this, other); }
Tensor Tensor::addmm(const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) const {
  return tapehead::addmm(*this, a, b, beta, alpha);
}
Tensor Tensor::baddbmm(const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) const {
  return tapehead::baddbmm(*this, a, b, beta, alpha);
}

Tensor Tensor::index(const std::vector<TensorIndex>& indices) const {
  return tapehead::index(*this, indices);
}
Tensor Tensor::index_put(const std::vector<TensorIndex>& indices, const Tensor& values,
                         bool accumulate) const {
  return tapehead::index_put(*this, indices, values, accumulate);
}
Tensor Tensor::take_along_dim(const Tensor& index, std::optional<int> d) const {
  return tapehead::take_along_dim(*this, index, d);
}
Tensor Tensor::scatter(int d, const Tensor& index, const Tensor& src) const {
  return tapehead::scatter(*this, d, index, src);
}
Tensor Tensor::scatter(int d, const Tensor& index, Scalar value) const {
  return tapehead::scatter(*this, d, index, value);
}
Tensor Tensor::scatter_add(int d, const Tensor& index, const Tensor& src) const {
  return tapehead::scatter_add(*this, d, index, src);
}
Tensor Tensor::index_add(int d, const Tensor& index, const Tensor& src, Scalar alpha) const {
  return tapehead::index_add(*this, d, index, src, alpha);
}
Tensor Tensor::index_copy(int d, const Tensor& index, const Tensor& src) const {
  return tapehead::index_copy(*this, d, index, src);
}
Tensor Tensor::index_fill(int d, const Tensor& index, Scalar value) const {
  return tapehead::index_fill(*this, d, index, value);
}
Tensor Tensor::masked_select(const Tensor& mask) const {
  return tapehead::masked_select(*this, mask);
}
Tensor Tensor::masked_scatter(const Tensor& mask, const Tensor& source) const {
  return tapehead::masked_scatter(*this, mask, source);
}
Tensor Tensor::nonzero() const { return tapehead::nonzero(*this); }
Tensor Tensor::bernoulli() const { return tapehead::bernoulli(*this); }
Tensor Tensor::bernoulli(double p) const { return tapehead::bernoulli(*this, p); }
ValuesIndices Tensor::sort(int d, bool descending, bool stable) const {
  return tapehead::sort(*this, d, descending, stable);
}
Tensor Tensor::argsort(int d, bool descending, bool stable) const {
  return tapehead::argsort(*this, d, descending, stable);
}
ValuesIndices Tensor::topk(Index k, int d, bool largest, bool sorted) const {
  return tapehead::topk(*this, k, d, largest, sorted);
}
Tensor Tensor::multinomial(Index num_samples, bool replacement) const {
  return tapehead::multinomial(*this, num_samples, replacement);
}

}  // namespace tapehead
