// Plants every possible fault, one at a time, and sees whether the tests of its op notice.
//
//   mutants [--every N] [OP…]
//
// Tests are those of tests/autograd that this program is made of: what goes through the op table,
// with the rows of the op alone, and what single ops promise beyond. A fault in something that has
// no row of its own is looked for by the ops that use it, unless ops are named: then only their own
// faults are planted. Exit status 1 if a fault goes unnoticed that equivalent.txt does not explain,
// or if that file explains one that is noticed; 2 for wrong usage.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <tapehead/cli/near_match.h>

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

constexpr const char* no_file = "";
constexpr const char* of_single_ops = "*/ops_test.cpp";  // no rows needed

// Whether all tests pass that are not in `excluded_file`.
bool tests_pass(const char* excluded_file = no_file) {
  static Silence silence;
  static std::ostream nowhere(&silence);
  doctest::Context tests;
  tests.addFilter("test-case-exclude",
                  "every op of the catalogue*,every op refuses undefined*,there is a golden*");
  if (*excluded_file) tests.addFilter("source-file-exclude", excluded_file);
  tests.setOption("abort-after", 1);
  tests.setCout(&nowhere);
  return tests.run() == 0;
}

Names ops_with_rows() {
  Names ops;
  for (const OpRow& row : op_table()) ops.insert(row.op);
  return ops;
}

// The faults that the tests run into with the rows of `ops`.
std::set<Fault> reached(const Names& ops, const char* excluded_file) {
  choose(ops);
  mutation::possible.clear();
  if (tests_pass(excluded_file)) return mutation::possible;
  std::cerr << "mutants: the tests" << (ops.empty() ? std::string() : " of " + *ops.begin())
            << " fail as they are; mend them first\n";
  std::exit(1);
}

// The faults that these ops could have, each with those of them whose rows run into it: one, unless
// it is a fault of something that has no rows. Those are only looked for by `all` ops, as one of
// them may be all that would notice.
std::map<Fault, Names> faults(const Names& ops, bool all) {
  const Names with_rows = ops_with_rows();
  std::map<Fault, Names> found;
  for (const Fault& fault : reached({}, no_file))  // by what single ops promise
    if (ops.count(fault.op))
      found[fault].insert(fault.op);
    else if (all && !with_rows.count(fault.op))
      found[fault];
  for (const std::string& op : ops)
    for (const Fault& fault : reached({op}, of_single_ops))
      if (fault.op == op || (all && !with_rows.count(fault.op))) found[fault].insert(op);
  return found;
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

struct Wanted {
  std::size_t every = 1;
  Names ops;  // none: all of them
};

[[noreturn]] void refuse(const std::string& what) {
  std::cerr << "mutants: " << what << "\nusage: mutants [--every N] [OP…], where OP is one of\n";
  for (const std::string& op : ops_with_rows()) std::cerr << ' ' << op;
  std::cerr << '\n';
  std::exit(2);
}

Wanted read_arguments(const std::vector<std::string>& arguments) {
  Wanted wanted;
  const Names known = ops_with_rows();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--every") {
      const std::string number = i + 1 < arguments.size() ? arguments[++i] : "";
      if (number.empty() || number.size() > 9 ||
          number.find_first_not_of("0123456789") != std::string::npos || std::stoul(number) == 0)
        refuse("--every needs a number of at least 1, got \"" + number + "\"");
      wanted.every = std::stoul(number);
    } else if (known.count(argument)) {
      wanted.ops.insert(argument);
    } else if (argument.rfind("-", 0) == 0) {
      refuse("there is no option " + argument);
    } else {
      refuse("there is no op \"" + argument + "\" with a row in the table" +
             cli::suggestion(argument, {known.begin(), known.end()}));
    }
  }
  return wanted;
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
  const Wanted wanted = read_arguments({argv + 1, argv + argc});
  const Names ops = wanted.ops.empty() ? ops_with_rows() : wanted.ops;
  const std::map<Fault, std::string> equivalent = read_equivalent();
  Count count;
  std::size_t number = 0;
  for (const auto& [fault, users] : faults(ops, wanted.ops.empty()))
    if (number++ % wanted.every == 0)
      judge(fault, noticed(fault, users), equivalent.count(fault) > 0, count);
  std::cout << number << " faults in " << ops.size() << " ops: " << count.noticed << " noticed, "
            << count.equivalent << " equivalent, " << count.wrong << " to be looked into\n";
  return count.wrong > 0;
}
