// 1,000 random chains of views, broadcasts and reductions, values and gradients, against plain
// vectors that know neither strides nor a tape. The seed in a failure's message reproduces it.
#include <doctest/doctest.h>
#include <tapehead/autograd/backward.h>
#include <tapehead/autograd/ops.h>

#include <algorithm>
#include <numeric>

#include "../support/compare.h"
#include "chain.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

// ---- Steps: each does one thing to both, or nothing where it does not apply ----

Sizes any_shape_of(Index count, Dice& dice) {
  Sizes sizes;
  for (Index left = count; left > 1;) {
    Index factor = 1 + dice.below(left);
    while (left % factor != 0) --factor;
    if (factor > 1) sizes.push_back(factor), left /= factor;
    if (sizes.size() == 3) sizes.push_back(std::exchange(left, 1));
  }
  if (count == 0) sizes = {2, 0, 3};
  if (dice.toss() && sizes.size() < 4) sizes.push_back(1);
  return sizes;
}

void reshape_it(Chain& c, Dice& dice) {
  const Sizes sizes = any_shape_of(c.plain.count(), dice);
  become(c, c.x.reshape(dims(sizes)), reshaped(c.plain, sizes), "reshape");
}

// A view, where strides allow one, shows the same memory; where they do not, view says so.
void view_it(Chain& c, Dice& dice) {
  const Sizes sizes = any_shape_of(c.plain.count(), dice);
  Tensor y;
  try {
    y = c.x.view(dims(sizes));
    CHECK(y.array().storage() == c.x.array().storage());
  } catch (const ShapeError&) {
    CHECK_FALSE(c.x.is_contiguous());
    y = c.x.contiguous().view(dims(sizes));
  }
  become(c, y, reshaped(c.plain, sizes), "view");
}

void flatten_it(Chain& c, Dice& dice) {
  if (c.rank() < 2) return;
  const int first = static_cast<int>(dice.below(c.rank() - 1)),
            last = first + 1 + static_cast<int>(dice.below(c.rank() - 1 - first));
  Sizes sizes;
  for (int d = 0; d < c.rank(); ++d) {
    if (d > first && d <= last)
      sizes.back() *= c.size(d);
    else
      sizes.push_back(c.size(d));
  }
  become(c, c.x.flatten(first, last), reshaped(c.plain, sizes), "flatten");
}

void permute_it(Chain& c, Dice& dice) {
  Dims order;
  std::vector<Index> left(c.plain.rank());
  std::iota(left.begin(), left.end(), 0);
  Sizes sizes;
  while (!left.empty()) {
    const auto at = left.begin() + dice.below(static_cast<Index>(left.size()));
    order.push_back(*at);
    sizes.push_back(c.size(static_cast<int>(*at)));
    left.erase(at);
  }
  become(c, c.x.permute(order),
         picked(c.plain, sizes,
                [&](const Sizes& index) {
                  Sizes from(index.size());
                  for (int d = 0; d < order.rank(); ++d)
                    from[static_cast<std::size_t>(order[d])] = index[static_cast<std::size_t>(d)];
                  return from;
                }),
         "permute");
}

void transpose_it(Chain& c, Dice& dice) {
  if (c.rank() == 0) return;
  const auto a = static_cast<std::size_t>(dice.below(c.rank())),
             b = static_cast<std::size_t>(dice.below(c.rank()));
  const auto swapped = [&](Sizes index) {
    std::swap(index[a], index[b]);
    return index;
  };
  become(c, c.x.transpose(static_cast<int>(a), static_cast<int>(b)),
         picked(c.plain, swapped(c.plain.sizes), swapped), "transpose");
}

void unsqueeze_it(Chain& c, Dice& dice) {
  if (c.rank() >= 5) return;
  const int d = static_cast<int>(dice.below(c.rank() + 1));
  Sizes sizes = c.plain.sizes;
  sizes.insert(sizes.begin() + d, 1);
  become(c, c.x.unsqueeze(d), reshaped(c.plain, sizes), "unsqueeze");
}

