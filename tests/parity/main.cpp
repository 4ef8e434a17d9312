// The command: tapehead against PyTorch, on random graphs. See docs/parity.md.
#include <cstring>
#include <iostream>

#include "graph.h"
#include "theirs.h"
#include "views.h"

namespace {

struct Options {
  long graphs = parity::Report::full_run, views = 100000, seed = 1, graph = -1;
  bool table = false;
};

int usage() {
  std::cerr << "usage: parity [--graphs N] [--views N] [--seed N] [--graph K] [--table]\n";
  return 2;
}

bool read(int argc, char** argv, Options& options) {
  const std::pair<const char*, long*> numbers[] = {{"--graphs", &options.graphs},
                                                   {"--views", &options.views},
                                                   {"--seed", &options.seed},
                                                   {"--graph", &options.graph}};
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--table") == 0) {
      options.table = true;
      continue;
    }
    bool known = false;
    for (const auto& [word, number] : numbers)
      if (std::strcmp(argv[i], word) == 0 && i + 1 < argc) {
        char* end = nullptr;
        *number = std::strtol(argv[++i], &end, 10);
        known = *end == '\0' && *number >= 0;
      }
    if (!known) return false;
  }
  return true;
}

int compare_graphs(const Options& options) {
  const auto seed = static_cast<std::uint64_t>(options.seed);
  parity::Report report;
  int different = 0;
  for (int number = 0; number < options.graphs; ++number) {
    const auto difference = parity::compare_graph(seed, number, report);
    if (!difference) continue;
    ++different;
    std::cout << "\n# difference: ./go parity --seed " << seed << " --graph " << number << "\n";
    parity::print(std::cout, *difference, parity::noise_seed(seed, number));
    std::cout << std::flush;
  }
  report.print(std::cout, options.table);
  const auto missing = report.shortcomings(static_cast<int>(options.graphs));
  for (const std::string& what : missing) std::cout << "missing: " << what << "\n";
  std::cout << different << " graphs differ\n";
  return different > 0 || !missing.empty() ? 1 : 0;
}

int show_graph(const Options& options) {
  parity::Report report;
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const int number = static_cast<int>(options.graph);
  const auto difference = parity::compare_graph(seed, number, report, &std::cout);
  if (!difference) return 0;
  std::cout << "\n# What shows the difference:\n";
  parity::print(std::cout, *difference, parity::noise_seed(seed, number));
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!read(argc, argv, options)) return usage();
  parity::quieten_torch();
  if (options.graph >= 0) return show_graph(options);
  const bool views_differ =
      options.views > 0 &&
      parity::compare_views(static_cast<std::uint64_t>(options.seed), options.views, std::cout);
  return compare_graphs(options) | (views_differ ? 1 : 0);
}
