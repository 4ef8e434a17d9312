// How a result of gradcheck is printed.
#include <iomanip>
#include <ostream>

#include "../gradcheck.h"

namespace tapehead {
namespace {

void line(std::ostream& out, const std::string& name, const std::string& shape,
          const std::string& entries, const std::string& absolute, const std::string& relative) {
  out << std::left << std::setw(28) << name << std::right << std::setw(14) << shape << std::setw(9)
      << entries << std::setw(11) << absolute << std::setw(11) << relative;
}

std::string scientific(double x) { return core::to_text(std::scientific, std::setprecision(1), x); }

}  // namespace

std::ostream& operator<<(std::ostream& out, const GradcheckResult& result) {
  if (!result.passed) return out << result.message;
  out << core::to_text(std::setprecision(2), "gradcheck: ", result.checked,
                       " entries agree, worst error ", result.worst_absolute, " absolute, ",
                       result.worst_relative, " relative");
  if (result.kinks)
    out << core::to_text("; ", result.kinks, " of them beside a kink: ", result.kink);
  if (result.skipped) out << core::to_text("; there was no time for ", result.skipped, " more");
  return out;
}

std::string table(const GradcheckResult& result) {
  core::TextStream out;
  line(out, "input or parameter", "shape", "entries", "absolute", "relative");
  out << "   (worst errors)\n";
  for (const GradcheckTarget& t : result.targets) {
    line(out, t.name, core::to_text(t.shape), core::to_text(t.checked),
         scientific(t.worst_absolute), scientific(t.worst_relative));
    if (t.disagreeing)
      out << "   WRONG: " << t.disagreeing << "\n    " << t.worst << "\n";
    else if (t.kinks)
      out << "   ok, " << t.kinks << " beside a kink\n";
    else
      out << "   ok\n";
  }
  return out.str();
}

}  // namespace tapehead
