#include <fcntl.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "process.h"

namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs tapehead until a file of its holds these words, its output if none is named, then interrupts
// it as Ctrl-C does; what it has written, and its exit code.
Result interrupted(const std::vector<std::string>& arguments, const std::string& words,
                   const std::string& file = "") {
  const Folder folder;
  std::vector<const char*> argv{"tapehead"};
  for (const std::string& argument : arguments) argv.push_back(argument.c_str());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(patience);
    std::signal(SIGINT, SIG_DFL);  // whoever runs the tests may ignore it
    dup2(open(folder.file("err").c_str(), O_WRONLY | O_CREAT, 0600), STDERR_FILENO);
    dup2(open(folder.file("out").c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    execv(TAPEHEAD_BIN_DIR "/tapehead", const_cast<char**>(argv.data()));
    _exit(127);
  }
  const std::string watched = file.empty() ? folder.file("out") : file;
  for (int i = 0; i < 15000 && !has(text_of(watched), words); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(child, SIGINT);
  int status = 0;
  waitpid(child, &status, 0);
  return {code_of(status), folder.read("out"), folder.read("err")};
}

// A run that is over before one notices, with dropout.
constexpr const char* quick =
    "train copy --d-model 8 --heads 2 --dropout 0.1 --batch 4 --steps 12 ";

}  // namespace

TEST_CASE("a run's folder has its settings, log, checkpoint and weights") {
  const Folder folder;
  const std::string run = folder.file("a run");
  const Result r = run_tapehead(quick + ("--evaluate-every 5 --run '" + run + "'"));
  CHECK(r.code == 0);
  CHECK(has(r.out, "\nthe run is in " + run + "\n"));
  for (const char* name : {"checkpoint.safetensors", "best.safetensors", "final.safetensors"})
    CHECK(std::filesystem::exists(run + "/" + name));
  const std::string config = folder.read("a run/config.ini");
  for (const char* line : {"task = \"copy\"\n", "arch = \"encoder\"\n", "d-model = 8\n",
                           "d-ff = 16\n", "steps = 12\n", "warmup = 1\n", "lr = 0.01\n",
                           "optimizer = \"adam\"\n", "evaluate-every = 5\n", "seed = 0\n"})
    CHECK_MESSAGE(has(config, line), line);
  const std::string log = folder.read("a run/log.jsonl");
  CHECK(lines(log) == 12 + 3);
  CHECK(has(log, "{\"step\":10,\"held_out_loss\":"));
  CHECK(has(log, ",\"held_out_accuracy\":0."));

  const Result again = run_tapehead(quick + ("--run '" + run + "'"));
  CHECK(again.code == 1);
  CHECK(again.err ==
        "tapehead: " + run + " holds a run already; resume it, or choose another folder\n");
  CHECK(again.out.find("gradients checked") == std::string::npos);
  const Result on_file = run_tapehead(quick + ("--run '" + run + "/config.ini'"));
  CHECK(on_file.code == 1);
  CHECK(on_file.err == "tapehead: cannot make " + run + "/config.ini: " + run +
                           "/config.ini is not a folder; choose another name\n");
  CHECK(on_file.out.find("gradients checked") == std::string::npos);
}

TEST_CASE("Ctrl-C saves, says how to go on, and the run goes on as if it had not been stopped") {
  const Folder folder;
  const std::string steps = "300", whole = folder.file("whole"), part = folder.file("a part");
  const std::vector<std::string> common{"train",   "copy",      "--d-model", "8",       "--heads",
                                        "2",       "--dropout", "0.1",       "--batch", "4",
                                        "--steps", steps,       "--run"};
  std::vector<std::string> arguments = common;
  arguments.push_back(part);
  const Result stopped = interrupted(arguments, "{\"step\":5,", part + "/log.jsonl");
  CHECK(stopped.code == 130);
  CHECK(lines(stopped.err) == 1);
  CHECK(stopped.err.rfind("tapehead: interrupted after step ", 0) == 0);
  CHECK(stopped.err.ends_with(" of 300; to go on: tapehead train --resume '" + part + "'\n"));

  std::string command;
  for (const std::string& word : common) command += word + " ";
  CHECK(run_tapehead(command + "'" + whole + "'").code == 0);
  const Result resumed = run_tapehead("train --resume '" + part + "'");
  CHECK(resumed.code == 0);
  CHECK(has(resumed.out, "\ngoing on after step "));
  for (const char* name : {"log.jsonl", "checkpoint.safetensors", "final.safetensors"})
    CHECK_MESSAGE(
        folder.read(std::string("a part/") + name) == folder.read(std::string("whole/") + name),
        name);
}

TEST_CASE("Ctrl-C before the first step says so, and leaves no folder behind") {
  const Folder folder;
  const std::string run = folder.file("r");
  const Result stopped =
      interrupted({"train", "recall", "--batch", "1", "--run", run}, "learning rate up to");
  CHECK(stopped.code == 130);
  CHECK(stopped.err == "tapehead: interrupted before the first step; nothing was written\n");
  CHECK(has(stopped.out, "\ngradients checked: "));
  CHECK_FALSE(std::filesystem::exists(run));
}

TEST_CASE("a run is resumed with its own settings and no others") {
  const Folder folder;
  const std::string run = folder.file("r");
  CHECK(run_tapehead(quick + ("--run '" + run + "'")).code == 0);
  const std::string resume = "train --resume '" + run + "'";
  const Result done = run_tapehead(resume);
  CHECK(done.code == 0);
  CHECK(has(done.out, "\ngoing on after step 12\n"));
  CHECK(run_tapehead(resume + " --lr 1").err ==
        "tapehead: --resume goes on with the settings of that run; leave --lr out (see tapehead "
        "train --help)\n");
  CHECK(run_tapehead(resume + " --config x").code == 1);  // there is none
  CHECK(run_tapehead(resume + " copy").code == 2);
  CHECK(run_tapehead(resume + " --run x").err ==
        "tapehead: --resume names the folder already; leave --run out\n");
  const Result none = run_tapehead("train --resume '" + folder.path() + "'");
  CHECK(none.code == 1);
  CHECK(none.err == "tapehead: " + folder.path() + " holds no run: it has no config.ini\n");
}

TEST_CASE("settings come from a file, and the command line goes before them") {
  const Folder folder;
  const std::string config = folder.write("my.toml",
                                          "# a comment\n"
                                          "task = \"copy\"\n"
                                          "steps = 2\n"
                                          "[train]\n"
                                          "batch = 8\n"
                                          "lr = 0.5  # another\n"
                                          "optimizer = 'sgd'\n");
  const std::string train = "train --config '" + config + "'";
  const Result r = run_tapehead(train + " --batch 4 --run '" + folder.file("r") + "'");
  CHECK(r.code == 0);
  CHECK(has(r.out, "\n2 steps of 4 sequences, learning rate up to 0.5\n"));
  CHECK(has(folder.read("r/config.ini"), "optimizer = \"sgd\"\n"));
  // A run's own settings are settings.
  const Result second = run_tapehead("train --config '" + folder.file("r/config.ini") +
                                     "' --seed 1 --run '" + folder.file("s") + "'");
  CHECK(second.code == 0);
  std::string settings = folder.read("r/config.ini");
  settings.replace(settings.find("seed = 0"), 8, "seed = 1");
  CHECK(folder.read("s/config.ini") == settings);
}

TEST_CASE("a file with settings that there are not, or that cannot be, is refused") {
  const Folder folder;
  const auto refusal = [&](const std::string& text) {
    const Result r = run_tapehead("train copy --config '" + folder.write("c.ini", text) + "'");
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    return r.err;
  };
  const std::string opening = "tapehead: " + folder.file("c.ini") + ": ",
                    help = " (see tapehead train --help)\n";
  CHECK(refusal("stpes = 5\n") ==
        opening + "there is no setting \"stpes\"; did you mean steps?" + help);
  CHECK(refusal("[eval]\nsteps = 5\n") == opening + "there is no setting \"eval.steps\"" + help);
  CHECK(refusal("steps = 1, 2\n") == opening + "setting steps must have one value" + help);
  CHECK(refusal("steps = five\n") ==
        opening + "setting steps: expected a whole number from 1 to 1000000000, got five" + help);
  CHECK(refusal("arch = transformer\n") ==
        opening +
            "setting arch: expected encoder, decoder, encdec, gpt or llama, got \"transformer\"" +
            help);
  CHECK(refusal("run = x\n") == opening + "there is no setting \"run\"" + help);
  const Result none = run_tapehead("train copy --config '" + folder.file("none") + "'");
  CHECK(none.code == 1);
  CHECK(none.err == "tapehead: cannot read " + folder.file("none") +
                        ": No such file or directory; check the path\n");
  const Result device = run_tapehead("train copy --config /dev/zero");
  CHECK(device.code == 1);
  CHECK(device.err ==
        "tapehead: cannot read /dev/zero: it is neither a file nor a pipe; copy it to "
        "one\n");
  const Result directory = run_tapehead("train copy --config /");
  CHECK(directory.code == 1);
  CHECK(directory.err == "tapehead: cannot read /: it is a directory; name a file in it\n");
  const std::string large = folder.write("large", std::string((1 << 20) + 1, '\n'));
  const Result too_large = run_tapehead("train copy --config '" + large + "'");
  CHECK(too_large.code == 1);
  CHECK(too_large.err == "tapehead: " + large +
                             " is larger than 1 MiB, as no settings are; give a config.ini as "
                             "runs have it\n");
}

TEST_CASE("early stopping ends a run, and needs a folder") {
  const Folder folder;
  const Result r = run_tapehead(std::string(quick) +
                                "--lr 1e-12 --patience 2 --evaluate-every 1 --steps 50 --run '" +
                                folder.file("r") + "'");
  CHECK(r.code == 2);  // steps twice
  const Result early = run_tapehead(
      "train copy --d-model 8 --heads 2 --lr 10 --schedule constant --patience 2 "
      "--evaluate-every 1 --steps 500 --run '" +
      folder.file("r") + "'");
  CHECK(early.code == 0);
  const std::string log = folder.read("r/log.jsonl");
  CHECK(lines(log) < 500);
  CHECK(folder.read("r/final.safetensors") == folder.read("r/best.safetensors"));
  const std::string after = std::to_string(lines(log) / 2);
  const std::string why = "\nstopped after step " + after +
                          " of 500: no lower held-out loss in the last 2 looks; the best weights "
                          "are in " +
                          folder.file("r/best.safetensors") + " and have become the final ones\n";
  CHECK_MESSAGE(has(early.out, why), early.out);
  // What is shown is what is kept.
  const auto verdict = early.out.find("held-out accuracy ");
  CHECK(has(run_tapehead("eval '" + folder.file("r") + "'").out,
            early.out.substr(verdict, early.out.find('\n', verdict) - verdict)));
  CHECK(has(run_tapehead("train --resume '" + folder.file("r") + "'").out, why));
  CHECK(has(run_tapehead("train copy --d-model 8 --heads 2 --lr 10 --schedule constant --patience "
                         "1 --evaluate-every 1 --steps 500 --run '" +
                         folder.file("one") + "'")
                .out,
            ": no lower held-out loss in the last look; "));
  CHECK(run_tapehead("train copy --patience 2").err ==
        "tapehead: --patience needs a run folder, where the best weights go; add --run DIR\n");
}

TEST_CASE(
    "a run whose settings were changed into another model's says so in a line, of the model") {
  const Folder folder;
  const std::string run = folder.file("r");
  REQUIRE(run_tapehead(quick + ("--run '" + run + "'")).code == 0);
  std::string config = folder.read("r/config.ini");
  config.replace(config.find("d-model = 8"), 11, "d-model = 4");
  folder.write("r/config.ini", config);
  const Result r = run_tapehead("train --resume '" + run + "'");
  CHECK(r.code == 1);
  CHECK(r.err.size() < 1500);
  CHECK(has(r.err,
            "load_state_dict: the names and shapes must be those of this SequenceModel; of "
            "another shape: "));
  CHECK(has(r.err, " more; nothing was loaded\n"));
}

TEST_CASE("a run whose text has changed goes on no more, and is not judged by the other one") {
  const Folder folder;
  std::string content;
  for (int i = 0; i < 30; ++i) content += "so it goes\n";
  const std::string text = folder.write("t.txt", content), run = folder.file("r");
  REQUIRE(run_tapehead("train text --file '" + text + "' --run '" + run +
                       "' --context 8 --steps 2 --batch 2 --layers 1 --d-model 8 --heads 2")
              .code == 0);
  const std::string commands[] = {"train --resume '" + run + "'", "eval '" + run + "'",
                                  "eval '" + run + "/best.safetensors'"};
  const auto refused = [&](const std::string& change) {
    for (const std::string& command : commands) {
      const Result r = run_tapehead(command);
      CHECK(r.code == 1);
      CHECK(r.out.empty());
      CHECK(r.err == "tapehead: " + text + " is not the text this run was started with (" + change +
                         "); restore it, or start a new run\n");
    }
  };
  folder.write("t.txt", content + "so\n");
  refused("330 bytes then, 333 now");
  std::string other = content;
  other[0] = 'o';
  folder.write("t.txt", other);
  refused("the same 330 bytes long, but others");
  folder.write("t.txt", content);
  for (const std::string& command : commands) CHECK(run_tapehead(command).code == 0);
  folder.write("r/text.json", "{}");
  CHECK(run_tapehead(commands[1]).err ==
        "tapehead: " + run +
            "/text.json should be an object with bytes and crc32; remove it to go on unchecked\n");
  std::filesystem::remove(run + "/text.json");
  CHECK(run_tapehead(commands[1]).code == 0);
}

TEST_CASE("a run with a folder tells the held-out loss as it goes, and which was the lowest") {
  const Folder folder;
  const std::string run = folder.file("r");
  const std::string train = "train copy --d-model 8 --heads 2 --steps 40 --evaluate-every ";
  std::string out;
  const auto line = [&](const std::string& begin) {
    const std::size_t at = out.find("\n" + begin);
    return at == std::string::npos ? "" : out.substr(at + 1, out.find('\n', at + 1) - at - 1);
  };
  out = run_tapehead(train + "4 --run '" + run + "'").out;
  CHECK_FALSE(has(line("step  1/40"), "held out"));
  CHECK(has(line("step  8/40"), " left  held out "));
  CHECK_FALSE(has(out, "(step"));
  CHECK_FALSE(has(out, "lowest"));  // the last one is
  out = run_tapehead(train + "6 --run '" + folder.file("s") + "'").out;
  CHECK_FALSE(has(line("step  4/40"), "held out"));
  CHECK(line("step  8/40").ends_with(" (step 6)"));
  CHECK(has(line("step 12/40"), " held out "));
  CHECK_FALSE(has(line("step 16/40"), "held out"));

  // A rate that grows too large: what was learnt is lost again.
  const Result worse = run_tapehead(
      "train copy --d-model 8 --heads 2 --lr 10 --schedule constant --evaluate-every 1 --steps 30 "
      "--run '" +
      folder.file("w") + "'");
  CHECK(worse.code == 0);
  std::string best;
  double lowest = INFINITY;
  std::istringstream log(folder.read("w/log.jsonl"));
  for (std::string entry; std::getline(log, entry);) {
    const auto json = nlohmann::json::parse(entry);
    if (!json.contains("held_out_loss") || !(json["held_out_loss"].get<double>() < lowest))
      continue;
    lowest = json["held_out_loss"].get<double>();
    best = std::to_string(json["step"].get<int>());
  }
  REQUIRE(best != "30");
  CHECK(has(worse.out, "\nlowest held-out loss "));
  CHECK(has(worse.out, " at step " + best + ": " + folder.file("w") + "/best.safetensors\n"));
}
