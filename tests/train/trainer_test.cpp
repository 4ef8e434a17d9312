#include <doctest/doctest.h>
#include <tapehead/train/choices.h>
#include <tapehead/train/trainer.h>

#include <cmath>

#include "../support/compare.h"
#include "small_run.h"

using namespace tapehead;
using namespace tapehead::train;
using testing::difference;
using testing::SmallRun;

namespace {

// The model's weights after some steps.
std::vector<Tensor> weights_after(Index steps, const FitOptions& options) {
  SmallRun run(options);
  for (Index i = 0; i < steps; ++i) run.trainer.step(run.batches.next);
  std::vector<Tensor> result;
  for (const Tensor& parameter : run.model.parameters())
    result.push_back(parameter.detach().clone());
  return result;
}

}  // namespace

TEST_CASE("every optimiser and every schedule trains") {
  for (const std::string& optimizer : optimizer_names())
    for (const std::string& schedule : schedule_names()) {
      CAPTURE(optimizer);
      CAPTURE(schedule);
      SmallRun run({.steps = 40,
                    .lr = optimizer == "adam" || optimizer == "adamw" ? 0.01 : 0.1,
                    .warmup = 3,
                    .optimizer = optimizer,
                    .schedule = schedule});
      const data::Batch batch = run.batches.next();
      const auto step = [&] { return run.trainer.step([&] { return batch; }).loss; };
      const double first = step();
      double last = first;
      while (!run.trainer.finished()) last = step();
      CHECK(last < first - 0.05);
      CHECK(run.trainer.watch().never().empty());
    }
}

TEST_CASE("the rate of each step is the schedule's") {
  const auto rates = [](const FitOptions& options) {
    SmallRun run(options);
    std::vector<double> result;
    while (!run.trainer.finished()) result.push_back(run.trainer.step(run.batches.next).lr);
    return result;
  };
  using Rates = std::vector<double>;
  CHECK(rates({.steps = 3, .lr = 0.5, .schedule = "constant"}) == Rates{0.5, 0.5, 0.5});
  CHECK(rates({.steps = 4, .lr = 0.5, .warmup = 1, .schedule = "linear"})[0] == 0.25);
  const Rates step = rates({.steps = 6, .lr = 1, .schedule = "step"});
  CHECK(step[1] == 1);
  CHECK(step[2] == doctest::Approx(0.1));
  CHECK(step[5] == doctest::Approx(0.01));
  const Rates noam = rates({.steps = 3, .lr = 2, .warmup = 1, .schedule = "noam"});
  CHECK(noam[0] == doctest::Approx(2 / std::sqrt(8.)));  // d_model is 8
  CHECK(noam[2] == doctest::Approx(2 / std::sqrt(8. * 3)));
}

TEST_CASE("weight decay is for matrices alone") {
  for (const std::string& optimizer : optimizer_names()) {
    CAPTURE(optimizer);
    SmallRun run({.steps = 1, .lr = 1e-9, .optimizer = optimizer, .weight_decay = 1e8});
    const Tensor norm_before = run.model.as<nn::EncoderOnly>()->norm.weight.detach().clone();
    run.trainer.step(run.batches.next);
    CHECK(difference(run.model.as<nn::EncoderOnly>()->norm.weight.detach(), norm_before,
                     {.atol = 1e-6}) == "");
    const Tensor matrix = run.model.as<nn::EncoderOnly>()->blocks[0].ff.linear1.weight;
    if (optimizer == "adamw" || optimizer == "muon") CHECK(matrix.abs().max().item() < 0.9 * 0.36);
  }
}