void squeeze_it(Chain& c, Dice& dice) {
  Sizes sizes = c.plain.sizes;
  if (dice.toss() || c.rank() == 0) {
    std::erase(sizes, 1);
    return become(c, c.x.squeeze(), reshaped(c.plain, sizes), "squeeze");
  }
  const int d = static_cast<int>(dice.below(c.rank()));
  if (c.size(d) == 1) sizes.erase(sizes.begin() + d);
  become(c, c.x.squeeze(d), reshaped(c.plain, sizes), "squeeze_d");
}

void expand_it(Chain& c, Dice& dice) {
  Sizes sizes = c.plain.sizes;
  Index count = c.plain.count();
  for (Index& size : sizes)
    if (size == 1 && count < 40 && dice.toss()) count *= size = 1 + dice.below(3);
  if (sizes.size() < 4 && count < 40 && dice.toss()) sizes.insert(sizes.begin(), 2);
  become(c, c.x.expand(dims(sizes)), broadcast(c.plain, sizes), "expand");
}

// x[start : start + length * step : step] along d.
PlainTensor sliced(const Chain& c, int d, Index start, Index length, Index step) {
  return picked(c.plain, resized(c, d, length), [=](Sizes index) {
    Index& i = index[static_cast<std::size_t>(d)];
    i = start + i * step;
    return index;
  });
}

void narrow_it(Chain& c, Dice& dice) {
  if (c.rank() == 0) return;
  const int d = static_cast<int>(dice.below(c.rank()));
  const Index start = dice.below(c.size(d) + 1);
  Index length = dice.below(c.size(d) - start + 1);
  if (length == 0 && dice.below(8) != 0) return;  // empty tensors too, but not all the time
  become(c, c.x.narrow(d, start, length), sliced(c, d, start, length, 1), "narrow");
}

void slice_it(Chain& c, Dice& dice) {
  if (c.rank() == 0) return;
  const int d = static_cast<int>(dice.below(c.rank()));
  const Index size = c.size(d), step = 1 + dice.below(3);
  if (size == 0) return;
  const Index start = dice.below(size), end = start + 1 + dice.below(size - start);
  become(c, c.x.slice(d, start, end, step),
         sliced(c, d, start, (end - start + step - 1) / step, step), "slice");
}

void select_it(Chain& c, Dice& dice) {
  if (c.rank() == 0) return;
  const int d = static_cast<int>(dice.below(c.rank()));
  if (c.size(d) == 0) return;
  const Index i = dice.below(c.size(d));
  Sizes sizes = c.plain.sizes;
  sizes.erase(sizes.begin() + d);
  become(c, c.x.select(d, i),
         picked(c.plain, sizes,
                [=](Sizes index) {
                  index.insert(index.begin() + d, i);
                  return index;
                }),
         "select");
}

void split_it(Chain& c, Dice& dice) {
  if (c.rank() == 0) return;
  const int d = static_cast<int>(dice.below(c.rank()));
  if (c.size(d) == 0) return;
  const Index length = 1 + dice.below(c.size(d));
  const std::vector<Tensor> parts = c.x.split(length, d);
  const Index k = dice.below(static_cast<Index>(parts.size())), start = k * length;
  become(c, parts[static_cast<std::size_t>(k)],
         sliced(c, d, start, std::min(length, c.size(d) - start), 1), "split");
}

void index_select_it(Chain& c, Dice& dice) {
  if (c.rank() == 0) return;
  const int d = static_cast<int>(dice.below(c.rank()));
  if (c.size(d) == 0) return;
  std::vector<double> chosen;
  for (Index i = 0; i < 1 + dice.below(3); ++i)
    chosen.push_back(static_cast<double>(dice.below(c.size(d))));
  const auto n = static_cast<Index>(chosen.size());
  become(c, c.x.index_select(d, tensor(chosen, {n}, Int64)),
         picked(c.plain, resized(c, d, n),
                [=](Sizes index) {
                  Index& i = index[static_cast<std::size_t>(d)];
                  i = static_cast<Index>(chosen[static_cast<std::size_t>(i)]);
                  return index;
                }),
         "index_select");
}

