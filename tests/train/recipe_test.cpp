#include <doctest/doctest.h>
#include <tapehead/data/tasks.h>
#include <tapehead/train/evaluate.h>
#include <tapehead/train/recipe.h>

using namespace tapehead;
using namespace tapehead::train;

namespace {

// Held-out accuracy, of whole sequences.
double accuracy(const data::Task& task, const Recipe& r, const ModelOptions& options,
                const FitOptions& fit_options) {
  manual_seed(0);
  SequenceModel model(options);
  core::Generator random(1);
  fit(
      model, [&] { return data::draw_batch(task, random, r.batch); }, fit_options);
  return evaluate(model, data::stack(task.held_out())).sequences;
}
// As `tapehead train` reaches it with its defaults.
double accuracy(const char* name, Index most_steps) {
  const data::Task task = data::task(name);
  const Recipe r = recipe(name);
  CHECK(r.steps <= most_steps);
  return accuracy(task, r, r.model(task.vocabulary.size(), task.length, task.causal), r.fit());
}

}  // namespace

TEST_CASE("copy is learnt within 100 steps") { CHECK(accuracy("copy", 100) >= 0.99); }
TEST_CASE("reverse is learnt within 400 steps") { CHECK(accuracy("reverse", 400) >= 0.99); }
TEST_CASE("sort is learnt within 500 steps") { CHECK(accuracy("sort", 500) >= 0.99); }
TEST_CASE("addition is learnt within 2,000 steps") { CHECK(accuracy("addition", 2000) >= 0.99); }
TEST_CASE("recall is learnt within 800 steps") { CHECK(accuracy("recall", 800) >= 0.99); }
TEST_CASE("induction is learnt within 500 steps") { CHECK(accuracy("induction", 500) >= 0.99); }
TEST_CASE("brackets are learnt within 800 steps") { CHECK(accuracy("brackets", 800) >= 0.99); }
TEST_CASE("copy is learnt within 400 steps by an encoder-decoder as it was first trained") {
  const data::Task task = data::task("copy");
  const Recipe r = recipe("copy");
  ModelOptions model = r.model(task.vocabulary.size(), task.length, false);
  model.arch = Arch::encdec;  // post-norm
  FitOptions options = r.fit();
  options.steps = 400;
  options.warmup = 40;
  options.schedule = "noam";
  options.lr = 1;
  options.label_smoothing = 0.1;
  CHECK(accuracy(task, r, model, options) >= 0.99);
}

TEST_CASE("a recipe says how the model is built and trained") {
  const Recipe r{.steps = 250,
                 .batch = 8,
                 .lr = 0.5,
                 .layers = 3,
                 .heads = 2,
                 .d_model = 6,
                 .widening = 4,
                 .dropout = 0.25,
                 .writes = Arch::gpt,
                 .optimizer = "adamw",
                 .weight_decay = 0.5};
  const ModelOptions m = r.model(11, 7, true);
  CHECK(m.vocabulary == 11);
  CHECK(m.context == 7);
  CHECK(m.d_model == 6);
  CHECK(m.heads == 2);
  CHECK(m.layers == 3);
  CHECK(m.d_ff == 24);
  CHECK(m.dropout == 0.25);
  CHECK(m.arch == Arch::gpt);
  CHECK(r.model(11, 7, false).arch == Arch::encoder);
  CHECK(r.fit().steps == 250);
  CHECK(r.fit().lr == 0.5);
  CHECK(r.fit().warmup == 25);
  CHECK(r.fit().optimizer == "adamw");
  CHECK(r.fit().weight_decay == 0.5);
}

TEST_CASE("every task has a recipe, and so have names and text") {
  std::vector<std::string> names = data::task_names();
  names.insert(names.end(), {"names", "text"});
  CHECK(recipe_names() == names);
  for (const std::string& name : names) CHECK(recipe(name).steps >= 100);
}

TEST_CASE("an unknown recipe is refused") {
  CHECK_THROWS_WITH_AS(
      recipe("sorting"),
      "recipe: expected copy, reverse, sort, addition, recall, induction, modular, "
      "brackets, names or text, got \"sorting\"; choose one of them",
      Error);
}
