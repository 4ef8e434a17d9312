#include "views.h"

#include <algorithm>
#include <map>

#include "ours.h"
#include "row.h"
#include "shape_draw.h"
#include "theirs.h"

namespace parity {
namespace {

// How one call went.
enum class Verdict { Alike, Refused, Different };

// A tensor in both libraries, and what is made of it.
class Pair {
 public:
  explicit Pair(const Indices& shape) : ours_(make_ours()), theirs_(make_theirs()) {
    Numbers values(count_of(shape));
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    move({&control("leaf"), {shape, DType::Float64, values}});
  }

  /// Runs a step. Where both accept it, its result is the latest.
  Verdict run(Step step) {
    step.first = count_;
    const auto [ours_refuse, theirs_refuse] =
        std::pair(refuses(*ours_, step), refuses(*theirs_, step));
    if (ours_refuse || theirs_refuse)
      return ours_refuse && theirs_refuse ? Verdict::Refused : Verdict::Different;
    return same(step.first) ? Verdict::Alike : Verdict::Different;
  }
  /// The same, and goes on with the result.
  Verdict move(const Step& step) {
    const Verdict verdict = run(step);
    if (verdict == Verdict::Alike) steps_.push_back(step), ++count_;
    return verdict;
  }

  Operand latest() const { return {count_ - 1}; }
  Reading see() const { return theirs_->read(count_ - 1); }

  void print(std::ostream& out, Step step) const {
    int number = 0;
    for (Step before : steps_) {
      before.first = number++, before.results = 1;
      out << to_string(before) << "\n";
    }
    step.first = number, step.results = 1;
    out << to_string(step) << "\n";
    for (const Interpreter* side : {ours_.get(), theirs_.get()})
      out << (side == ours_.get() ? "#   ours:   " : "#   theirs: ")
          << (side->has(count_) ? to_string(side->read(count_), false) : "refused") << "\n";
  }

 private:
  static bool refuses(Interpreter& side, const Step& step) {
    try {
      side.run(step);
      return false;
    } catch (const Refusal&) {
      return true;
    }
  }

  // Strides are the same, also of dimensions that are not longer than 1; and both copy or both
  // don't.
  bool same(int number) const {
    const Reading ours = ours_->read(number), theirs = theirs_->read(number);
    const auto copied = [number](const Interpreter& side) {
      return number > 0 && side.read(number).storage != side.read(number - 1).storage;
    };
    return ours.shape == theirs.shape && ours.strides == theirs.strides &&
           ours.values == theirs.values && (ours.size() == 0 || ours.offset == theirs.offset) &&
           copied(*ours_) == copied(*theirs_);
  }

  std::unique_ptr<Interpreter> ours_, theirs_;
  int count_ = 0;
  std::vector<Step> steps_;
};

// A step that leaves memory where it is.
Step wander(ShapeDraw& draw, const Pair& pair) {
  const Reading x = pair.see();
  const Index rank = x.rank(), d = rank == 0 ? 0 : draw.random.below(rank);
  const Index size = rank == 0 ? 0 : x.shape[static_cast<std::size_t>(d)];
  const Operand it = pair.latest();
  switch (rank == 0 ? draw.random.between(4, 5) : draw.random.below(7)) {
    case 0:
      return {&row_of("permute"), {it, draw.order(rank)}};
    case 1:
      return {&row_of("slice.Tensor"),
              {it, d, draw.random.between(0, 1), size - draw.random.between(0, 1),
               draw.random.between(1, 3)}};
    case 2:
      return {&row_of("transpose.int"), {it, d, draw.random.below(rank)}};
    case 3:
      return {&row_of("select.int"), {it, d, draw.random.below(std::max<Index>(1, size))}};
    case 4:
      return {&row_of("expand"), {it, draw.expanded(x.shape)}};
    case 5:
      return {&row_of("unsqueeze"), {it, draw.random.below(rank + 1)}};
    default:
      return {&row_of("squeeze"), {it}};
  }
}

}  // namespace

bool compare_views(std::uint64_t seed, long count, std::ostream& out) {
  std::map<std::string, std::map<Verdict, long>> tallies;
  bool different = false;
  const auto note = [&](const Pair& pair, const Step& step, Verdict verdict) {
    ++tallies[step.row->name][verdict];
    if (verdict != Verdict::Different) return;
    different = true;
    out << "\n# difference\n";
    pair.print(out, step);
  };
  for (long i = 0; i < count; ++i) {
    Random random(Random(seed + 0x5eed).next() + static_cast<std::uint64_t>(i));
    ShapeDraw draw(random);
    Pair pair(draw.shape_of_rank(random.between(0, 4)));
    for (Index moves = random.between(0, 4); moves > 0; --moves) {
      const Step step = wander(draw, pair);
      note(pair, step, pair.move(step));
    }
    const Indices shape = draw.regrouped(pair.see().shape);
    for (const Step& step :
         {Step{&row_of("view"), {pair.latest(), shape}},
          Step{&row_of("reshape"), {pair.latest(), shape}},
          Step{&row_of("expand"), {pair.latest(), draw.expanded(pair.see().shape)}}})
      note(pair, step, pair.run(step));
  }
  out << count << " shapes with strides:";
  for (auto& [name, tally] : tallies)
    out << "  " << name << " " << tally[Verdict::Alike] << " alike, " << tally[Verdict::Refused]
        << " refused, " << tally[Verdict::Different] << " different;";
  out << "\n";
  return different;
}

}  // namespace parity
