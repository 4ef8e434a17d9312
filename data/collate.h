// collate: sequences of several lengths as one batch, the shorter ones padded.
//
//   const Padded p = collate({{{1, 2, 3}, {2, 3, 4}}, {{1}, {5}}}, 0);
//   p.batch.inputs    // {{1, 2, 3}, {1, 0, 0}}
//   p.batch.targets   // {{2, 3, 4}, {5, no_target, no_target}}
//   p.mask            // (B, 1, 1, T): which keys may be attended to
#pragma once

#include "tasks.h"

namespace tapehead::data {

/// Where the padding stands. Sequences to be gone on with are padded on the left.
enum class Side { left, right };

struct Padded {
  Batch batch;                 // (B, T), T the longest length
  std::vector<Index> lengths;  // of each sequence
  Tensor mask;                 // (B, 1, 1, T) Bool: 0 where the padding is
};

/// Inputs are padded with the token `pad`, targets with no_target. Error for no examples, and for
/// one whose inputs and targets are not of one length; a sequence may be empty.
Padded collate(const std::vector<Example>& examples, Index pad, Side side = Side::right);

}  // namespace tapehead::data
