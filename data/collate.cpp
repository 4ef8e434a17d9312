#include "collate.h"

#include <algorithm>

#include "../autograd/ops.h"
#include "../nn/mask.h"

namespace tapehead::data {
namespace {

void append(std::vector<Index>& all, std::vector<Index> row, Index length, Index pad, Side side) {
  const auto missing = static_cast<std::size_t>(length - std::ssize(row));
  row.insert(side == Side::left ? row.begin() : row.end(), missing, pad);
  all.insert(all.end(), row.begin(), row.end());
}

}  // namespace

Padded collate(const std::vector<Example>& examples, Index pad, Side side) {
  if (examples.empty()) fail("collate: expected at least one example, got none; draw some first");
  std::vector<Index> lengths;
  for (const auto& [in, out] : examples) {
    if (in.size() != out.size())
      fail<ShapeError>("collate: inputs and targets of an example must have one length, got ",
                       in.size(), " and ", out.size(), "; put no_target where nothing is asked");
    lengths.push_back(std::ssize(in));
  }
  const Index T = *std::max_element(lengths.begin(), lengths.end());
  std::vector<Index> inputs, targets;
  for (const auto& [in, out] : examples) {
    append(inputs, in, T, pad, side);
    append(targets, out, T, no_target, side);
  }
  const Shape shape{std::ssize(examples), T};
  const Tensor mask = nn::padding_mask(lengths, T);  // for padding on the right
  return {{tensor(inputs, shape), tensor(targets, shape)},
          lengths,
          side == Side::left ? flip(mask, {-1}) : mask};
}

}  // namespace tapehead::data
