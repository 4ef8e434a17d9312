#include <doctest/doctest.h>
#include <tapehead/cli/module_table.h>

#include <filesystem>
#include <set>

#include "../support/declared.h"

using namespace tapehead;

namespace {

std::set<std::string> modules_of(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(TAPEHEAD_TESTS_DIR "/../" + folder)) {
    if (file.path().extension() != ".h") continue;
    names.merge(testing::declared(folder + "/" + file.path().filename().string(),
                                  "\n(?:class|struct) (\\w+) : (?:public )?(?:nn::)?Layer<"));
  }
  return names;
}

}  // namespace

TEST_CASE("every module that is called has a row, and is right to six digits") {
  std::set<std::string> rows;
  for (const cli::Subject& module : cli::module_subjects()) {
    CAPTURE(module.name);
    CHECK(rows.insert(module.name).second);
    CHECK(module.check({}).worst_absolute < 1e-6);
  }
  std::set<std::string> modules = modules_of("nn");
  CHECK(modules.count("MultiHeadAttention") == 1);
  CHECK(modules.count("Linear") == 1);
  modules.merge(modules_of("train"));
  CHECK(modules.count("SequenceModel") == 1);
  CHECK(modules.erase("ModuleList") == 1);  // computes nothing itself
  for (const std::string& module : modules) CHECK_MESSAGE(rows.count(module) == 1, module);
}

TEST_CASE("every module's second derivative is right, and its third in a random direction") {
  // Models are their layers again; of the second derivative, one direction will do.
  const std::set<std::string> models{"SequenceModel", "EncoderOnly", "DecoderOnly",
                                     "Transformer",   "GPT",         "Llama"};
  for (const cli::Subject& module : cli::module_subjects()) {
    CAPTURE(module.name);
    const GradcheckResult second = module.check(
        {.atol = 1e-5, .rtol = 1e-5, .fast_mode = models.count(module.name) > 0, .order = 2});
    CHECK_MESSAGE(second.passed, second.message);
    CHECK(second.checked > 0);
    const GradcheckResult third =
        module.check({.atol = 1e-5, .rtol = 1e-5, .fast_mode = true, .order = 3});
    CHECK_MESSAGE(third.passed, third.message);
  }
}