TEST_CASE("batches of one step count by their answers, as if they were one batch") {
  // The second batch has two answers where the first has eight.
  const auto all = testing::examples(3);
  data::Batch first = data::stack({all[0]}), second = data::stack({all[1]}),
              both = data::stack({all[0], all[1]});
  for (Index t = 2; t < 8; ++t) {
    second.targets.select(0, 0).select(0, t).fill_(data::no_target);
    both.targets.select(0, 1).select(0, t).fill_(data::no_target);
  }
  const auto moved = [](Index accumulate, std::vector<data::Batch> batches) {
    manual_seed(1);
    SequenceModel model({.vocabulary = 10, .context = 8});
    model.to(Float64);
    Trainer trainer(model, {.steps = 1,
                            .lr = 0.1,
                            .max_norm = INFINITY,
                            .optimizer = "sgd",
                            .accumulate = accumulate,
                            .label_smoothing = 0.1});
    std::size_t next = 0;
    const Trainer::Step step = trainer.step([&] { return batches[next++]; });
    return std::pair(step, model.as<nn::EncoderOnly>()->head.weight.detach().clone());
  };
  const auto one = moved(1, {both}), two = moved(2, {first, second});
  CHECK(difference(two.second, one.second, {.atol = 1e-14}) == "");
  CHECK(two.first.loss == doctest::Approx(one.first.loss));
  CHECK(two.first.accuracy == doctest::Approx(one.first.accuracy));
  CHECK(two.first.tokens == one.first.tokens);
  CHECK(two.first.grad_norm == doctest::Approx(one.first.grad_norm));
}

TEST_CASE("label smoothing changes what is learnt") {
  const auto plain = weights_after(2, {.steps = 9, .lr = 0.01}),
             smooth = weights_after(2, {.steps = 9, .lr = 0.01, .label_smoothing = 0.2});
  CHECK_FALSE(equal(plain[0], smooth[0]));
}

TEST_CASE("averaged weights are the model's as long as it is asked for them") {
  SmallRun run({.steps = 5, .lr = 0.1, .ema = 0.5});
  const Tensor start = run.model.as<nn::EncoderOnly>()->head.weight.detach().clone();
  run.trainer.step(run.batches.next);
  const Tensor now = run.model.as<nn::EncoderOnly>()->head.weight.detach().clone();
  {
    const Trainer::Averaged averaged(run.trainer);
    CHECK(difference(run.model.as<nn::EncoderOnly>()->head.weight.detach(), (start + now) / 2,
                     {.atol = 1e-6}) == "");
  }
  CHECK(difference(run.model.as<nn::EncoderOnly>()->head.weight.detach(), now) == "");
}

TEST_CASE("training ends early when the held-out loss stops falling") {
  SmallRun run({.steps = 100, .lr = 0.01, .patience = 2});
  CHECK(run.trainer.judge(2));
  CHECK_FALSE(run.trainer.judge(3));
  CHECK_FALSE(run.trainer.finished());
  CHECK_FALSE(run.trainer.judge(3));
  CHECK(run.trainer.finished());
  CHECK(fit(run.trainer, run.batches.next).step == 0);
}

TEST_CASE("a trainer that loads a state goes on bit for bit") {
  for (const std::string& optimizer : optimizer_names()) {
    const FitOptions options{
        .steps = 9, .lr = 0.01, .optimizer = optimizer, .accumulate = 2, .ema = 0.9, .patience = 3};
    SmallRun run(options), resumed(options);
    for (int i = 0; i < 3; ++i) run.trainer.step(run.batches.next);
    run.trainer.judge(2), run.trainer.judge(3);
    resumed.trainer.load_state_dict(run.trainer.state_dict());
    resumed.batches.set_state(run.batches.state());
    CHECK(resumed.trainer.steps() == 3);
    CHECK(resumed.trainer.stopping().best == 2);
    CHECK(resumed.trainer.stopping().waited == 1);
    for (SmallRun* const each : {&run, &resumed}) {
      manual_seed(1);
      for (int i = 0; i < 3; ++i) each->trainer.step(each->batches.next);
    }
    const NamedTensors got = resumed.trainer.state_dict(), want = run.trainer.state_dict();
    REQUIRE(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      CHECK(got[i].first == want[i].first);
      CHECK(difference(got[i].second, want[i].second) == "");
    }
  }
}

