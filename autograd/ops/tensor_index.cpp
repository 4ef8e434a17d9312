// x[indices]. Numbers, slices and new dimensions make a view; among its dimensions the tensors
// choose elements. Of a place written twice the last write counts, and alone has a gradient.
#include <algorithm>

#include "../../core/creation.h"
#include "../../core/elementwise.h"
#include "../../core/indexing.h"
#include "../create.h"
#include "../ops.h"
#include "check_defined.h"

namespace tapehead {
namespace {

using indexing::None;
using indexing::Slice;

// One step on the way to the view.
struct ViewStep {
  TensorIndex index;  // a number, a slice or a new dimension
  int d;
};

// The way to x[indices]: steps, then Int64 tensors for some dimensions of the view.
struct Route {
  std::vector<ViewStep> steps;
  Dims dims;
  std::vector<Tensor> at;
};

// A route that a rule keeps, with the tensors as they were.
struct SavedRoute {
  explicit SavedRoute(const Route& route) : steps(route.steps), dims(route.dims) {
    for (const Tensor& index : route.at) at.push_back(saved(index));
  }
  Route operator()() const {
    Route route{steps, dims, {}};
    for (const Saved& index : at) route.at.push_back(index());
    return route;
  }
  std::vector<ViewStep> steps;
  Dims dims;
  std::vector<Saved> at;
};

// The tensors of a route, for observers.
struct Chosen {
  explicit Chosen(const Route& route) {
    for (const Tensor& index : route.at) inputs.push_back(&index);
  }
  std::vector<const Tensor*> inputs;
};

using Kind = TensorIndex::Kind;

// How many dimensions of x an index takes.
int taken(const TensorIndex& index) {
  if (index.kind() == Kind::Elements)
    return index.tensor().dtype() == Bool ? index.tensor().dim() : 1;
  return index.kind() == Kind::Number || index.kind() == Kind::Range ? 1 : 0;
}

// How many dimensions an ellipsis stands for.
int left_over(const char* op, const Shape& shape, const std::vector<TensorIndex>& indices) {
  int named = 0;
  for (const TensorIndex& index : indices) named += taken(index);
  if (named > shape.rank())
    fail<ShapeError>(op, ": the indices take ", named, " dimensions, but ", shape, " has ",
                     shape.rank(), "; None adds one");
  return shape.rank() - named;
}

// A mask becomes the coordinates where it is true; it must have the sizes of x's dimensions from d.
void add_mask(const char* op, const Shape& shape, int from, const Tensor& mask, int d,
              Route& route) {
  for (int k = 0; k < mask.dim(); ++k)
    if (mask.size(k) != shape[from + k])
      fail<ShapeError>(op, ": a mask of shape ", mask.shape(), " cannot choose from ", shape,
                       "; size ", mask.size(k), " of its dimension ", k, " must be ",
                       shape[from + k], ", the size of dimension ", from + k);
  const NDArray at = core::nonzero(mask.array());
  for (int k = 0; k < mask.dim(); ++k) {
    route.dims.push_back(d + k);
    route.at.emplace_back(at.select(1, k));
  }
}

void add_step(const TensorIndex& index, int d, Route& route) {
  const Slice& s = index.slice();
  const bool whole = s.start() == 0 && s.stop() == Slice().stop() && s.step() == 1;
  if (index.kind() != Kind::Range || !whole) route.steps.push_back({index, d});
}

// `from` counts the dimensions of x, d those of the view.
Route route_to(const char* op, const Shape& shape, const std::vector<TensorIndex>& indices) {
  int rest = left_over(op, shape, indices);
  Route route;
  int from = 0, d = 0;
  for (const TensorIndex& index : indices) {
    if (index.kind() == Kind::Rest) {
      from += rest, d += rest, rest = 0;
    } else if (index.kind() == Kind::Truth) {
      add_step(None, d, route);
      route.dims.push_back(d++);
      route.at.push_back(zeros({index.number()}, Int64));
    } else if (index.kind() != Kind::Elements) {
      add_step(index, d, route);
      from += taken(index), d += index.kind() == Kind::Number ? 0 : 1;
    } else {
      if (index.tensor().dtype() == Bool) {
        add_mask(op, shape, from, index.tensor(), d, route);
      } else {
        route.dims.push_back(d);
        route.at.push_back(index.tensor());
      }
      from += taken(index), d += taken(index);
    }
  }
  return route;
}

template <class X>
X viewed(X x, const std::vector<ViewStep>& steps) {
  for (const auto& [index, d] : steps) {
    if (index.kind() == Kind::Number)
      x = x.select(d, index.number());
    else if (index.kind() == Kind::NewDimension)
      x = x.unsqueeze(d);
    else
      x = x.slice(d, index.slice().start(), index.slice().stop(), index.slice().step());
  }
  return x;
}

std::vector<NDArray> arrays(const std::vector<Tensor>& tensors) {
  std::vector<NDArray> result;
  for (const Tensor& tensor : tensors) result.push_back(tensor.array());
  return result;
}

// Without leading sizes of 1 that are more than `rank` needs.
Shape trimmed(Shape shape, int rank) {
  while (shape.rank() > rank && shape[0] == 1) shape = core::without(shape, 0);
  return shape;
}

NDArray elements(const NDArray& x, const Route& route) {
  const NDArray view = viewed(x, route.steps);
  return route.at.empty() ? view : core::index(view, route.dims, arrays(route.at));
}

int result_rank(const NDArray& view, const Route& route) {
  Shape common;
  for (const Tensor& index : route.at) common = core::broadcast("index", common, index.shape());
  return view.rank() - route.dims.rank() + common.rank();
}

void write(const char* op, NDArray& x, const Route& route, const NDArray& given, bool accumulate) {
  core::check_same(op, x.dtype(), given.dtype(), x.dtype());
  NDArray view = viewed(x, route.steps);
  const NDArray values = given.view(trimmed(given.shape(), result_rank(view, route)));
  if (!route.at.empty())
    core::index_put_(view, route.dims, arrays(route.at), values, accumulate, op);
  else if (accumulate)
    core::add_(view, values, 1, op);
  else
    core::copy_(view, values, op);
}

// Where another value was written to the same place later.
Tensor overwritten(const Shape& shape, const Route& route, const Shape& written) {
  const NDArray order = core::arange(0, core::numel(written), 1, Int64).view(written);
  NDArray last = NDArray::full(shape, 0, Int64);
  write("index_put", last, route, order, false);
  return Tensor(core::ne(elements(last, route), order));
}

Tensor read(const Tensor& x, const Route& route);

// The gradient of what was written.
Tensor of_values(const Tensor& g, const Route& route, const Shape& shape, bool accumulate) {
  Tensor all = read(g, route);
  if (!accumulate && !route.at.empty())
    all = masked_fill(all, overwritten(g.shape(), route, all.shape()), 0);
  return reshape(sum_to(all, trimmed(shape, all.dim())), shape);
}

Tensor put(const Tensor& x, const Route& route, const Tensor& values, bool accumulate,
           const char* op = "index_put") {
  return record(
      op,
      [&] {
        NDArray result = x.array().clone();
        write(op, result, route, values.array(), accumulate);
        return result;
      },
      wrt(x,
          [route = SavedRoute(route), accumulate](const Tensor& g) {
            return accumulate ? g : put(g, route(), zeros({}, g.dtype()), false);
          }),
      wrt(values, [route = SavedRoute(route), s = values.shape(),
                   accumulate](const Tensor& g) { return of_values(g, route(), s, accumulate); }),
      Chosen(route), args(accumulate));
}

// The gradient of an element chosen twice is the sum of both.
Tensor read(const Tensor& x, const Route& route) {
  if (route.at.empty()) return route.steps.empty() ? alias(x) : viewed(x, route.steps);
  return record(
      "index", [&] { return elements(x.array(), route); },
      wrt(x, [route = SavedRoute(route), s = x.shape()](
                 const Tensor& g) { return put(zeros(s, g.dtype()), route(), g, true); }),
      Chosen(route));
}

// Slices of dimension d by index.
std::vector<TensorIndex> along(int d, const Tensor& index) {
  std::vector<TensorIndex> indices(static_cast<std::size_t>(d), TensorIndex(Slice()));
  indices.emplace_back(index.dim() == 0 ? unsqueeze(index, 0) : index);
  return indices;
}

}  // namespace

Tensor index(const Tensor& x, const std::vector<TensorIndex>& indices) {
  check_defined("index", x);
  return read(x, route_to("index", x.shape(), indices));
}

Tensor index_put(const Tensor& x, const std::vector<TensorIndex>& indices, const Tensor& values,
                 bool accumulate) {
  check_defined("index_put", x, values);
  return put(x, route_to("index_put", x.shape(), indices), values, accumulate);
}

Tensor& Tensor::index_put_(const std::vector<TensorIndex>& indices, const Tensor& values,
                           bool accumulate) {
  check_defined("index_put_", *this, values);
  const Route route = route_to("index_put_", shape(), indices);
  return record_in_place(
      "index_put_", *this,
      [&](NDArray& x) { write("index_put_", x, route, values.array(), accumulate); },
      wrt(*this,
          [route = SavedRoute(route), accumulate](const Tensor& g) {
            return accumulate ? g : put(g, route(), zeros({}, g.dtype()), false);
          }),
      wrt(values, [route = SavedRoute(route), s = values.shape(),
                   accumulate](const Tensor& g) { return of_values(g, route(), s, accumulate); }),
      Chosen(route), args(accumulate));
}
Tensor& Tensor::index_put_(const std::vector<TensorIndex>& indices, Scalar value, bool accumulate) {
  check_defined("index_put_", *this);
  return index_put_(indices, full({}, value, dtype()), accumulate);
}

// The shape of what a Bool mask is about.
static Shape masked_shape(const char* op, const Tensor& x, const Tensor& mask) {
  if (mask.dtype() != Bool)
    fail<DTypeError>(op, ": the mask must be Bool, got ", core::name(mask.dtype()),
                     "; compare with != 0, or convert with .to(Bool)");
  return core::broadcast(op, x.shape(), mask.shape());
}
Tensor masked_select(const Tensor& x, const Tensor& mask) {
  check_defined("masked_select", x, mask);
  const Shape shape = masked_shape("masked_select", x, mask);
  return index(expand(x, shape), {expand(mask, shape)});
}
Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source) {
  check_defined("masked_scatter", x, mask, source);
  const Shape shape = masked_shape("masked_scatter", x, mask);
  const Route route = route_to("masked_scatter", shape, {expand(mask, shape)});
  const Index places = expand(mask, shape).sum().item<Index>();
  if (source.numel() < places)
    fail<ShapeError>("masked_scatter: the mask is true in ", places, " places, but source ",
                     source.shape(), " has only ", source.numel(), "; give one for each place");
  return put(expand(x, shape), route, source.flatten().narrow(0, 0, places), false,
             "masked_scatter");
}

