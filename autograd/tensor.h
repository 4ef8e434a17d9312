// Tensor: an NDArray that remembers where it came from.
//
//   Tensor x = tensor({1.0, 2.0}).requires_grad_();
//   (x * x).sum().backward();
//   x.grad();  // 2 x
//
// What a tensor *is* (its array) and how it *came about* (its node) are separate objects: the tape
// links nodes to nodes, so an intermediate value lives only as long as somebody needs it. A node
// holds the gradient of its tensor; a leaf is a tensor whose node has no inputs. Names, argument
// orders and defaults are PyTorch's; every method is also a free function, and ops.h says what each
// computes.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../core/ndarray.h"
#include "../core/reduce.h"
#include "hooks.h"

namespace tapehead {

using core::Axes;
using core::Dims;
using core::NDArray;
using core::Ref;
using core::Shape;
using core::Strides;
using enum DType;

class Tensor;
class TensorIndex;
struct Node;
/// Is shown a gradient; a defined answer takes its place.
using TensorHook = std::function<Tensor(const Tensor&)>;
void destroy(Node* node) noexcept;

/// What a handle refers to: the value, and how it came about.
struct TensorImpl {
  TensorImpl(NDArray&& value, Ref<Node>&& history);
  ~TensorImpl();
  TensorImpl(const TensorImpl&) = delete;
  TensorImpl& operator=(const TensorImpl&) = delete;

  core::RefCount refs;
  NDArray array;
  Ref<Node> node;  // null: a constant
};
void destroy(TensorImpl* impl) noexcept;

/// The values and Int64 indices that max and min along a dimension return.
struct ValuesIndices;

/// A handle; copies are the same tensor.
class Tensor {
 public:
  /// An undefined tensor; only defined() may be asked of it.
  Tensor() = default;
  /// A constant that shares the array's memory; undefined if the array is.
  explicit Tensor(NDArray array);

  bool defined() const { return static_cast<bool>(impl_); }
  /// The value, off the tape.
  const NDArray& array() const {
    if (!impl_) [[unlikely]]
      refuse_undefined();
    return impl_->array;
  }
  const Shape& shape() const { return array().shape(); }
  const Strides& strides() const { return array().strides(); }
  DType dtype() const { return array().dtype(); }
  /// The number of dimensions, and of elements; the size of dimension d.
  int dim() const { return array().rank(); }
  Index numel() const { return array().size(); }
  Index size(int d) const { return shape()[core::dim("size", d, dim())]; }
  bool is_contiguous() const { return array().is_contiguous(); }
  /// The value of a one-element tensor.
  template <class T = double>
  T item() const {
    return array().item<T>();
  }

  // Gradients.

  /// Makes this tensor a leaf whose gradient backward() collects, or a constant again. GraphError
  /// for other than floating dtypes, and where the result of an op should forget its history.
  Tensor& requires_grad_(bool on = true);
  bool requires_grad() const { return node() != nullptr; }
  /// Whether no op made it, as far as the tape knows.
  bool is_leaf() const;
  /// The collected gradient, or an undefined tensor.
  Tensor grad() const;
  void zero_grad();
  /// Has backward() also collect the gradient of this intermediate, as it is after any change in
  /// place, and after the hooks that were registered before this call.
  void retain_grad();
  /// Has every backward pass that reaches this tensor call `hook`, a function of a Tensor, with the
  /// gradient: once, when it is complete. What it returns, if it is a defined tensor, takes the
  /// gradient's place for the hooks registered later, for retain_grad() if called later, for a
  /// leaf's grad, and for all that is below. With `create_graph` this is recorded.
  ///
  /// As in PyTorch 1.13: a change in place leaves hooks on the value before it (later hooks see the
  /// new one, as in PyTorch 2); autograd::grad() returns the gradient as it is before this tensor's
  /// own hooks, which only run if it goes on from there; a hook must not change its argument. What
  /// it throws ends the pass, and no gradient is collected. The pass throws ShapeError for an
  /// answer of another shape or dtype.
  ///
  /// Hooks belong to the tensor, whatever thread goes back through it. They die with the last
  /// tensor or graph that refers to it: a hook that holds this tensor, or one made from it, keeps
  /// itself alive until it is removed (hold detach() of it instead). A leaf that is made a constant
  /// forgets its hooks. GraphError if this tensor requires no gradient; Error for an empty
  /// std::function.
  template <class Hook>
  RemovableHandle register_hook(Hook hook) const {
    detail::check_hook("register_hook", hook);
    return add_hook(detail::answering<Tensor, const Tensor&>(std::move(hook)));
  }
  /// Adds d(this)/d(leaf) to the gradient of every leaf this tensor depends on: all of them or, if
  /// anything is thrown, none. A tensor of one element needs no `gradient`. Frees the graph on its
  /// way, so that none is left to try again after a throw, unless `retain_graph` (by default: if
  /// `create_graph`); `create_graph` records the backward itself so that gradients can be
  /// differentiated. A leaf's gradient then refers back to the leaf: call zero_grad() when done, or
  /// use autograd::grad(), which keeps nothing.
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = {},
                bool create_graph = false) const;
  /// The same memory without the history.
  Tensor detach() const { return Tensor(array()); }
  /// Gives all handles of this leaf or constant another value, of any shape (PyTorch's `x.data =`);
  /// its gradient is forgotten, its hooks stay. Error for an undefined value; GraphError for the
  /// result of an op, or a dtype without gradients where one is required.
  Tensor& set_data(NDArray value);

