#include <doctest/doctest.h>
#include <tapehead/cli/commands.h>
#include <tapehead/cli/options.h>
#include <tapehead/cli/settings.h>
#include <tapehead/cli/usage.h>

#include "../support/comma_locale.h"

using namespace tapehead::cli;

namespace {

struct Sizes {
  std::optional<Index> steps;
  std::optional<double> lr;
  std::string task, file;
  std::vector<Option> options() {
    return {required(text("TASK", "", task, "")), whole("--steps", steps, "", 1),
            number("--lr", lr, "", 0.0, 10.0), tapehead::cli::file("--file", file, "")};
  }
};

// The message of the UsageError, or "".
std::string refusal(const std::vector<Option>& options, const std::vector<Setting>& settings,
                    const std::vector<Given>& given) {
  try {
    take(options, settings, given);
  } catch (const UsageError& error) {
    return error.message();
  }
  return "";
}

}  // namespace

TEST_CASE("the command line goes before the settings") {
  Sizes sizes;
  take(sizes.options(), {{"steps", {"5"}}, {"lr", {"0.5"}}, {"task", {"copy"}}},
       {{"--steps", {"7"}}});
  CHECK(sizes.steps == 7);
  CHECK(sizes.lr == 0.5);
  CHECK(sizes.task == "copy");
  CHECK(sizes.file.empty());
}

TEST_CASE("settings that there are not, that have no value or a wrong one are refused") {
  Sizes sizes;
  const std::vector<Option> options = sizes.options();
  const std::vector<Given> task{{"TASK", {"copy"}}};
  CHECK(refusal(options, {{"stpes", {"5"}}}, task) ==
        "settings: there is no setting \"stpes\"; did you mean steps?");
  CHECK(refusal(options, {{"section.steps", {"5"}}}, task) ==
        "settings: there is no setting \"section.steps\"");
  CHECK(refusal(options, {{"steps", {"5", "6"}}}, task) ==
        "settings: setting steps must have one value");
  CHECK(refusal(options, {{"steps", {"5"}}, {"steps", {"5"}}}, task) ==
        "settings: setting steps must have one value");
  CHECK(refusal(options, {{"steps", {"0"}}}, task) ==
        "settings: setting steps: expected a whole number from 1 to 9223372036854775807, got 0");
  CHECK(refusal(options, {{"lr", {"11"}}}, task) ==
        "settings: setting lr: expected 0 to 10, got 11");
  CHECK(refusal(options, {}, {}) == "TASK is required");
}

TEST_CASE("settings are written as they are read, in any locale") {
  const CommaLocale comma;
  Sizes sizes;
  sizes.task = "copy";
  sizes.lr = 1.0 / 3;
  sizes.file = "/a b/c,\"d.txt";
  const std::string text = settings_text(sizes.options());
  CHECK(text == "task = \"copy\"\nlr = 0.33333333333333331\nfile = '/a b/c,\"d.txt'\n");
  Sizes again;
  take(again.options(), parse_settings(text), {});
  CHECK(again.lr == sizes.lr);
  CHECK(again.file == sizes.file);
  CHECK_FALSE(again.steps.has_value());
}

TEST_CASE("resolved settings come back from their text") {
  Settings given;
  given.task = "sort";
  given.arch = "llama";
  given.lr = 1.0 / 3;
  const Settings s = resolved(given);
  CHECK(s.kv_heads == 4);
  CHECK(s.warmup == 50);
  const Settings again = settings_in(config_text(s));
  CHECK(config_text(again) == config_text(s));
  CHECK(again.lr == 1.0 / 3);
}

TEST_CASE("a file whose name a config cannot keep is refused") {
  Settings given;
  given.task = "text";
  given.file = "/a#b.txt";
  try {
    config_text(resolved(given));
    CHECK(false);
  } catch (const UsageError& error) {
    CHECK(error.message() ==
          "the name of --file /a#b.txt cannot be kept in a run's config.ini; rename it");
  }
}
