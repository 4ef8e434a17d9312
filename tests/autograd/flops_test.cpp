// Every op of the catalogue has a formula for its FLOPs, and no formula is for an op that is gone.
#include <tapehead/autograd/observer.h>
#include <tapehead/autograd/observers/flops.h>

#include <set>
#include <string>

#include "op_table.h"

using namespace tapehead;
using namespace tapehead::testing;

TEST_CASE("each op that is ever run, forward or backward, is one whose FLOPs are known") {
  struct Names : Observer {
    void after(const OpCall& call, const Tensor& result) override {
      std::string name = call.op;
      if (name.back() == '_') name.pop_back();
      if (is_floating(result.dtype())) names.insert(name);
    }
    std::set<std::string> names;
  } seen;
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    if (!row.differentiable) {
      row.f(leaves(row, shapes));
      return;
    }
    gradients(row, leaves(row, shapes));
    gradients(row, leaves(row, shapes), true);
  });
  std::set<std::string> known;
  for (const auto& entry : detail::flop_formulas()) known.insert(std::string(entry.first));
  for (const std::string& name : seen.names)
    CHECK_MESSAGE(known.count(name) == 1, name, " has no formula in observers/flops.cpp");
  for (const std::string& name : known)
    CHECK_MESSAGE(seen.names.count(name) == 1, name, " is no op that gives a floating tensor");
}
