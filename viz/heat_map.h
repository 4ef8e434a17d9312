// Heat maps in the terminal: matrices as shaded cells with a label for each row and column.
//
//   std::cout << attention_map(attn.attention_weights().array().select(0, 0), queries, keys,
//                              terminal_of(STDOUT_FILENO));
//
//   head 0              head 1
//     3 1 4 1             3 1 4 1
//   3       ██          3 ░░░░██
//   1     ██            1 ██
#pragma once

#include <string>
#include <vector>

#include "../core/ndarray.h"
#include "terminal.h"

namespace tapehead::viz {

using core::Index;
using core::NDArray;

struct Panel {
  std::string title;
  NDArray values;  // (rows, columns), floating, not negative
};

/// Panels of one shape, side by side as far as the terminal is wide, with a legend below: shading
/// runs from 0 to the greatest value of all panels; NaN is shown as "?". Labels are shown as
/// data::printable has them, cut where they don't fit. Rows and columns that don't fit are left
/// out, which a line says. ShapeError unless panels and labels fit together.
std::string heat_map(const std::vector<Panel>& panels, const std::vector<std::string>& row_labels,
                     const std::vector<std::string>& column_labels, const Terminal& terminal);

/// One panel a head of `weights` (H, Tq, Tk): each row is a query, each column a key it may look
/// at.
std::string attention_map(const NDArray& weights, const std::vector<std::string>& queries,
                          const std::vector<std::string>& keys, const Terminal& terminal);

}  // namespace tapehead::viz
