// The layouts in which every row of the table is tried.
#include "op_table.h"

using namespace tapehead;
using namespace tapehead::testing;

const std::vector<Layout>& testing::layouts() {
  static const std::vector<Layout> all = {
      {"contiguous", [](const Tensor& x, int) { return x.clone(); },
       [](const Tensor& leaf, const Shape&) { return leaf; }},
      {"transposed",
       [](const Tensor& x, int) { return x.dim() < 2 ? x.clone() : x.transpose(0, -1).clone(); },
       [](const Tensor& leaf, const Shape&) {
         return leaf.dim() < 2 ? leaf : leaf.transpose(0, -1);
       }},
      {"sliced",
       [](const Tensor& x, int) {
         return x.dim() == 0 ? stack({x * 3, x}) : stack({x * 3, x, x * 5}, -1).flatten(-2);
       },
       [](const Tensor& leaf, const Shape& shape) {
         if (shape.rank() == 0) return leaf.select(0, 1);
         return leaf.slice(-1, 1, leaf.size(-1), 3);
       }},
      {"expanded",
       [](const Tensor& x, int along) {
         return along < 0 ? x.clone() : x.narrow(along, 0, 1).clone();
       },
       [](const Tensor& leaf, const Shape& shape) { return leaf.expand(shape); }},
  };
  return all;
}
