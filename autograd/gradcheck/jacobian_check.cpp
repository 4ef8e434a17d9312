#include "jacobian_check.h"

#include <algorithm>
#include <iomanip>

#include "kink.h"

namespace tapehead {
namespace {

constexpr double aside = 100;  // how far beside a kink, in eps

Entry entry_of(const std::array<std::vector<NDArray>, 2>& gradients, const Direction& direction,
               double measured) {
  return {{along(direction, gradients[0]), along(direction, gradients[1])}, measured};
}

}  // namespace

std::string element_name(const std::string& name, const Shape& shape, Index i) {
  return shape.rank() == 0 ? name : core::to_text(name, " ", core::index_of(shape, i));
}

JacobianCheck::JacobianCheck(Probe& probe, const GradcheckOptions& options,
                             std::vector<GradcheckTarget> targets)
    : probe_(probe), options_(options), comparison_(options, std::move(targets)) {
  const std::vector<Tensor> outputs = probe.outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string name = probe.checked().output_name(k);
    for (Index i = 0; i < outputs[k].numel(); ++i)
      rows_.push_back({k, i, element_name(name, outputs[k].shape(), i), gradients(outputs[k], i)});
  }
}

std::array<std::vector<NDArray>, 2> JacobianCheck::gradients(const Tensor& output,
                                                             Index element) const {
  NDArray one = NDArray::full(output.shape(), 0, Float64);
  one.mutable_data<double>()[element] = 1;
  return {probe_.gradients(output, one, false), probe_.gradients(output, one, true)};
}

bool JacobianCheck::bent(double down, double up) const {
  return std::abs(up - down) > comparison_.allowed(std::max(std::abs(up), std::abs(down)));
}

// Whether backward gives one of two slopes or something between.
bool JacobianCheck::between(const Entry& entry, double a, double b) const {
  const double low = std::min(a, b), high = std::max(a, b);
  return std::all_of(entry.said.begin(), entry.said.end(), [&](double said) {
    return said >= low - comparison_.allowed(low) && said <= high + comparison_.allowed(high);
  });
}

// Of some rows, those whose two slopes stay apart when looked at from closer: with a curvature they
// would approach each other.
std::vector<std::size_t> JacobianCheck::still_bent(const std::vector<std::size_t>& rows,
                                                   const Direction& direction,
                                                   const Slopes& slopes) {
  std::vector<std::size_t> result;
  if (rows.empty()) return result;
  const Slopes closer = probe_.measure(direction, options_.eps / 8);
  for (const std::size_t r : rows)
    if (std::abs(closer.up[r] - closer.down[r]) > std::abs(slopes.up[r] - slopes.down[r]) / 2)
      result.push_back(r);
  return result;
}

JacobianCheck::Beside JacobianCheck::beside(const std::vector<std::size_t>& rows,
                                            const Direction& direction) {
  Beside result;
  for (const bool behind : {false, true}) {
    probe_.shift(direction, (behind ? -aside : aside) * options_.eps);
    const std::vector<double> measured = probe_.measure(direction, options_.eps).central;
    const std::vector<Tensor> outputs = probe_.outputs();
    for (const std::size_t r : rows) {
      const Row& row = rows_[r];
      result[behind].push_back(
          entry_of(gradients(outputs[row.output], row.element), direction, measured[r]));
    }
  }
  probe_.shift(direction, 0);
  return result;
}

// Rows whose slopes on either side differ: what counts is beside that point.
void JacobianCheck::add_kinked(std::size_t t, const std::vector<std::size_t>& rows,
                               const Direction& direction, const Slopes& slopes,
                               const std::string& name) {
  if (rows.empty()) return;
  const std::string op = kinked_op(probe_, direction, options_.eps,
                                   [&](double slope) { return comparison_.allowed(slope); });
  const auto [ahead, behind] = beside(rows, direction);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::size_t r = rows[k];
    const Entry& entry = comparison_.agrees(ahead[k]) ? behind[k] : ahead[k];
    comparison_.add(t, entry, [&] {
      return core::to_text(rows_[r].name, " ", name, ", ", aside * options_.eps,
                           " beside a kink of ", op);
    });
    if (!comparison_.agrees(entry)) continue;
    comparison_.at_kink(t, [&] {
      return core::to_text(std::setprecision(5), rows_[r].name, " ", name, " is within ",
                           options_.eps, " of a kink of ", op, ": slopes ", slopes.down[r], " and ",
                           slopes.up[r]);
    });
  }
}

void JacobianCheck::column(std::size_t t, const Direction& direction, const std::string& name) {
  const Slopes slopes = probe_.measure(direction, options_.eps);
  std::vector<Entry> entries;
  std::vector<std::size_t> kinked, in_doubt;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    entries.push_back(entry_of(rows_[r].gradients, direction, slopes.central[r]));
    if (!bent(slopes.down[r], slopes.up[r])) continue;
    if (comparison_.agrees(entries[r]))  // in the middle of a kink, or where the function is curved
      in_doubt.push_back(r);
    else if (between(entries[r], slopes.down[r], slopes.up[r]))
      kinked.push_back(r);
  }
  for (const std::size_t r : still_bent(in_doubt, direction, slopes)) kinked.push_back(r);
  std::sort(kinked.begin(), kinked.end());
  for (std::size_t r = 0; r < rows_.size(); ++r)
    if (!std::binary_search(kinked.begin(), kinked.end(), r))
      comparison_.add(t, entries[r], [&] { return rows_[r].name + " " + name; });
  add_kinked(t, kinked, direction, slopes, name);
}

std::vector<GradcheckTarget> by_name(const std::vector<Target>& targets) {
  std::vector<GradcheckTarget> result;
  for (const Target& target : targets) result.push_back({target.name, target.original.shape()});
  return result;
}

}  // namespace tapehead
