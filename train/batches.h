// Batches: a stream that never ends, can say where it is, and goes on from there.
//
//   Batches batches = in_epochs(core::Generator(0), count, 64, [&](const std::vector<Index>& which)
//   {
//     return windows.at(which);
//   });
//   const data::Batch batch = batches.next();
//   const std::string place = batches.state();   // for batches.set_state(place) in another process
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../core/random.h"
#include "../data/batch.h"

namespace tapehead::train {

struct Batches {
  std::function<data::Batch()> next;
  std::function<std::string()> state;
  /// Error, and nothing changed, for a text that state() has not made.
  std::function<void(const std::string&)> set_state;
};

/// What `draw` makes of a generator, again and again. The state is the generator's.
Batches drawn(core::Generator random, std::function<data::Batch(core::Generator&)> draw);

/// Examples 0 … count - 1, each once an epoch and in each epoch in another order: `at` gets the
/// next `size` of them, or what is left of the epoch. The state is the generator's at the epoch's
/// beginning, and the place in it. Error for a count or size below 1.
Batches in_epochs(core::Generator random, Index count, Index size,
                  std::function<data::Batch(const std::vector<Index>&)> at);

}  // namespace tapehead::train
