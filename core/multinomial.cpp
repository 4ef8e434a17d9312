// Drawing categories by weight, with PyTorch's use of its generator.
#include <cmath>

#include "creation.h"
#include "elementwise.h"
#include "random.h"
#include "sort.h"

namespace tapehead::core {
namespace {

// Every row must hold `least` weights above 0.
template <class T>
void check_weights(const NDArray& rows, Index least) {
  const Index n = rows.shape()[-1];
  const T* const weight = rows.data<T>();
  Index above = 0;
  for (Index i = 0; i < rows.size(); ++i) {
    if (!(weight[i] >= 0) || std::isinf(weight[i]))
      fail("multinomial: weights must be finite and not negative, got ", weight[i], " at position ",
           index_of(rows.shape(), i), "; exp or softmax makes weights of logits");
    above = (i % n == 0 ? 0 : above) + (weight[i] > 0);
    if (i % n == n - 1 && above < least)
      fail("multinomial: ", least == 1 ? "a" : "without replacement a",
           " row of weights must have ", least, " above 0, got ", above, " in row ", i / n);
  }
}

void check(const NDArray& weights, Index n, bool replacement) {
  check_floating("multinomial", weights.dtype());
  if (weights.rank() != 1 && weights.rank() != 2)
    fail<ShapeError>("multinomial: weights must be (categories) or (rows, categories), got ",
                     weights.shape());
  const Index categories = weights.shape()[-1];
  if (categories == 0)
    fail<ShapeError>("multinomial: expected at least one category, got weights of shape ",
                     weights.shape());
  if (n < 1)
    fail<ShapeError>("multinomial: expected at least one sample to draw, got num_samples = ", n);
  if (!replacement && n > categories)
    fail<ShapeError>("multinomial: cannot draw ", n, " of ", categories,
                     " categories without replacement; draw fewer, or with replacement = true");
}

// The n largest of weight / e, e exponential with mean 1, are distributed as draws one after
// another without replacement.
NDArray all_different(Generator& generator, const NDArray& weights, Index n) {
  NDArray e = empty_in_order_of(weights);
  exponential_(generator, e);
  return topk(div(weights, e), n, -1).indices;
}

// Where uniform numbers fall among the running sums of the weights, scaled to end with 1.
template <class T>
NDArray independent(Generator& generator, const NDArray& rows, Index n) {
  Shape shape = rows.shape();
  const Index categories = shape[-1];
  shape[-1] = n;
  NDArray out = NDArray::empty(shape, DType::Int64);
  Index* to = out.mutable_data<Index>();
  std::vector<T> upto(static_cast<std::size_t>(categories));
  for (Index row = 0; row < rows.size() / categories; ++row) {
    T sum = 0;
    for (Index i = 0; i < categories; ++i)
      upto[static_cast<std::size_t>(i)] = sum += rows.data<T>()[row * categories + i];
    for (T& end : upto) end /= sum;
    upto.back() = 1;
    for (Index i = 0; i < n; ++i) {
      const double u = generator.uniform_double();
      const auto found = std::partition_point(upto.begin(), upto.end(),
                                              [u](T end) { return static_cast<double>(end) < u; });
      *to++ = found - upto.begin();
    }
  }
  return out;
}

}  // namespace

NDArray multinomial(Generator& generator, const NDArray& weights, Index n, bool replacement) {
  check(weights, n, replacement);
  const NDArray rows = weights.contiguous();
  return dispatch_floating("multinomial", weights.dtype(), [&]<class T>() {
    check_weights<T>(rows, replacement ? 1 : n);
    return replacement ? independent<T>(generator, rows, n) : all_different(generator, weights, n);
  });
}

}  // namespace tapehead::core
