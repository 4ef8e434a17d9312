// The check before training: are the gradients of this very architecture right?
#pragma once

#include "../autograd/gradcheck.h"
#include "model.h"

namespace tapehead::train {

/// gradcheck_sampled of a Float64 model with these options, on one sequence of at most 8 tokens.
/// Where it fails, the same entries are checked again at other parameters and tokens, at most
/// twice: relu has a kink, and of thousands of inputs one may lie so close to it that central
/// differences are wrong (1 of 75 runs); a wrong derivative is wrong everywhere. Parameters
/// and tokens are drawn anew, dropout drops the same elements each time. Takes at most `seconds`,
/// and leaves the default generator as it was, also where it throws: a run draws the same numbers
/// with or without it. Meanwhile it draws from that generator, so no other thread should.
GradcheckResult check_gradients(ModelOptions options, std::uint64_t seed, double seconds = 5);

}  // namespace tapehead::train
