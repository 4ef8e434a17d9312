// What a wrong Jacobian looks like.
#include <algorithm>
#include <cmath>
#include <iomanip>

#include "comparison.h"

namespace tapehead {
namespace {

bool close(double a, double b) { return std::abs(a - b) <= 1e-4 * std::abs(b); }

bool roughly(double a, double b) { return std::abs(a - b) <= 1e-5 + 1e-4 * std::abs(b); }

template <class Condition>
bool all_wrong(const std::vector<Judged>& entries, Condition condition) {
  return std::all_of(entries.begin(), entries.end(),
                     [&](const Judged& e) { return e.agrees || condition(e); });
}

std::string of_zeros(const std::vector<Judged>& entries, const std::string& name) {
  const bool everywhere =
      std::all_of(entries.begin(), entries.end(), [](const Judged& e) { return e.said == 0; });
  if (everywhere)
    return "Backward gives 0 everywhere: is " + name +
           " cut off, by a detach(), a NoGradGuard or a value taken as array() or item()?";
  return "Where it is wrong it is 0: does a rule leave out a part, such as the sum over axes that "
         "were broadcast?";
}

// What all entries that disagree were multiplied with.
std::string of_ratio(double ratio) {
  if (close(ratio, 2))
    return "Backward gives exactly 2 times the slope: is a gradient accumulated twice?";
  if (close(ratio, -1)) return "Backward gives the slope with the wrong sign";
  const double times = std::abs(ratio) < 1 ? 1 / ratio : ratio;
  if (times > 2.5 && close(times, std::round(times)))
    return core::to_text(
        "Backward gives exactly ", ratio < 1 ? "1 / " : "", std::round(times),
        " times the slope: is something of that size ",
        ratio < 1 ? "averaged where it should be summed?" : "summed where it should be averaged?");
  return core::to_text("Where it is wrong it is always ", std::setprecision(5), ratio,
                       " times the slope: is a factor missing?");
}

// Whether every row of the Jacobian, as the target's last two dimensions, is the transpose of what
// it should be. Entries come column by column.
bool transposed(const std::vector<Judged>& entries, const Shape& shape) {
  const auto size = static_cast<std::size_t>(core::numel(shape));
  if (shape.rank() < 2 || size == 0 || entries.size() % size != 0) return false;
  const auto m = static_cast<std::size_t>(shape[-1]), n = static_cast<std::size_t>(shape[-2]);
  const std::size_t rows = entries.size() / size, plane = n * m;
  bool as_it_is = true;  // as a vector or a symmetric matrix is
  for (std::size_t column = 0; column < size; ++column) {
    const std::size_t i = column % plane / m, j = column % plane % m;
    const std::size_t mirrored = column - column % plane + j * n + i;  // column (j, i) of (m, n)
    for (std::size_t r = 0; r < rows; ++r) {
      const double said = entries[mirrored * rows + r].said;
      const double measured = entries[column * rows + r].measured;
      if (!roughly(said, measured)) return false;
      as_it_is = as_it_is && roughly(entries[column * rows + r].said, measured);
    }
  }
  return !as_it_is;
}

}  // namespace

std::string hint(const std::vector<Judged>& entries, const std::string& name, const Shape& shape) {
  if (!all_wrong(entries, [](const Judged& e) { return !std::isnan(e.measured); }))
    return "Central differences are NaN: the function is not defined on both sides of this point";
  if (all_wrong(entries, [](const Judged& e) { return e.said == 0; }))
    return of_zeros(entries, name);
  if (transposed(entries, shape)) return "Backward gives the transpose of what it should";
  const Judged first =
      *std::find_if(entries.begin(), entries.end(), [](const Judged& e) { return !e.agrees; });
  const double ratio = first.said / first.measured;
  const bool simple = close(ratio, 2) || close(ratio, -1);
  const auto wrong =
      std::count_if(entries.begin(), entries.end(), [](const Judged& e) { return !e.agrees; });
  const auto of_that_ratio = [&](const Judged& e) { return close(e.said, ratio * e.measured); };
  if ((simple || wrong > 1) && std::isfinite(ratio) && all_wrong(entries, of_that_ratio))
    return of_ratio(ratio);
  return "A derivative is wrong";
}

}  // namespace tapehead
