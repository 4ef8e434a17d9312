// tapehead trace: the lesson's attention, op by op, as an observer sees it.
#pragma once

#include "../core/shape.h"

namespace tapehead::cli {

/// The lesson's quiz, unless told otherwise.
struct TraceArguments {
  core::Index batch = 32, length = 50, d_model = 512, heads = 8;
  bool json = false;
};

/// Runs the five steps on random numbers and shows what each op makes: shape, strides, whether it
/// is contiguous, whether it shares memory with what it was made from. UsageError for sizes that
/// don't fit together.
void trace(const TraceArguments& arguments);

}  // namespace tapehead::cli
