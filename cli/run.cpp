#include "run.h"

#include <iomanip>

#include "../io/safetensors.h"
#include "../train/precheck.h"
#include "../viz/heat_map.h"
#include "output.h"
#include "progress_printer.h"

namespace tapehead::cli {
namespace {

void describe(const train::SequenceModel& model, const train::Recipe& recipe) {
  const train::ModelOptions& m = model.options;
  say(core::to_text(recipe.layers, recipe.layers == 1 ? " layer of " : " layers of ", m.heads,
                    m.heads == 1 ? " head" : " heads", ", d_model ", m.d_model, ", ",
                    model.causal() ? "causal" : "no mask", ", ", grouped(model.num_parameters()),
                    " parameters", m.dropout > 0 ? core::to_text(", dropout ", m.dropout) : "",
                    "\n", grouped(recipe.steps), recipe.steps == 1 ? " step of " : " steps of ",
                    recipe.batch, recipe.batch == 1 ? " sequence" : " sequences",
                    ", learning rate up to ", recipe.lr, "\n"));
}

void show_gradcheck(const train::ModelOptions& options, std::uint64_t seed) {
  const GradcheckResult result = train::check_gradients(options, seed);
  if (!result.passed) fail("the gradients of this model are wrong: ", result.message);
  say(core::to_text("gradients checked: ", grouped(result.checked),
                    " entries agree with central differences to ", std::setprecision(2),
                    result.worst_relative, "\n", skipped_line(result.skipped)));
}

}  // namespace

core::Generator batch_generator(std::uint64_t seed) { return core::Generator(seed ^ 0x5DEECE66D); }

void check_and_fit(train::SequenceModel& model, const std::function<data::Batch()>& next_batch,
                   const train::Recipe& recipe, std::uint64_t seed) {
  describe(model, recipe);
  show_gradcheck(model.options, seed);
  ProgressPrinter printer;
  const InterruptGuard interrupt;
  const train::Progress progress = train::fit(model, next_batch, recipe.fit(), [&](const auto& p) {
    printer.show(p);
    return !interrupt.pressed();
  });
  printer.end();
  if (progress.step < progress.steps)
    fail("interrupted after step ", progress.step, " of ", progress.steps,
         "; no weights were written");
}

void save(const train::SequenceModel& model, const std::string& out, const std::string& task) {
  if (out.empty()) return;
  const train::ModelOptions& m = model.options;
  io::Metadata metadata = io::as_pytorch;
  metadata.insert({{"task", task},
                   {"heads", std::to_string(m.heads)},
                   {"layers", std::to_string(m.layers)},
                   {"context", std::to_string(m.context)},
                   {"causal", model.causal() ? "true" : "false"}});
  io::save_safetensors(out, model.state_dict(), metadata);
  say(core::to_text("weights written to ", one_line(out), "\n"));
}

void show_attention(train::SequenceModel& model, const std::vector<Index>& tokens,
                    const data::Vocabulary& vocabulary) {
  std::vector<std::string> labels;
  for (const Index token : tokens) labels.push_back(vocabulary[token]);
  const Tensor read = tensor(tokens, {1, static_cast<Index>(tokens.size())});
  Index layer = 0;
  for (const Tensor& weights : train::attention_weights(model, read))
    say(core::to_text("\nwhat layer ", layer++,
                      " looks at: a row for each position, its weights add up to 1\n",
                      viz::attention_map(weights.array().select(0, 0), labels, labels, screen())));
}

}  // namespace tapehead::cli