// Two of itself, one after the other or side by side.
void join_it(Chain& c, Dice& dice) {
  if (c.plain.count() > 24 || c.rank() > 4) return;
  const bool along_new = dice.toss() || c.rank() == 0;
  const int d = static_cast<int>(dice.below(c.rank() + along_new));
  const Index size = along_new ? 1 : c.size(d);
  Sizes sizes = c.plain.sizes;
  if (along_new)
    sizes.insert(sizes.begin() + d, 2);
  else
    sizes[static_cast<std::size_t>(d)] *= 2;
  PlainTensor both = picked(c.plain, sizes, [=](Sizes index) {
    if (along_new)
      index.erase(index.begin() + d);
    else if (Index& i = index[static_cast<std::size_t>(d)]; i >= size)
      i -= size;
    return index;
  });
  become(c, along_new ? stack({c.x, c.x}, d) : cat({c.x, c.x}, d), std::move(both), "join");
}

void reduce_it(Chain& c, Dice& dice) {
  std::vector<bool> chosen(c.plain.rank());
  Axes axes;
  for (std::size_t d = 0; d < chosen.size(); ++d)
    if ((chosen[d] = dice.toss())) axes.push_back(static_cast<Index>(d));
  if (axes.rank() == 0) chosen.assign(chosen.size(), true);
  const bool keepdim = dice.toss();
  const auto total = [](const std::vector<Number>& list) {
    return std::accumulate(list.begin() + 1, list.end(), list[0]);
  };
  const auto kind = c.plain.count() == 0 ? 3 : dice.below(3);
  if (kind == 0) become(c, c.x.sum(axes, keepdim), reduced(c.plain, chosen, keepdim, total), "sum");
  if (kind == 1)
    become(c, c.x.mean(axes, keepdim),
           reduced(c.plain, chosen, keepdim,
                   [&](const auto& list) {
                     const double n = static_cast<double>(list.size());
                     return combined(total(list), 1 / n, list[0], 0, total(list).value / n);
                   }),
           "mean");
  if (kind == 2)  // those that share the largest value share its gradient
    become(c, c.x.amax(axes, keepdim),
           reduced(c.plain, chosen, keepdim,
                   [&](const auto& list) {
                     std::vector<Number> largest;
                     for (const Number& number : list) {
                       if (!largest.empty() && number.value > largest[0].value) largest.clear();
                       if (largest.empty() || number.value == largest[0].value)
                         largest.push_back(number);
                     }
                     const double n = static_cast<double>(largest.size());
                     return combined(total(largest), 1 / n, largest[0], 0, largest[0].value);
                   }),
           "amax");
  if (kind == 3)  // of nothing
    become(c, c.x.sum(axes, keepdim),
           reduced(c.plain, chosen, keepdim,
                   [&](auto list) {
                     list.push_back({0, std::vector<double>(c.leaf_elements)});
                     return total(list);
                   }),
           "sum");
}

// Constants of a shape that broadcasts with the tensor's.
PlainTensor constants(const Chain& c, Dice& dice) {
  Sizes sizes = c.plain.sizes;
  for (Index& size : sizes)
    if (dice.toss()) size = size == 1 && c.plain.count() <= 24 ? 2 : 1;
  while (!sizes.empty() && dice.below(3) == 0) sizes.erase(sizes.begin());
  const Tensor values_of = noise(dims(sizes), static_cast<std::uint32_t>(dice.below(1 << 20)));
  return plain(sizes, values(values_of), c.leaf_elements);
}
Tensor as_tensor(const PlainTensor& plain) {
  std::vector<double> numbers;
  for (const Number& number : plain.numbers) numbers.push_back(number.value);
  return tensor(numbers, dims(plain.sizes), Float64);
}

const auto plus = [](const Number& a, const Number& b) { return a + b; };
const auto times = [](const Number& a, const Number& b) { return a * b; };

void combine_it(Chain& c, Dice& dice) {
  const PlainTensor other = constants(c, dice);
  const Tensor y = as_tensor(other);
  if (dice.toss())
    become(c, c.x * y, zipped(c.plain, other, times), "mul");
  else
    become(c, y + c.x, zipped(other, c.plain, plus), "add");
}

