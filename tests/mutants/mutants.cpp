// Plants every possible fault, one at a time, and sees whether the tests of its op notice.
//
//   mutants [--every N] [OP…]
//
// Tests are those of tests/autograd that this program is made of: what goes through the op table,
// with the rows of the op alone, and what single ops promise beyond. A fault in something that has
// no row of its own is looked for by the ops that use it. Exit status 1 if a fault goes unnoticed
// that equivalent.txt does not explain, or if that file explains one that is noticed.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "../autograd/op_table.h"
#include "fault.h"

using namespace tapehead;
using mutation::Fault;
using testing::rows;

namespace {

using Names = std::set<std::string>;

struct Silence : std::streambuf {
  int overflow(int c) override { return c; }
};

void choose(const Names& ops) {
  rows().clear();
  for (const OpRow& row : op_table())
    if (ops.count(row.op)) rows().push_back(row);
}

// Whether all tests pass.
bool tests_pass() {
  static Silence silence;
  static std::ostream nowhere(&silence);
  doctest::Context tests;
  tests.addFilter("test-case-exclude",
                  "every op of the catalogue*,every op refuses undefined*,there is a golden*");
  tests.setOption("abort-after", 1);
  tests.setCout(&nowhere);
  return tests.run() == 0;
}

Names ops_with_rows() {
  Names ops;
  for (const OpRow& row : op_table()) ops.insert(row.op);
  return ops;
}

// The faults that these ops could have, each with those of them whose rows run into it: one, unless
// it is a fault of something that has no rows.
std::map<Fault, Names> faults(const Names& ops) {
  const Names with_rows = ops_with_rows();
  std::map<Fault, Names> all;
  for (const std::string& op : ops) {
    choose({op});
    mutation::possible.clear();
    if (!tests_pass()) {
      std::cerr << "mutants: the tests of " << op << " fail as it is; mend them first\n";
      std::exit(1);
    }
    for (const Fault& fault : mutation::possible)
      if (fault.op == op || !with_rows.count(fault.op)) all[fault].insert(op);
  }
  return all;
}

bool noticed(const Fault& fault, const Names& ops) {
  choose(ops);
  mutation::active = fault;
  const bool pass = tests_pass();
  mutation::active = {};
  return !pass;
}

// "op | fault | why nothing can notice it"; a line that begins with # is a remark.
std::map<Fault, std::string> read_equivalent() {
  std::map<Fault, std::string> reasons;
  std::ifstream file(TAPEHEAD_MUTANTS_DIR "/equivalent.txt");
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t first = line.find(" | "), second = line.find(" | ", first + 3);
    reasons[{line.substr(0, first), line.substr(first + 3, second - first - 3)}] =
        line.substr(second + 3);
  }
  return reasons;
}

struct Count {
  int noticed = 0, equivalent = 0, wrong = 0;
};

void judge(const Fault& fault, bool was_noticed, bool explained, Count& count) {
  count.noticed += was_noticed;
  count.equivalent += !was_noticed && explained;
  if (was_noticed != explained) return;
  ++count.wrong;
  std::cout << (was_noticed ? "noticed, though equivalent.txt explains why not: " : "unnoticed: ")
            << fault.op << " | " << fault.what << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t every = 1;
  Names ops;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--every" && i + 1 < argc)
      every = std::stoul(argv[++i]);
    else
      ops.insert(argv[i]);
  }
  if (ops.empty()) ops = ops_with_rows();
  const std::map<Fault, std::string> equivalent = read_equivalent();
  Count count;
  std::size_t number = 0;
  for (const auto& [fault, users] : faults(ops))
    if (number++ % every == 0)
      judge(fault, noticed(fault, users), equivalent.count(fault) > 0, count);
  std::cout << number << " faults in " << ops.size() << " ops: " << count.noticed << " noticed, "
            << count.equivalent << " equivalent, " << count.wrong << " to be looked into\n";
  return count.wrong > 0;
}