  // Shapes (sharing memory, except reshape, flatten and contiguous where they must copy).

  Tensor view(const Shape& shape) const;
  Tensor reshape(const Shape& shape) const;
  Tensor flatten(int start_dim = 0, int end_dim = -1) const;
  Tensor transpose(int d0, int d1) const;
  Tensor t() const;
  Tensor mT() const;
  Tensor permute(const Dims& order) const;
  Tensor expand(const Shape& shape) const;
  Tensor squeeze() const;
  Tensor squeeze(int d) const;
  Tensor unsqueeze(int d) const;
  Tensor narrow(int d, Index start, Index length) const;
  Tensor select(int d, Index index) const;
  Tensor slice(int d, Index start, Index end, Index step = 1) const;
  std::vector<Tensor> split(Index size, int d = 0) const;
  std::vector<Tensor> split(const std::vector<Index>& sizes, int d = 0) const;
  std::vector<Tensor> chunk(Index chunks, int d = 0) const;
  Tensor contiguous() const;
  Tensor clone() const;
  Tensor to(DType dtype) const;
  Tensor view_as(const Tensor& other) const { return view(other.shape()); }
  Tensor reshape_as(const Tensor& other) const { return reshape(other.shape()); }
  Tensor expand_as(const Tensor& other) const { return expand(other.shape()); }
  Tensor type_as(const Tensor& other) const { return to(other.dtype()); }
  Tensor ravel() const;
  Tensor swapdims(int d0, int d1) const;
  Tensor movedim(const Dims& source, const Dims& destination) const;
  Tensor movedim(int source, int destination) const;
  std::vector<Tensor> unbind(int d = 0) const;
  Tensor diagonal(Index offset = 0, int d0 = 0, int d1 = 1) const;
  Tensor diag(Index diagonal = 0) const;
  Tensor flip(const Dims& dims) const;
  Tensor roll(const Dims& shifts, const Dims& dims) const;
  Tensor roll(Index shift, std::optional<int> d = {}) const;
  Tensor repeat(const Dims& repeats) const;
  Tensor tile(const Dims& repeats) const;
  Tensor repeat_interleave(Index repeats, std::optional<int> d = {}) const;
  Tensor repeat_interleave(const Tensor& repeats, std::optional<int> d = {}) const;

  // Matrix products.

  Tensor mm(const Tensor& other) const;
  Tensor bmm(const Tensor& other) const;
  Tensor mv(const Tensor& vector) const;
  Tensor dot(const Tensor& other) const;
  Tensor outer(const Tensor& other) const;
  Tensor addmm(const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1) const;
  Tensor baddbmm(const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1) const;

  // By index, and in order. tensor_index.h says what an index may be.