// The tensor meets a reduced copy of itself.
void meet_itself(Chain& c, Dice& dice) {
  if (c.rank() == 0 || c.plain.count() == 0) return;
  const int d = static_cast<int>(dice.below(c.rank()));
  std::vector<bool> chosen(c.plain.rank());
  chosen[static_cast<std::size_t>(d)] = true;
  const PlainTensor total = reduced(c.plain, chosen, true, [](const std::vector<Number>& list) {
    return std::accumulate(list.begin() + 1, list.end(), list[0]);
  });
  become(c, c.x * sin(c.x.sum({d}, true)),
         zipped(c.plain,
                reduced(total, std::vector<bool>(c.plain.rank()), true,
                        [](const std::vector<Number>& list) { return sin(list[0]); }),
                times),
         "itself");
}

// In place, on memory of its own: row-major, or a view of it.
void change_it(Chain& c, Dice& dice) {
  Tensor y = c.x.clone();
  if (c.rank() >= 2 && dice.toss()) y = (c.x.transpose(0, 1) * 1).transpose(0, 1);
  PlainTensor factor = constants(c, dice);
  if (zipped(c.plain, factor, times).sizes != c.plain.sizes) return;
  y.mul_(as_tensor(factor)).add_(0.5);
  const PlainTensor half = plain({}, {0.5}, c.leaf_elements);
  become(c, y, zipped(zipped(c.plain, factor, times), half, plus), "mul_");
}

using Step = void (*)(Chain&, Dice&);
const std::vector<Step> steps = {
    reshape_it, view_it,   flatten_it, permute_it,  transpose_it, unsqueeze_it, squeeze_it,
    expand_it,  expand_it, narrow_it,  slice_it,    select_it,    split_it,     index_select_it,
    join_it,    reduce_it, combine_it, meet_itself, change_it};

// A leaf of a random shape, shown in a random layout.
Chain start(Dice& dice, Tensor& leaf) {
  Sizes sizes;
  const Index rank = dice.below(4);
  for (Index d = 0; d < rank; ++d) sizes.push_back(1 + dice.below(3));
  leaf = noise(dims(sizes), static_cast<std::uint32_t>(1 + dice.below(1 << 20)));
  if (rank >= 2 && dice.toss()) leaf = leaf.transpose(0, -1).clone().transpose(0, -1);
  const std::vector<double> numbers = values(leaf);
  leaf.requires_grad_();
  Chain c{leaf, plain_leaf(sizes, numbers), numbers.size()};
  c.story << "leaf" << leaf.shape();
  return c;
}

// The slopes of sum(x w) by the leaf.
std::vector<double> weighted(const PlainTensor& x, const std::vector<double>& w, std::size_t n) {
  std::vector<double> result(n);
  for (std::size_t k = 0; k < x.numbers.size(); ++k)
    for (std::size_t i = 0; i < n; ++i) result[i] += w[k] * x.numbers[k].slopes[i];
  return result;
}

}  // namespace

TEST_CASE("1,000 random chains of views, broadcasts and reductions agree with plain vectors") {
  constexpr Tolerance close{.relative_to_at_least_one = 1e-10};
  Index longest = 0, empty = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    CAPTURE(seed);
    Dice dice(seed);
    Tensor leaf;
    Chain c = start(dice, leaf);
    const Index length = 3 + dice.below(10);
    for (Index k = 0; k < length; ++k) dice.one_of(steps)(c, dice);
    const std::string story = c.story.str();
    longest = std::max<Index>(longest, std::count(story.begin(), story.end(), '.'));
    empty += c.plain.count() == 0;
    CAPTURE(story);
    CHECK(difference(c.x, as_tensor(c.plain), close) == "");
    if (!c.x.requires_grad()) continue;
    const Tensor w = noise(c.x.shape(), static_cast<std::uint32_t>(seed) + 7);
    const Tensor want =
        tensor(weighted(c.plain, values(w), c.leaf_elements), leaf.shape(), Float64);
    for (const bool create_graph : {false, true})
      CHECK(difference(autograd::grad({c.x}, {leaf}, {w}, true, create_graph)[0], want, close) ==
            "");
  }
  CHECK(longest >= 10);
  CHECK(empty >= 5);
  CHECK(empty <= 200);
}
