#include "report.h"

#include <tapehead/autograd/op_table.h>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <set>

#include "explained.h"
#include "row.h"

namespace parity {

namespace {

// What the table of docs/parity.md should have, and has not; or has, and should not.
std::vector<std::string> undocumented() {
  std::set<std::string> documented, wanted;
  std::ifstream page(PARITY_PAGE);
  bool in_table = false;
  for (std::string line; std::getline(page, line);) {
    if (line == "|---|---|")
      in_table = true;
    else if (line.empty())
      in_table = false;
    else if (in_table)
      documented.insert(line);
  }
  for (const Explanation& e : explanations())
    wanted.insert(std::string("| ") + e.name + " | " + e.reason + " |");
  std::vector<std::string> differences;
  std::set_symmetric_difference(documented.begin(), documented.end(), wanted.begin(), wanted.end(),
                                std::back_inserter(differences));
  return differences;
}

}  // namespace

void Tally::count(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kept:
      ++kept;
      break;
    case Outcome::Refused:
      ++refused;
      break;
    case Outcome::Kink:
      ++kinks;
      break;
    case Outcome::Explained:
      ++explained;
      break;
    case Outcome::Different:
      ++different;
  }
}

void Report::count(const Step& step, const std::vector<Reading>& inputs, const Outcome& outcome) {
  rows_[step.row].count(outcome.kind);
  if (outcome.why != nullptr) ++explained_[outcome.why->name];
  if (outcome.kind != Outcome::Kept || step.row->kind == Row::Control) return;
  for (const Reading& input : inputs) {
    if (!input.defined) continue;
    ++layouts_[static_cast<std::size_t>(layout_of(input))];
    ++row_layouts_[step.row][static_cast<std::size_t>(layout_of(input))];
    ++dtypes_[static_cast<std::size_t>(input.dtype)];
  }
}

void Report::print(std::ostream& out, bool every_row) const {
  Tally all;
  for (const auto& [row, tally] : rows_) {
    all.kept += tally.kept, all.refused += tally.refused, all.kinks += tally.kinks;
    all.explained += tally.explained, all.different += tally.different;
  }
  out << graphs_ << " graphs, " << all.kept << " steps alike, " << all.refused
      << " refused by both, " << all.explained << " explained, " << all.kinks << " at a kink, "
      << all.different << " different\n";
  out << "input layouts:";
  for (int i = 0; i < layouts; ++i)
    out << "  " << name(static_cast<Layout>(i)) << " " << layouts_[static_cast<std::size_t>(i)];
  out << "\ninput dtypes:";
  for (std::size_t i = 0; i < dtypes_.size(); ++i)
    out << "  " << torch_name(static_cast<DType>(i)) << " " << dtypes_[i];
  out << "\n";
  for (const auto& [name, count] : explained_)
    out << "explained: " << name << ": " << count << "\n";
  if (!every_row) return;
  out << "op                           alike refused   kinks explained  layouts\n";
  std::vector<std::pair<std::string, const Row*>> sorted;
  for (const auto& [row, tally] : rows_) sorted.emplace_back(row->op + " " + row->name, row);
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [label, row] : sorted) {
    const Tally& tally = rows_.at(row);
    out << std::left << std::setw(27) << row->name << std::right << std::setw(7) << tally.kept
        << std::setw(8) << tally.refused << std::setw(8) << tally.kinks << std::setw(10)
        << tally.explained << "  ";
    const auto found = row_layouts_.find(row);
    for (int i = 0; found != row_layouts_.end() && i < layouts; ++i)
      out << std::setw(6) << found->second[static_cast<std::size_t>(i)];
    out << "\n";
  }
}

std::vector<std::string> Report::shortcomings(int graphs) const {
  std::vector<std::string> missing;
  const auto due = [&](int full) { return std::min(full, full * graphs / full_run); };
  std::map<std::string, int> calls;
  for (const Row& row : table()) {
    const auto found = rows_.find(&row);
    calls[row.op] += found == rows_.end() ? 0 : found->second.kept;
  }
  std::set<std::string> ops;
  for (const tapehead::OpRow& row : tapehead::op_table()) ops.insert(row.op);
  for (const std::string& op : ops) {
    if (calls.count(op) == 0)
      missing.push_back("no row for " + op);
    else if (calls[op] < due(least_calls))
      missing.push_back(op + " was run " + std::to_string(calls[op]) + " times");
  }
  for (int i = 0; i < layouts; ++i)
    if (layouts_[static_cast<std::size_t>(i)] < due(least_layouts))
      missing.push_back(std::string("too few inputs are ") + name(static_cast<Layout>(i)));
  if (explanations().size() > most_explained) missing.push_back("too much is explained");
  for (const std::string& line : undocumented())
    missing.push_back("docs/parity.md is not as tests/parity/explained.cpp: " + line);
  if (shallow_ > 0) missing.push_back(std::to_string(shallow_) + " graphs are too shallow");
  return missing;
}

}  // namespace parity
