#include "graph.h"

#include <algorithm>

#include "draw.h"
#include "shrink.h"

namespace parity {
namespace {

class Builder {
 public:
  Builder(std::uint64_t seed, int number, Report& report, std::ostream* listing)
      : number_(number),
        random_(noise_seed(seed, number)),
        graph_(noise_seed(seed, number), &report, listing),
        draw_(graph_, random_) {}

  std::optional<Difference> build() {
    grow();
    if (!failed()) deepen();
    if (!failed()) random_.chance(0.7) ? differentiate_twice() : accumulate();
    if (!failed()) return {};
    Plan plan = graph_.plan();
    plan.push_back(graph_.failure()->step);
    return Difference{std::move(plan), graph_.failure()->text};
  }
  int depth() const {
    int most = 0;
    for (int number = 0; number < graph_.count(); ++number)
      most = std::max(most, graph_.depth(number));
    return most;
  }

 private:
  static constexpr int forced = 2, most_tries = 60;

  bool failed() const { return graph_.failure().has_value(); }

  // Two rows that are this graph's turn, so that all are called often enough, among others.
  void grow() {
    const auto& rows = table();
    std::vector<const Row*> due;
    for (int i = 0; i < forced; ++i)
      due.push_back(&rows[static_cast<std::size_t>(number_ * forced + i) % rows.size()]);
    const int wanted = static_cast<int>(random_.between(6, 14));
    int kept = 0, quiet = 0;
    for (int tries = 0; tries < most_tries && !failed(); ++tries) {
      if (kept >= wanted && due.empty() && depth() >= Report::least_depth) break;
      if (quiet > 0)
        --quiet;
      else if (random_.chance(0.06))
        quiet = static_cast<int>(random_.between(1, 3));
      if (random_.chance(0.08)) {
        something_else();
        continue;
      }
      const bool turn = !due.empty() && random_.chance(0.4);
      const Row& row = turn ? *due.front() : random_.pick(rows);
      const auto arguments = row.draw(draw_);
      if (failed() || !arguments) continue;
      const Outcome outcome = graph_.attempt({&row, *arguments, quiet == 0 || row.recorded});
      if (outcome.kind != Outcome::Kept) continue;
      ++kept;
      if (turn) due.erase(due.begin());
    }
  }

  void deepen() {
    static const std::vector<std::string> smooth{"tanh", "sin", "sigmoid", "neg", "cos"};
    for (int tries = 0; tries < 20 && !failed() && depth() < Report::least_depth; ++tries) {
      int deepest = -1;
      for (int number = 0; number < graph_.count(); ++number)
        if (graph_.see(number).defined && graph_.see(number).floating() &&
            (deepest < 0 || graph_.depth(number) > graph_.depth(deepest)))
          deepest = number;
      const std::string& name = random_.pick(smooth);
      const Operand x = deepest < 0 ? draw_.leaf({2, 3}, draw_.dtype()) : Operand{deepest};
      draw_.run(row_of(name), {x});
    }
  }

  std::optional<Operand> differentiable() {
    return draw_.find([](const Reading& r) { return r.floating() && r.requires_grad; });
  }

  void something_else() {
    const auto x = differentiable();
    if (!x) return;
    switch (random_.below(5)) {
      case 0:
        draw_.run("detach", {*x});
        break;
      case 1:
        graph_.attempt({&control("retain_grad"), {*x}});
        break;
      case 2:
        backward(*x, random_.chance(0.7));
        break;
      case 3:
        step_downhill();
        break;
      default:
        if (!leaves().empty()) graph_.attempt({&control("zero_grad"), {random_.pick(leaves())}});
    }
  }

  Operands leaves() const {
    Operands all;
    for (const Step& step : graph_.plan())
      if (step.row == &control("requires_grad_"))
        all.push_back(std::get<Operand>(step.arguments[0]));
    return all;
  }

  Operand weights(const Reading& of) {
    Numbers numbers(of.values.size());
    for (double& w : numbers) w = std::get<double>(draw_.fraction(-1, 1));
    if (of.dtype == DType::Float32)
      for (double& w : numbers) w = static_cast<double>(static_cast<float>(w));
    return *draw_.run("leaf", {of.shape, of.dtype, numbers});
  }

  bool backward(Operand y, bool retain_graph) {
    const Operand g = weights(draw_.see(y));
    if (graph_.attempt({&control("backward"), {y, g, retain_graph, false}}).kind != Outcome::Kept)
      return false;
    for (const Operand leaf : leaves()) graph_.attempt({&control("gradient"), {leaf}});
    return true;
  }

  // As an optimiser does: p -= rate * p.grad, in place, not recorded.
  void step_downhill() {
    const Operands all = leaves();
    if (all.empty()) return;
    const Operand leaf = random_.pick(all);
    const auto g = draw_.run("gradient", {leaf});
    if (!g || !draw_.see(*g).defined) return;
    draw_.run(row_of("sub_.Tensor"), {leaf, *g, 0.125}, false);
  }

  // The deepest differentiable tensor, and some others. Of second derivatives of what is not finite
  // each formula says something else.
  Operands outputs() {
    Operands all;
    int deepest = -1;
    for (int number = 0; number < graph_.count(); ++number) {
      const Reading& r = graph_.see(number);
      if (r.defined && r.floating() && r.requires_grad && r.size() > 0 &&
          (deepest < 0 || graph_.depth(number) >= graph_.depth(deepest)))
        deepest = number;
    }
    if (deepest >= 0) all.push_back({deepest});
    for (int more = 0; more < 2; ++more)
      if (const auto x = differentiable(); x && x->number != deepest && random_.chance(0.5))
        all.push_back(*x);
    return all;
  }

  void differentiate_twice() {
    const Operands from = outputs(), to = leaves();
    if (from.empty() || to.empty()) return;
    Operands g;
    for (const Operand y : from) g.push_back(weights(draw_.see(y)));
    if (graph_.attempt({&control("grad"), {from, to, g, true}}).kind != Outcome::Kept) return;
    const Step first = graph_.plan().back();
    Operands outputs, second;
    for (int i = first.first; i < first.first + first.results; ++i)
      if (graph_.see(i).defined && graph_.see(i).finite())
        outputs.push_back({i}), second.push_back(weights(graph_.see(i)));
    if (!outputs.empty()) graph_.attempt({&control("grad"), {outputs, to, second, false}});
  }

  // Two passes whose gradients add up, and a third one over what has been freed.
  void accumulate() {
    const Operands from = outputs();
    if (from.empty()) return;
    const bool twice = random_.chance(0.7);
    if (!backward(from[0], twice) || failed()) return;
    if (backward(from.back(), false) && !failed() && random_.chance(0.5)) backward(from[0], false);
  }

  int number_;
  Random random_;
  Lockstep graph_;
  Draw draw_;
};

}  // namespace

std::uint64_t noise_seed(std::uint64_t seed, int number) {
  return Random(seed * 0x100000001b3U + static_cast<std::uint64_t>(number)).next();
}

std::optional<Difference> compare_graph(std::uint64_t seed, int number, Report& report,
                                        std::ostream* listing) {
  Builder builder(seed, number, report, listing);
  auto difference = builder.build();
  if (!difference) {
    report.count_graph(builder.depth());
    return {};
  }
  return shrink(*difference, noise_seed(seed, number));
}

}  // namespace parity
