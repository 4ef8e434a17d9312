// Every test of this program must give back the memory that it took.
#include <tapehead/core/memory.h>

#include "../support/leaks.h"

namespace tapehead::testing {

class LiveBlocks final : public Leaks {
 public:
  explicit LiveBlocks(const doctest::ContextOptions&) {}
  Counts now() const override { return {{"blocks", core::live_blocks()}}; }
};

}  // namespace tapehead::testing

REGISTER_LISTENER("live_blocks", 1, tapehead::testing::LiveBlocks);