TEST_CASE("a state that does not fit leaves a trainer as it was") {
  const FitOptions options{.steps = 9, .lr = 0.01, .ema = 0.9};
  SmallRun run(options), other(options);
  run.trainer.step(run.batches.next);
  other.trainer.step(other.batches.next), other.trainer.step(other.batches.next);
  const NamedTensors state = other.trainer.state_dict();
  NamedTensors before;
  for (const auto& [name, tensor] : run.trainer.state_dict())
    before.emplace_back(name, tensor.clone());
  const auto refused = [&](const std::string& name, const Tensor& value, const char* message) {
    NamedTensors changed;
    for (const auto& [key, tensor] : state)
      if (key != name) changed.emplace_back(key, tensor);
    if (value.defined()) changed.emplace_back(name, value);
    CHECK_THROWS_WITH_AS(run.trainer.load_state_dict(changed), message, Error);
    const NamedTensors now = run.trainer.state_dict();
    REQUIRE(now.size() == before.size());
    for (std::size_t i = 0; i < now.size(); ++i)
      CHECK(difference(now[i].second, before[i].second) == "");
  };
  refused("model.head.bias", {},
          "load_state_dict: the names and shapes must be those of this SequenceModel; missing: "
          "head.bias; nothing was loaded");
  refused("model.head.bias", zeros({10}, Float64),
          "Trainer: head.bias is Float32 and was Float64; convert the model first, nothing was "
          "loaded");
  refused("optimizer.0.lr", {},
          "Adam: the state must be that of an optimizer of these parameters; missing: lr; nothing "
          "was loaded");
  refused("ema.head.bias", {},
          "EMA: the state must be that of an EMA of this model; missing: head.bias; nothing was "
          "loaded");
  refused("optimizer.1.lr", tensor(1.0, Float64),
          "Trainer: \"optimizer.1.lr\" is no part of a run with these options; nothing was loaded");
  refused("run.steps", {},
          "Trainer: expected the counts steps, best and waited, got 2 of them; nothing was loaded");
  refused("run.steps", tensor(1.0, Float64),
          "Trainer: expected the counts steps, best and waited, got 3 of them; nothing was loaded");
  refused("run.steps", tensor(-1),
          "Trainer: steps and waited must be at least 0, got -1 and 0; nothing was loaded");
}

TEST_CASE("options out of range are refused") {
  SequenceModel model({.vocabulary = 10, .context = 8});
  const auto refused = [&](const FitOptions& options, const char* message) {
    CHECK_THROWS_WITH_AS(Trainer(model, options), message, Error);
  };
  refused({.steps = 1, .lr = 1, .accumulate = 0}, "fit: accumulate must be at least 1, got 0");
  refused({.steps = 1, .lr = 1, .patience = -1}, "fit: patience must be at least 0, got -1");
  refused({.steps = 1, .lr = 1, .label_smoothing = 1.5},
          "fit: label_smoothing must be in [0, 1], got 1.5");
  refused({.steps = 1, .lr = 1, .ema = -0.5}, "fit: ema must be in [0, 1], got -0.5");
  refused({.steps = 1, .lr = 1, .optimizer = "lion"},
          "fit: optimizer must be adam, adamw, sgd or muon, got \"lion\"");
  refused({.steps = 1, .lr = 1, .schedule = "sine"},
          "fit: schedule must be cosine, linear, noam, step or constant, got \"sine\"");
}

TEST_CASE("Muon is for the matrices between embedding and head") {
  SmallRun run({.steps = 1, .lr = 0.01, .optimizer = "muon"});
  run.trainer.step(run.batches.next);
  std::size_t by_muon = 0, by_adam = 0;
  for (const auto& [name, tensor] : run.trainer.state_dict()) {
    by_muon += name.ends_with(".momentum_buffer");
    by_adam += name.ends_with(".exp_avg");
    if (name.ends_with(".momentum_buffer")) CHECK(name.starts_with("optimizer.0."));
  }
  CHECK(by_muon == 6);
  CHECK(by_muon + by_adam == run.model.parameters().size());
}