  Tensor index(const std::vector<TensorIndex>& indices) const;
  Tensor index_put(const std::vector<TensorIndex>& indices, const Tensor& values,
                   bool accumulate = false) const;
  Tensor take_along_dim(const Tensor& index, std::optional<int> d = {}) const;
  Tensor scatter(int d, const Tensor& index, const Tensor& src) const;
  Tensor scatter(int d, const Tensor& index, Scalar value) const;
  Tensor scatter_add(int d, const Tensor& index, const Tensor& src) const;
  Tensor index_add(int d, const Tensor& index, const Tensor& src, Scalar alpha = 1) const;
  Tensor index_copy(int d, const Tensor& index, const Tensor& src) const;
  Tensor index_fill(int d, const Tensor& index, Scalar value) const;
  Tensor masked_select(const Tensor& mask) const;
  Tensor masked_scatter(const Tensor& mask, const Tensor& source) const;
  Tensor nonzero() const;
  ValuesIndices sort(int d = -1, bool descending = false, bool stable = false) const;
  Tensor argsort(int d = -1, bool descending = false, bool stable = false) const;
  ValuesIndices topk(Index k, int d = -1, bool largest = true, bool sorted = true) const;
  Tensor multinomial(Index num_samples, bool replacement = false) const;
  Tensor bernoulli() const;          // each element's own probability
  Tensor bernoulli(double p) const;  // one for all

  // Elementwise.

