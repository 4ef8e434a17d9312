// Shapes: what moves no number and what only moves numbers. The gradient takes the way back.
#include <string>

#include "../../core/elementwise.h"
#include "../../core/indexing.h"
#include "../ops.h"
#include "check_defined.h"
#include "check_parts.h"

namespace tapehead {

Tensor view(const Tensor& x, const Shape& shape) {
  check_defined("view", x);
  return record(
      "view", [&] { return x.array().view(shape); },
      wrt(x, [s = x.shape()](const Tensor& g) { return reshape(g, s); }), args(shape));
}

Tensor reshape(const Tensor& x, const Shape& shape) {
  check_defined("reshape", x);
  return view(x.array().viewable_as(shape, "reshape") ? x : clone(x), shape);
}

static Tensor flattened(const Tensor& x, int start_dim, int end_dim) {
  const int first = core::dim_if_any("flatten", start_dim, x.dim());
  const int last = core::dim_if_any("flatten", end_dim, x.dim());
  if (first > last)
    fail<ShapeError>("flatten: start_dim ", start_dim, " comes after end_dim ", end_dim, " in ",
                     x.shape());
  if (x.dim() == 0) return reshape(x, {1});
  if (first == last) return x;
  Shape shape;
  Index merged = 1;
  for (int d = 0; d < x.dim(); ++d) {
    if (d < first || d > last) shape.push_back(x.size(d));
    if (d >= first && d <= last) merged = core::checked_product(merged, x.size(d));
    if (d == last) shape.push_back(merged);
  }
  return reshape(x, shape);
}
Tensor flatten(const Tensor& x, int start_dim, int end_dim) {
  check_defined("flatten", x);
  return composed(
      "flatten", [&] { return flattened(x, start_dim, end_dim); }, unprinted(start_dim, end_dim));
}

Tensor transpose(const Tensor& x, int d0, int d1) {
  check_defined("transpose", x);
  return record(
      "transpose", [&] { return x.array().transpose(d0, d1); },
      wrt(x, [d0, d1](const Tensor& g) { return transpose(g, d0, d1); }), args(d0, d1));
}
Tensor t(const Tensor& x) {
  check_defined("t", x);
  if (x.dim() > 2)
    fail<ShapeError>("t: expected at most 2 dimensions, got ", x.shape(),
                     "; use mT() for the last two, or transpose(d0, d1)");
  return x.dim() < 2 ? alias(x) : transpose(x, 0, 1);
}
Tensor mT(const Tensor& x) {
  check_defined("mT", x);
  if (x.dim() == 0) return alias(x);  // as PyTorch has it
  if (x.dim() == 1)
    fail<ShapeError>("mT: expected at least 2 dimensions, got ", x.shape(), "; t() takes fewer");
  return transpose(x, -2, -1);
}

Tensor permute(const Tensor& x, const Dims& order) {
  check_defined("permute", x);
  return record(
      "permute", [&] { return x.array().permute(order); },
      wrt(x,
          [order](const Tensor& g) {
            Dims back = order;
            for (int d = 0; d < order.rank(); ++d) back[static_cast<int>(order[d])] = d;
            return permute(g, back);
          }),
      args(order));
}

Tensor expand(const Tensor& x, const Shape& shape) {
  check_defined("expand", x);
  return record(
      "expand", [&] { return x.array().expand(shape); },
      wrt(x, [s = x.shape()](const Tensor& g) { return sum_to(g, s); }), args(shape));
}

Tensor squeeze(const Tensor& x) {
  check_defined("squeeze", x);
  return record(
      "squeeze", [&] { return x.array().squeeze(); },
      wrt(x, [s = x.shape()](const Tensor& g) { return reshape(g, s); }));
}
Tensor squeeze(const Tensor& x, int d) {
  check_defined("squeeze", x);
  return record(
      "squeeze", [&] { return x.array().squeeze(d); },
      wrt(x, [s = x.shape()](const Tensor& g) { return reshape(g, s); }), args(d));
}
Tensor unsqueeze(const Tensor& x, int d) {
  check_defined("unsqueeze", x);
  return record(
      "unsqueeze", [&] { return x.array().unsqueeze(d); },
      wrt(x, [d](const Tensor& g) { return squeeze(g, d); }), args(d));
}

Tensor narrow(const Tensor& x, int d, Index start, Index length) {
  check_defined("narrow", x);
  return record(
      "narrow", [&] { return x.array().narrow(d, start, length); },
      wrt(x,
          [s = x.shape(), d, start](const Tensor& g) {
            return slice_backward(g, s, d, start < 0 ? start + s[d] : start, 1);
          }),
      args(d, start, length));
}
Tensor select(const Tensor& x, int d, Index index) {
  check_defined("select", x);
  return record(
      "select", [&] { return x.array().select(d, index); },
      wrt(x,
          [s = x.shape(), d, index](const Tensor& g) {
            return slice_backward(unsqueeze(g, d < 0 ? d + s.rank() : d), s, d,
                                  index < 0 ? index + s[d] : index, 1);
          }),
      args(d, index));
}
Tensor slice(const Tensor& x, int d, Index start, Index end, Index step) {
  check_defined("slice", x);
  return record(
      "slice", [&] { return x.array().slice(d, start, end, step); },
      wrt(x,
          [s = x.shape(), d, start, step](const Tensor& g) {
            const Index from = start < 0 ? start + s[d] : start;
            return slice_backward(g, s, d, std::clamp<Index>(from, 0, s[d]), step);
          }),
      args(d, start, end, step));
}

std::vector<Tensor> split(const Tensor& x, const std::vector<Index>& sizes, int d) {
  check_defined("split", x);
  const Index whole = x.shape()[core::dim("split", d, x.dim())];
  Index start = 0;
  bool too_many = false;
  for (const Index size : sizes) {
    if (size < 0)
      fail<ShapeError>("split: sizes cannot be negative, got ", size,
                       "; they add up to the dimension's size");
    too_many |= __builtin_add_overflow(start, size, &start);
  }
  if (start != whole || too_many)
    fail<ShapeError>("split: the ", sizes.size(), " sizes must add up to ", whole,
                     ", the size of dimension ", d, " of ", x.shape(), ", not to ",
                     too_many ? "more than 64 bits can count" : std::to_string(start));
  const auto value = [&] {
    std::vector<Tensor> parts;
    Index from = 0;
    for (const Index size : sizes) {
      parts.push_back(narrow(x, d, from, size));
      from += size;
    }
    return parts;
  };
  return composed("split", value, unprinted(d));
}

// So many parts of one size; the last takes what is left.
static std::vector<Tensor> parts(const char* op, const Tensor& x, Index size, Index count, int d) {
  check_parts(op, count);
  const auto value = [&] {
    std::vector<Tensor> result;
    for (Index i = 0; i < count; ++i)
      result.push_back(narrow(x, d, i * size, std::min(size, x.size(d) - i * size)));
    return result;
  };
  return composed(op, value, unprinted(size, count, d));
}
std::vector<Tensor> split(const Tensor& x, Index size, int d) {
  check_defined("split", x);
  const Index whole = x.shape()[core::dim("split", d, x.dim())];
  if (size < 0 || (size == 0 && whole > 0))
    fail<ShapeError>("split: the size of a part must be positive, got ", size);
  return parts("split", x, size, whole > 0 ? (whole - 1) / size + 1 : 1, d);
}
std::vector<Tensor> chunk(const Tensor& x, Index chunks, int d) {
  check_defined("chunk", x);
  if (chunks <= 0) fail<ShapeError>("chunk: the number of parts must be positive, got ", chunks);
  const Index whole = x.shape()[core::dim("chunk", d, x.dim())];
  if (whole == 0) return parts("chunk", x, 0, chunks, d);
  const Index size = (whole - 1) / chunks + 1;
  return parts("chunk", x, size, (whole - 1) / size + 1, d);
}

// Each part's gradient is its own slice.
Tensor cat(const std::vector<Tensor>& tensors, int d) {
  for (const Tensor& x : tensors) check_defined("cat", x);
  std::vector<NDArray> arrays;
  std::vector<Index> sizes;
  for (const Tensor& x : tensors) arrays.push_back(x.array());
  for (const Tensor& x : tensors)
    sizes.push_back(x.dim() > 0 && d >= -x.dim() && d < x.dim() ? x.size(d) : 0);
  return record(
      "cat", [&] { return core::cat(arrays, d); },
      wrt(tensors, [sizes, d](const Tensor& g) { return split(g, sizes, d); }), args(d));
}
Tensor stack(const std::vector<Tensor>& tensors, int d) {
  if (tensors.empty()) fail<ShapeError>("stack: expected at least one tensor");
  for (const Tensor& x : tensors) check_defined("stack", x);
  d = core::dim("stack", d, tensors[0].dim() + 1);
  for (const Tensor& x : tensors)
    if (x.shape() != tensors[0].shape())
      fail<ShapeError>("stack: shapes must be equal, got ", tensors[0].shape(), " and ", x.shape(),
                       "; cat joins tensors that differ in one dimension");
  const auto value = [&] {
    std::vector<Tensor> slices;
    for (const Tensor& x : tensors) slices.push_back(unsqueeze(x, d));
    return cat(slices, d);
  };
  return composed("stack", value, unprinted(d));
}

Tensor clone(const Tensor& x) {
  check_defined("clone", x);
  return record(
      "clone", [&] { return x.array().clone(); }, wrt(x, [](const Tensor& g) { return g; }));
}
Tensor contiguous(const Tensor& x) {
  check_defined("contiguous", x);
  if (x.is_contiguous()) return x;
  return record(
      "contiguous", [&] { return x.array().clone(); }, wrt(x, [](const Tensor& g) { return g; }));
}
Tensor alias(const Tensor& x) {
  check_defined("alias", x);
  return record(
      "alias", [&] { return x.array(); }, wrt(x, [](const Tensor& g) { return g; }));
}

// Only floating numbers carry a gradient.
Tensor to(const Tensor& x, DType dtype) {
  check_defined("to", x);
  if (dtype == x.dtype()) return x;
  const auto value = [&] { return core::cast(x.array(), dtype); };
  if (!is_floating(dtype)) return record("to", value, with(x), args(name(dtype)));
  return record("to", value, wrt(x, [d = x.dtype()](const Tensor& g) { return to(g, d); }),
                args(name(dtype)));
}

Tensor tril(const Tensor& x, Index diagonal) {
  check_defined("tril", x);
  return record(
      "tril", [&] { return core::tril(x.array(), diagonal); },
      wrt(x, [diagonal](const Tensor& g) { return tril(g, diagonal); }), args(diagonal));
}
Tensor triu(const Tensor& x, Index diagonal) {
  check_defined("triu", x);
  return record(
      "triu", [&] { return core::triu(x.array(), diagonal); },
      wrt(x, [diagonal](const Tensor& g) { return triu(g, diagonal); }), args(diagonal));
}

}  // namespace tapehead
