#include <nlohmann/json.hpp>

#include "../support/real_files.h"
#include "process.h"

namespace {

std::string last_line(const std::string& text) {
  const std::string body = text.substr(0, text.size() - 1);
  return body.substr(body.rfind('\n') + 1);
}

}  // namespace

TEST_CASE("eval of minGPT's sorter ends with 729 of 729") {
  const std::string path = tapehead::testing::real_file("gpt-nano-sort/model.json");
  if (path.empty()) return;
  const Result r = run_tapehead("eval '" + path + "' --task sort --length 6 --symbols 3");
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  CHECK(r.out ==
        "sort: 6 digits, answered in ascending order\n"
        "accuracy 100.0 %  (of 729 whole sequences; chance 0.14 %)\n"
        "right from the first symbol to the last: 729/729\n");
  const Result reversed = run_tapehead("eval '" + path + "' --task reverse --length 6 --symbols 3");
  CHECK(reversed.code == 0);
  CHECK(last_line(reversed.out).ends_with("/729"));
  CHECK_FALSE(last_line(reversed.out).ends_with(" 729/729"));

  CHECK(run_tapehead("eval '" + path + "'").code == 2);
  CHECK(run_tapehead("eval '" + path + "' --task sort").err ==
        "tapehead: eval: the model has 3 tokens and sort 10; choose another --task or --symbols\n");
  CHECK(run_tapehead("eval '" + path + "' --task sort --symbols 3").err ==
        "tapehead: eval: the model reads 11 tokens and sort has 15; choose a shorter --length\n");
}

TEST_CASE("a model is asked what was held out from it, the same as at the end of its training") {
  const Folder folder;
  const std::string run = folder.file("r"), weights = folder.file("w");
  const Result trained =
      run_tapehead("train sort --length 4 --symbols 3 --steps 20 --d-model 8 --run '" + run +
                   "' --out '" + weights + "'");
  REQUIRE(trained.code == 0);
  const Result r = run_tapehead("eval '" + run + "'");
  CHECK(r.code == 0);
  CHECK(r.out.rfind("sort: 4 digits, answered in ascending order\nheld-out accuracy ", 0) == 0);
  const auto from = trained.out.find("held-out accuracy"),
             length = trained.out.find('\n', from) - from;
  CHECK(has(r.out, trained.out.substr(from, length)));
  CHECK(last_line(r.out).ends_with("/11"));
  CHECK(run_tapehead("eval '" + weights + "'").out == r.out);

  const auto json = nlohmann::json::parse(run_tapehead("eval '" + run + "' --json").out);
  CHECK(json.at("questions") == 11);
  CHECK(json.at("accuracy").get<double>() == json.at("right").get<double>() / 11);
  CHECK(json.at("token_accuracy").get<double>() >= json.at("accuracy").get<double>());

  // Of another task it may be asked everything.
  const Result other = run_tapehead("eval '" + run + "' --task copy --length 4 --symbols 3");
  CHECK(last_line(other.out).ends_with("/81"));
  CHECK(run_tapehead("eval '" + run + "' --task addition").err ==
        "tapehead: eval: an encoder would see the answers of addition; choose another --task\n");
}

TEST_CASE("a model that looks ahead is asked whatever does not go on with the answers") {
  const Folder folder;
  const std::string weights = folder.file("w");
  const Result trained = run_tapehead(
      "train brackets --arch encoder --length 6 --steps 2 --batch 2 --d-model 8 --heads 2 --out '" +
      weights + "'");
  REQUIRE(trained.code == 0);
  const Result r = run_tapehead("eval '" + weights + "'");
  CHECK(r.code == 0);
  CHECK(has(r.out, "held-out accuracy "));
}

TEST_CASE("a model of text is judged by what was held out, or by any other text") {
  const Folder folder;
  std::string content;
  for (int i = 0; i < 100; ++i) content += "so it goes\n";
  const std::string text = folder.write("t.txt", content), run = folder.file("r");
  const Result trained =
      run_tapehead("train text --file '" + text +
                   "' --context 16 --steps 3 --layers 1 --d-model 8 --run '" + run + "'");
  REQUIRE(trained.code == 0);
  const Result r = run_tapehead("eval '" + run + "'");
  CHECK(r.code == 0);
  const auto from = trained.out.find("held-out loss"), length = trained.out.find('\n', from) - from;
  CHECK(has(r.out, "\n" + trained.out.substr(from, length) + "\n"));
  const Result other =
      run_tapehead("eval '" + run + "' --json --file '" + folder.write("o", "goes") + "'");
  CHECK(other.code == 0);
  CHECK(nlohmann::json::parse(other.out).at("loss").get<double>() > 0);
  const Result unknown =
      run_tapehead("eval '" + run + "' --file '" + folder.write("u", "zzz") + "'");
  CHECK(unknown.code == 1);
  CHECK(lines(unknown.err) == 1);

  // A run's own weights are of that run; elsewhere they don't say what they have not seen.
  for (const char* weights : {"best", "final", "checkpoint"})
    CHECK(run_tapehead("eval '" + run + "/" + weights + ".safetensors'").out == r.out);
  std::filesystem::copy(run + "/best.safetensors", folder.file("best.safetensors"));
  const Result elsewhere = run_tapehead("eval '" + folder.file("best.safetensors") + "'");
  CHECK(elsewhere.code == 2);
  CHECK(elsewhere.err ==
        "tapehead: a model of text outside its run folder does not say what was held out from it; "
        "name the folder, or add --file FILE\n");

  std::filesystem::remove(text);
  CHECK(run_tapehead("eval '" + run + "'").err ==
        "tapehead: cannot read " + text + ": No such file or directory; check the path\n");
}

TEST_CASE("eval and generate refuse what is no model, with one line") {
  const Folder folder;
  for (const std::string command : {"eval", "generate"}) {
    const Result none = run_tapehead(command + " '" + folder.file("no") + "'");
    CHECK(none.code == 1);
    CHECK(none.out.empty());
    CHECK(none.err == "tapehead: " + folder.file("no") + ": No such file or directory\n");
    CHECK(run_tapehead(command).err ==
          "tapehead: MODEL is required (see tapehead " + command + " --help)\n");
  }
}
