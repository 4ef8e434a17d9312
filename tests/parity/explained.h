// Where tapehead differs from PyTorch on purpose. All of it is here.
#pragma once

#include "reading.h"

namespace parity {

/// One step that the two saw differently.
struct Situation {
  const Plan& plan;  // what went before
  const Step& step;
  std::vector<Reading> inputs;
  const std::string* our_refusal;    // null: accepted
  const std::string* their_refusal;  // null: accepted
  Reading ours, theirs;              // the result that differs, if both accepted
};

struct Explanation {
  const char* name;
  const char* reason;
  bool harmless;  // the graph can go on with both results
  bool (*fits)(const Situation&);
};

const std::vector<Explanation>& explanations();
/// The first that fits, or null.
const Explanation* explain(const Situation& situation);

}  // namespace parity
