// The check before training: are the gradients of this very architecture right?
#pragma once

#include "../autograd/gradcheck.h"
#include "model.h"

namespace tapehead::train {

/// gradcheck_sampled of a Float64 model with these options, on one sequence of at most 8 tokens.
/// Parameters, tokens and what dropout drops are drawn from `seed`. Of the thousands of inputs of
/// relu one may lie so close to its kink that central differences are wrong; such entries are
/// checked beside it, and the result says so. Takes at most `seconds` for entries; the direction is
/// always checked, which takes 2.3 s of CPU time where the model has 38 million parameters. Leaves
/// the default generator as it was, also where it throws: a run draws the same numbers with or
/// without it. Meanwhile it draws from that generator, so no other thread should.
GradcheckResult check_gradients(ModelOptions options, std::uint64_t seed, double seconds = 4);

}  // namespace tapehead::train
