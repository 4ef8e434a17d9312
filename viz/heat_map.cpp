#include "heat_map.h"

#include <algorithm>
#include <cmath>

#include "../data/utf8.h"
#include "shade.h"

namespace tapehead::viz {
namespace {

using Labels = std::vector<std::string>;

constexpr int gap = 2;  // columns between panels

struct Layout {
  int label, cell;      // columns for a row's label and the space behind it, and for a cell
  Index rows, columns;  // as many as are shown
  int width() const { return label + cell * static_cast<int>(columns); }
};

Labels printable(const Labels& labels, bool unicode) {
  Labels result;
  for (const std::string& label : labels) result.push_back(data::printable(label, unicode));
  return result;
}

int widest(const Labels& labels) {
  int width = 0;
  for (const std::string& label : labels) width = std::max(width, data::display_width(label));
  return width;
}

// Cells are as wide as their labels; where that is too wide, two columns, then one, then fewer
// cells.
Layout layout(const Labels& rows, const Labels& columns, int width) {
  Layout result{std::min(widest(rows), 12) + 1, std::clamp(widest(columns) + 1, 2, 5),
                static_cast<Index>(rows.size()), static_cast<Index>(columns.size())};
  for (const int smaller : {2, 1})
    if (result.width() > width) result.cell = smaller;
  result.columns = std::clamp<Index>(width - result.label, 1, result.columns * result.cell);
  result.columns /= result.cell;
  // Queries and keys are mostly the same tokens: what is cut off should be cut off on both sides.
  if (result.columns < static_cast<Index>(columns.size()) && rows.size() == columns.size())
    result.rows = result.columns;
  return result;
}

double value_at(const NDArray& values, Index row, Index column) {
  return values.select(0, row).select(0, column).item();
}

double greatest_of(const std::vector<Panel>& panels) {
  double greatest = 0;
  for (const auto& [title, values] : panels)
    for (Index r = 0; r < values.shape()[0]; ++r)
      for (Index c = 0; c < values.shape()[1]; ++c)
        greatest = std::fmax(greatest, value_at(values, r, c));
  return greatest;
}

// The lines of one panel, each as wide as the layout.
std::vector<std::string> draw(const Panel& panel, const Labels& rows, const Labels& columns,
                              const Layout& l, double greatest, const Terminal& terminal) {
  std::string head = data::fitted("", l.label);
  for (Index c = 0; c < l.columns; ++c)
    head += data::fitted(columns[static_cast<std::size_t>(c)], l.cell);
  std::vector<std::string> lines{data::fitted(panel.title, l.width()), head};
  for (Index r = 0; r < l.rows; ++r) {
    std::string line = data::fitted(rows[static_cast<std::size_t>(r)], l.label - 1) + " ";
    for (Index c = 0; c < l.columns; ++c)
      line += shade(value_at(panel.values, r, c) / greatest, l.cell, terminal);
    lines.push_back(line + end_of_shades(terminal));
  }
  return lines;
}

using Drawn = std::vector<std::string>;
std::string side_by_side(std::vector<Drawn>::const_iterator from,
                         std::vector<Drawn>::const_iterator to) {
  std::string text;
  for (std::size_t i = 0; i < from->size(); ++i) {
    std::string line;
    for (auto panel = from; panel != to; ++panel)
      line += data::fitted("", panel == from ? 0 : gap) + (*panel)[i];
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

void check(const std::vector<Panel>& panels, const core::Shape& shape) {
  if (panels.empty() || numel(shape) == 0)
    fail<ShapeError>("heat_map: expected at least one panel, row and column, got ", panels.size(),
                     " panels and labels for ", shape, "; leave the drawing out");
  for (const auto& [title, values] : panels)
    if (values.shape() != shape)
      fail<ShapeError>("heat_map: the labels are for ", shape, ", got ", values.shape(), " in \"",
                       title, "\"; give a label for each row and column");
}

}  // namespace

std::string heat_map(const std::vector<Panel>& panels, const Labels& row_labels,
                     const Labels& column_labels, const Terminal& terminal) {
  check(panels, {static_cast<Index>(row_labels.size()), static_cast<Index>(column_labels.size())});
  const Labels rows = printable(row_labels, terminal.unicode);
  const Labels columns = printable(column_labels, terminal.unicode);
  const Layout l = layout(rows, columns, terminal.width);
  const double greatest = greatest_of(panels);

  std::vector<Drawn> drawn;
  for (const Panel& panel : panels)
    drawn.push_back(draw(panel, rows, columns, l, greatest > 0 ? greatest : 1, terminal));
  const auto abreast =
      static_cast<std::ptrdiff_t>(std::max(1, (terminal.width + gap) / (l.width() + gap)));
  std::string text;
  for (auto from = drawn.cbegin(); from != drawn.cend();) {
    const auto to = from + std::min(abreast, drawn.cend() - from);
    text += side_by_side(from, to) + "\n";
    from = to;
  }
  text += shade_legend(greatest, terminal) + "\n";
  if (l.columns < static_cast<Index>(columns.size()))
    text += "(the first " + std::to_string(l.columns) + " of " + std::to_string(columns.size()) +
            " columns: the terminal is " + std::to_string(terminal.width) + " wide)\n";
  return text;
}

std::string attention_map(const NDArray& weights, const Labels& queries, const Labels& keys,
                          const Terminal& terminal) {
  if (weights.rank() != 3)
    fail<ShapeError>("attention_map: expected weights (H, Tq, Tk), got ", weights.shape(),
                     "; choose one of the batch with select(0, i)");
  std::vector<Panel> panels;
  for (Index head = 0; head < weights.shape()[0]; ++head)
    panels.push_back({"head " + std::to_string(head), weights.select(0, head)});
  return heat_map(panels, queries, keys, terminal);
}

}  // namespace tapehead::viz