// What index_fill is to be given: an index of a row, and a value of x's dtype.
static void check_fill(const char* op, const Tensor& where, Scalar value, DType dtype) {
  if (where.dim() > 1)
    fail<ShapeError>(op, ": the index must have 1 dimension, got shape ", where.shape(),
                     "; flatten it with view({-1}) first");
  core::dispatch(dtype, [&]<class T>() { value.stored<T>(op); });
}
Tensor index_fill(const Tensor& x, int d, const Tensor& where, Scalar value) {
  check_defined("index_fill", x, where);
  check_fill("index_fill", where, value, x.dtype());
  d = core::dim_if_any("index_fill", d, x.dim());
  if (x.dim() == 0) return squeeze(index_fill(unsqueeze(x, 0), 0, where, value), 0);
  const Route route = route_to("index_fill", x.shape(), along(d, where));
  return put(x, route, full({}, value, x.dtype()), false, "index_fill");
}
Tensor& Tensor::index_fill_(int d, const Tensor& where, Scalar value) {
  check_defined("index_fill_", *this, where);
  check_fill("index_fill_", where, value, dtype());
  d = core::dim_if_any("index_fill_", d, dim());
  const auto put = [&](NDArray& x) {
    NDArray target = x.rank() == 0 ? x.unsqueeze(0) : x;
    const Route route = route_to("index_fill_", target.shape(), along(d, where));
    write("index_fill_", target, route, NDArray::full({}, value, x.dtype()), false);
  };
  return record_in_place(
      "index_fill_", *this, put,
      wrt(*this, [where = saved(where),
                  d](const Tensor& g) { return tapehead::index_fill(g, d, where(), 0); }),
      with(where), args(d, value));
}

}  // namespace tapehead
