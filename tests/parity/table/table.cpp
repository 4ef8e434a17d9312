#include <stdexcept>

#include "../row.h"

namespace parity {

const std::vector<Row>& table() {
  static const std::vector<Row> all = [] {
    std::vector<Row> joined;
    for (const auto part :
         {rows::creation, rows::arithmetic, rows::pointwise, rows::comparisons, rows::reductions,
          rows::products, rows::shapes, rows::indexing, rows::neural, rows::in_place,
          rows::rearrangements, rows::places, rows::in_place_places, rows::order, rows::rounding,
          rows::activations, rows::losses})
      for (Row& row : part()) joined.push_back(std::move(row));
    return joined;
  }();
  return all;
}

static const Row& named(const std::vector<Row>& rows, const std::string& name) {
  for (const Row& row : rows)
    if (row.name == name) return row;
  throw std::logic_error("there is no row " + name);
}
const Row& row_of(const std::string& name) { return named(table(), name); }
const Row& control(const std::string& name) {
  static const std::vector<Row> all = rows::controls();
  return named(all, name);
}

}  // namespace parity
