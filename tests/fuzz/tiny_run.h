// A run that its checkpoint says in 20 kB.
#pragma once

#include <tapehead/data/tasks.h>
#include <tapehead/train/checkpoint.h>

namespace tapehead::testing {

struct TinyRun {
  train::SequenceModel model{{.vocabulary = 3, .context = 2, .d_model = 4, .heads = 2, .d_ff = 4}};
  train::Trainer trainer{model, {.steps = 3, .lr = 1e-2, .ema = 0.9}};
  train::Batches batches =
      train::drawn(core::Generator(0),
                   [task = data::copy_task({.length = 2, .symbols = 3})](core::Generator& random) {
                     return data::draw_batch(task, random, 4);
                   });
};

}  // namespace tapehead::testing