  Tensor add(const Tensor& other, Scalar alpha = 1) const;
  Tensor sub(const Tensor& other, Scalar alpha = 1) const;
  Tensor mul(const Tensor& other) const;
  Tensor div(const Tensor& other) const;
  Tensor pow(const Tensor& exponent) const;
  Tensor add(Scalar other) const;
  Tensor sub(Scalar other) const;
  Tensor mul(Scalar other) const;
  Tensor div(Scalar other) const;
  Tensor pow(Scalar exponent) const;
  Tensor floor_divide(const Tensor& other) const;
  Tensor floor_divide(Scalar other) const;
  Tensor remainder(const Tensor& other) const;
  Tensor remainder(Scalar other) const;
  Tensor lerp(const Tensor& end, const Tensor& weight) const;
  Tensor lerp(const Tensor& end, Scalar weight) const;
  Tensor addcmul(const Tensor& a, const Tensor& b, Scalar value = 1) const;
  Tensor addcdiv(const Tensor& a, const Tensor& b, Scalar value = 1) const;
  Tensor neg() const;
  Tensor abs() const;
  Tensor exp() const;
  Tensor expm1() const;
  Tensor log() const;
  Tensor log1p() const;
  Tensor log2() const;
  Tensor log10() const;
  Tensor sqrt() const;
  Tensor rsqrt() const;
  Tensor sin() const;
  Tensor cos() const;
  Tensor tanh() const;
  Tensor sigmoid() const;
  Tensor relu() const;
  Tensor square() const;
  Tensor reciprocal() const;
  Tensor erf() const;
  Tensor logaddexp(const Tensor& other) const;
  Tensor sign() const;
  Tensor floor() const;
  Tensor ceil() const;
  Tensor round() const;
  Tensor trunc() const;
  Tensor clamp(std::optional<Scalar> min, std::optional<Scalar> max = {}) const;
  Tensor maximum(const Tensor& other) const;
  Tensor minimum(const Tensor& other) const;
  Tensor where(const Tensor& condition, const Tensor& other) const;  // other where it is false
  Tensor where(const Tensor& condition, Scalar other) const;
  Tensor masked_fill(const Tensor& mask, Scalar value) const;
  Tensor tril(Index diagonal = 0) const;
  Tensor triu(Index diagonal = 0) const;
  Tensor eq(const Tensor& other) const;
  Tensor ne(const Tensor& other) const;
  Tensor lt(const Tensor& other) const;
  Tensor le(const Tensor& other) const;
  Tensor gt(const Tensor& other) const;
  Tensor ge(const Tensor& other) const;
  Tensor eq(Scalar other) const;
  Tensor ne(Scalar other) const;
  Tensor lt(Scalar other) const;
  Tensor le(Scalar other) const;
  Tensor gt(Scalar other) const;
  Tensor ge(Scalar other) const;
  Tensor logical_not() const;
  Tensor logical_and(const Tensor& other) const;
  Tensor logical_or(const Tensor& other) const;
  Tensor logical_xor(const Tensor& other) const;
  Tensor isnan() const;
  Tensor isinf() const;
  Tensor isfinite() const;
  Tensor isclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                 bool equal_nan = false) const;
  bool equal(const Tensor& other) const;
  bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
                bool equal_nan = false) const;

  // Reductions and what is built on them.

  Tensor sum(const Axes& axes = {}, bool keepdim = false) const;
  Tensor mean(const Axes& axes = {}, bool keepdim = false) const;
  Tensor var(const Axes& axes = {}, bool unbiased = true, bool keepdim = false) const;
  Tensor std(const Axes& axes = {}, bool unbiased = true, bool keepdim = false) const;
  Tensor prod() const;
  Tensor prod(int d, bool keepdim = false) const;
  Tensor cumsum(int d) const;
  Tensor norm(double p = 2, const Axes& axes = {}, bool keepdim = false) const;
  Tensor all() const;
  Tensor all(int d, bool keepdim = false) const;
  Tensor any() const;
  Tensor any(int d, bool keepdim = false) const;
  Tensor count_nonzero(const Axes& axes = {}) const;
  Tensor max() const;
  Tensor min() const;
  ValuesIndices max(int d, bool keepdim = false) const;
  ValuesIndices min(int d, bool keepdim = false) const;
  Tensor amax(const Axes& axes = {}, bool keepdim = false) const;
  Tensor amin(const Axes& axes = {}, bool keepdim = false) const;
  Tensor argmax(std::optional<int> d = {}, bool keepdim = false) const;
  Tensor argmin(std::optional<int> d = {}, bool keepdim = false) const;
  Tensor logsumexp(const Axes& axes, bool keepdim = false) const;
  Tensor softmax(int d) const;
  Tensor log_softmax(int d) const;
  Tensor matmul(const Tensor& other) const;
  Tensor index_select(int d, const Tensor& index) const;
  Tensor gather(int d, const Tensor& index) const;

  // In place. Recorded where a gradient flows. GraphError, with nothing changed, where one would
  // get lost: on a leaf that requires one (use a NoGradGuard), and on memory that another tensor
  // shows too (use the op without the underscore). ShapeError on memory that overlaps itself.

  Tensor& add_(const Tensor& other, Scalar alpha = 1);
  Tensor& sub_(const Tensor& other, Scalar alpha = 1);
  Tensor& mul_(const Tensor& other);
  Tensor& div_(const Tensor& other);
  Tensor& add_(Scalar other);
  Tensor& sub_(Scalar other);
  Tensor& mul_(Scalar other);
  Tensor& div_(Scalar other);
  Tensor& operator+=(const Tensor& other) { return add_(other); }
  Tensor& operator-=(const Tensor& other) { return sub_(other); }
  Tensor& operator*=(const Tensor& other) { return mul_(other); }
  Tensor& operator/=(const Tensor& other) { return div_(other); }
  Tensor& operator+=(Scalar other) { return add_(other); }
  Tensor& operator-=(Scalar other) { return sub_(other); }
  Tensor& operator*=(Scalar other) { return mul_(other); }
  Tensor& operator/=(Scalar other) { return div_(other); }
  Tensor& copy_(const Tensor& source);
  Tensor& fill_(Scalar value);
  Tensor& zero_();
  Tensor& masked_fill_(const Tensor& mask, Scalar value);
  Tensor& masked_scatter_(const Tensor& mask, const Tensor& source);
  Tensor& scatter_(int d, const Tensor& index, const Tensor& src);
  Tensor& scatter_(int d, const Tensor& index, Scalar value);
  Tensor& scatter_add_(int d, const Tensor& index, const Tensor& src);
  Tensor& index_copy_(int d, const Tensor& index, const Tensor& src);
  Tensor& index_fill_(int d, const Tensor& index, Scalar value);
  Tensor& index_add_(int d, const Tensor& index, const Tensor& src, Scalar alpha = 1);
  Tensor& index_put_(const std::vector<TensorIndex>& indices, const Tensor& values,
                     bool accumulate = false);
  Tensor& index_put_(const std::vector<TensorIndex>& indices, Scalar value,
                     bool accumulate = false);
  Tensor& pow_(const Tensor& exponent);
  Tensor& pow_(Scalar exponent);
  Tensor& floor_divide_(const Tensor& other);
  Tensor& floor_divide_(Scalar other);
  Tensor& remainder_(const Tensor& other);
  Tensor& remainder_(Scalar other);
  Tensor& lerp_(const Tensor& end, const Tensor& weight);
  Tensor& lerp_(const Tensor& end, Scalar weight);
  Tensor& addcmul_(const Tensor& a, const Tensor& b, Scalar value = 1);
  Tensor& addcdiv_(const Tensor& a, const Tensor& b, Scalar value = 1);
  Tensor& addmm_(const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);
  Tensor& baddbmm_(const Tensor& a, const Tensor& b, Scalar beta = 1, Scalar alpha = 1);
  Tensor& cumsum_(int d);
  Tensor& logical_not_();  // these and the comparisons write 0 and 1 in the tensor's own dtype
  Tensor& logical_and_(const Tensor& other);
  Tensor& logical_or_(const Tensor& other);
  Tensor& logical_xor_(const Tensor& other);
  Tensor& eq_(const Tensor& other);
  Tensor& ne_(const Tensor& other);
  Tensor& lt_(const Tensor& other);
  Tensor& le_(const Tensor& other);
  Tensor& gt_(const Tensor& other);
  Tensor& ge_(const Tensor& other);
  Tensor& eq_(Scalar other);
  Tensor& ne_(Scalar other);
  Tensor& lt_(Scalar other);
  Tensor& le_(Scalar other);
  Tensor& gt_(Scalar other);
  Tensor& ge_(Scalar other);
  Tensor& clamp_(std::optional<Scalar> min, std::optional<Scalar> max = {});
  Tensor& tril_(Index diagonal = 0);
  Tensor& triu_(Index diagonal = 0);
  Tensor& neg_();
  Tensor& abs_();
  Tensor& exp_();
  Tensor& expm1_();
  Tensor& log_();
  Tensor& log1p_();
  Tensor& log2_();
  Tensor& log10_();
  Tensor& sqrt_();
  Tensor& rsqrt_();
  Tensor& sin_();
  Tensor& cos_();
  Tensor& tanh_();
  Tensor& sigmoid_();
  Tensor& relu_();
  Tensor& square_();
  Tensor& reciprocal_();
  Tensor& erf_();
  Tensor& sign_();
  Tensor& floor_();
  Tensor& ceil_();
  Tensor& round_();
  Tensor& trunc_();
  /// Draws from the default generator as PyTorch does: uniform in [from, to), normal, 1 with
  /// probability p, else 0 (any dtype), or whole numbers in [from, to) (any dtype that holds them
  /// all). The gradient of what was there is zero.
  Tensor& uniform_(double from = 0, double to = 1);
  Tensor& normal_(double mean = 0, double std = 1);
  Tensor& bernoulli_(double p = 0.5);
  Tensor& random_(Index from, Index to);
  Tensor& random_(Index to) { return random_(0, to); }
  /// These change the shape of all handles of this tensor; the numbers, and who else sees them,
  /// stay as they are. GraphError on a leaf that requires a gradient.
  Tensor& squeeze_();
  Tensor& squeeze_(int d);
  Tensor& unsqueeze_(int d);
  Tensor& transpose_(int d0, int d1);
  Tensor& swapdims_(int d0, int d1);
  Tensor& t_();
  /// Makes all handles of this tensor a constant, without its history and hooks.
  Tensor& detach_();

  // For the tape.

  Tensor(NDArray array, Ref<Node> history);
  Node* node() const {
    if (!impl_) [[unlikely]]
      refuse_undefined();
    return impl_->node.raw();
  }
  TensorImpl* impl() const { return impl_.raw(); }
  /// Whether nobody else can see a write to it, so that the engine may add in place.
  bool exclusive() const { return impl_.unique() && array().exclusive(); }

 private:
  [[noreturn]] [[gnu::cold]] static void refuse_undefined();
  RemovableHandle add_hook(TensorHook hook) const;

  Ref<TensorImpl> impl_;
};

struct ValuesIndices {
  Tensor values, indices;
};

/// Tensors by name, in an order: a module's parameters ("encoder.0.attn.W_q.weight"), a file's.
using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// As PyTorch prints it: `tensor([1., 2.], requires_grad=True)`.
std::ostream& operator<<(std::ostream& out, const Tensor& tensor);
std::string to_string(const Tensor& tensor);

}  // namespace tapehead

#include "node.h"  // the constructors, inline
