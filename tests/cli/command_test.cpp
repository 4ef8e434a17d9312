#include <tapehead/cli/command.h>
#include <tapehead/data/utf8.h>

#include <iostream>
#include <sstream>

#include "../support/comma_locale.h"
#include "process.h"

namespace {

// Wrong usage: exit code 2, nothing on stdout, one line on stderr.
void check_refused(const std::string& arguments, const std::string& message) {
  const Result r = run_tapehead(arguments);
  CAPTURE(arguments);
  CHECK(r.code == 2);
  CHECK(r.out.empty());
  CHECK(r.err == "tapehead: " + message + "\n");
}

// The width of its widest line.
int width_of(const std::string& text) {
  int widest = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    widest = std::max(widest, tapehead::data::display_width(line));
  return widest;
}

}  // namespace

TEST_CASE("what a command prints fits into 80 columns") {
  const Folder folder;
  std::string words;
  for (int i = 0; i < 300; ++i) words += "so it goes\n";
  const std::string text = folder.write("t", words);
  for (const std::string& arguments :
       {std::string("--help"), std::string("train --help"), std::string("generate --help"),
        std::string("eval --help"), std::string("inspect --help"), std::string("convert --help"),
        std::string("diff --help"), std::string("gradcheck --help"), std::string("trace --help"),
        std::string("trace"), std::string("train copy --steps 3"),
        std::string("train addition --steps 3 --layers 1 --d-model 8"),
        "train text --steps 2 --batch 2 --context 16 --layers 1 --d-model 8 --file " + text,
        std::string("gradcheck scaled_dot_product_attention")}) {
    const Result r = run_tapehead(arguments);
    CAPTURE(arguments);
    CHECK(r.code == 0);
    const std::string ours = r.out.substr(0, r.out.find("what it now writes"));
    CHECK(width_of(ours) > 50);
    CHECK(width_of(ours) <= 80);
  }
}

TEST_CASE("a terminal of few columns breaks nothing") {
  for (const char* columns : {"COLUMNS=40", "COLUMNS=9", "COLUMNS=1"}) {
    CAPTURE(columns);
    CHECK(run_tapehead("train copy --steps 3 --d-model 8", columns).code == 0);
    CHECK(run_tapehead("trace --batch 1 --length 4 --d-model 8 --heads 2", columns).code == 0);
  }
  const Result narrow = run_tapehead("trace", "COLUMNS=40");
  CHECK(has(narrow.out, "W_q (32, 50, 512)\n  -> view (32, 50, 8, 64)\n"));
}

TEST_CASE("--version says which version it is") {
  const Result r = run_tapehead("--version");
  CHECK(r.code == 0);
  CHECK(r.out == "tapehead 0.1.0\n");
  CHECK(r.err.empty());
}

TEST_CASE("no command prints the help, which has examples") {
  const Result none = run_tapehead(""), help = run_tapehead("--help");
  CHECK(none.code == 0);
  CHECK(none.out == help.out);
  for (const char* part : {"Examples:", "train", "generate", "eval", "inspect", "convert", "diff",
                           "gradcheck", "trace", "--version"})
    CHECK(has(help.out, part));
}

TEST_CASE("each command's help has its options and examples") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> expected{
      {"train",
       {"What to learn", "names", "--file", "--steps", "--batch", "--lr", "--seed", "--layers",
        "--heads", "--d-model", "--dropout", "--threads", "--out", "--config", "--run", "--resume",
        "Examples:", "tapehead train copy"}},
      {"generate",
       {"MODEL", "--prompt", "--tokens", "--temperature", "--top-k", "--top-p", "--seed", "--stop",
        "--tokenizer", "Examples:"}},
      {"eval", {"MODEL", "--task", "--length", "--symbols", "--file", "--json", "Examples:"}},
      {"inspect", {"FILE", "--json", "Examples:"}},
      {"convert", {"FROM", "TO", "Examples:"}},
      {"diff", {"--atol", "--rtol", "--json", "Examples:"}},
      {"gradcheck", {"--all", "Examples:", "tapehead gradcheck softmax"}},
      {"trace", {"--batch", "--length", "--d-model", "--heads", "512", "Examples:"}}};
  for (const auto& [command, parts] : expected) {
    const Result r = run_tapehead(command + " --help");
    CHECK(r.code == 0);
    CHECK(r.err.empty());
    for (const std::string& part : parts) CHECK_MESSAGE(has(r.out, part), part);
  }
}

TEST_CASE("an unknown command is refused, with one that is close") {
  check_refused("trian",
                "there is no command \"trian\"; did you mean train? (tapehead --help lists them)");
  check_refused("bake", "there is no command \"bake\" (tapehead --help lists them)");
}

TEST_CASE("an unknown task is refused, with one that is close") {
  check_refused("train revers",
                "expected copy, reverse, sort, addition, recall, induction, modular, brackets, "
                "names or text, got \"revers\"; did you mean "
                "reverse?");
  check_refused("train multiplication",
                "expected copy, reverse, sort, addition, recall, induction, modular, brackets, "
                "names or text, got \"multiplication\"");
}

TEST_CASE("options that are unknown, incomplete or no number are refused") {
  for (const std::string arguments : {"train",
                                      "train copy --stpes 5",
                                      "train copy --steps",
                                      "train copy --steps five",
                                      "train copy --steps 1.5",
                                      "train copy --steps 0",
                                      "train copy --steps -1",
                                      "train copy --batch 0",
                                      "train copy --lr 0",
                                      "train copy --lr nan",
                                      "train copy --lr -1",
                                      "train copy --layers -1",
                                      "train copy --heads 0",
                                      "train copy --d-model 0",
                                      "train copy --dropout 1",
                                      "train copy --dropout -0.1",
                                      "train copy --threads 0",
                                      "train copy --seed -1",
                                      "train copy --seed 1e3",
                                      "train copy --seed 0x10",
                                      "train copy --seed 999999999999999999999",
                                      "train copy --lr 0x1p-3",
                                      "train copy --lr 1e999",
                                      "train copy --lr ''",
                                      "train copy --steps ' 5'",
                                      "train copy --steps '5 '",
                                      "train copy copy",
                                      "trace --heads 0",
                                      "trace 5",
                                      "train copy trace",
                                      "gradcheck --all softmax",
                                      "--nothing"}) {
    const Result r = run_tapehead(arguments);
    CAPTURE(arguments);
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
    CHECK(r.err.rfind("tapehead: ", 0) == 0);
    CHECK(has(r.err, "--help"));
  }
}

TEST_CASE("what is wrong with an argument is said in words, with an option that is close") {
  check_refused("train copy --stpes 5",
                "there is no option --stpes; did you mean --steps? (see tapehead train --help)");
  check_refused("trace -x", "there is no option -x (see tapehead trace --help)");
  check_refused("train copy sort", "\"sort\" is one argument too many (see tapehead train --help)");
  check_refused("train copy --steps", "--steps needs a value (see tapehead train --help)");
  check_refused("train copy --steps 5 --steps 6",
                "--steps is given twice (see tapehead train --help)");
  check_refused(
      "train copy --batch 0",
      "--batch: expected a whole number from 1 to 65536, got 0 (see tapehead train --help)");
  check_refused("train copy --lr nan",
                "--lr: expected 1e-12 to 10, got nan (see tapehead train --help)");
  check_refused("gradcheck --all=5", "--all takes no value (see tapehead gradcheck --help)");
  check_refused("gradcheck --help=5", "--help takes no value (see tapehead gradcheck --help)");
  check_refused("--help=5", "--help takes no value (see tapehead --help)");
  check_refused("--version=5", "--version takes no value (see tapehead --help)");
  check_refused("train", "TASK is required (see tapehead train --help)");
}

TEST_CASE("a command's help has its own examples alone") {
  for (const std::string command :
       {"train", "generate", "eval", "inspect", "convert", "diff", "gradcheck", "trace"}) {
    const std::string help = run_tapehead(command + " --help").out;
    CHECK(has(help, "Examples:"));
    CHECK(help.find("Examples:") == help.rfind("Examples:"));
  }
  CHECK_FALSE(has(run_tapehead("train --help").out, "gradcheck"));
}

TEST_CASE("numbers are decimal, with a zero in front or without") {
  const Result r =
      run_tapehead("train copy --steps=010 --lr 010 --batch 008 --seed 08 --dropout 00.25");
  CHECK(r.code == 0);
  CHECK(has(r.out, "dropout 0.25\n10 steps of 8 sequences, learning rate up to 10\n"));
}

TEST_CASE("an error is one line of plain characters, whatever an argument holds") {
  check_refused("train 'co\npy\033[31m\u202e'",
                "expected copy, reverse, sort, addition, recall, induction, modular, brackets, "
                "names or text, got "
                "\"co\u21b5py\\x1b[31m\\u202e\"");
}

TEST_CASE("a width that the heads don't divide is refused before anything starts") {
  check_refused("train copy --d-model 30 --heads 4",
                "--d-model 30 must be divisible by --heads 4, since each head takes an equal part; "
                "try --d-model 28");
  check_refused(
      "trace --d-model 510",
      "--d-model 510 must be divisible by --heads 8, since each head takes an equal part; "
      "try --d-model 504");
}

TEST_CASE("the width that is advised is one that would do") {
  check_refused("train copy --d-model 4096 --heads 3",
                "--d-model 4096 must be divisible by --heads 3, since each head takes an equal "
                "part; try --d-model 4095");
  check_refused("train copy --d-model 3 --heads 4096",
                "--d-model 3 must be divisible by --heads 4096, since each head takes an equal "
                "part; try --d-model 4096");
}

TEST_CASE("arguments and messages do not follow the global locale") {
  const CommaLocale comma;
  const std::vector<const char*> arguments{"tapehead", "train",     "copy", "--lr",
                                           "0.5",      "--d-model", "5000"};
  std::ostringstream err;
  std::streambuf* const before = std::cerr.rdbuf(err.rdbuf());
  const int code = tapehead::cli::run(static_cast<int>(arguments.size()), arguments.data());
  std::cerr.rdbuf(before);
  CHECK(code == 2);
  CHECK(err.str() ==
        "tapehead: --d-model: expected a whole number from 1 to 4096, got 5000 (see tapehead train "
        "--help)\n");
}

TEST_CASE("a file has a name") {
  for (const std::string option : {"--out", "--file"})
    check_refused("train copy " + option + " ''",
                  option + ": expected the name of a file, got \"\" (see tapehead train --help)");
}

TEST_CASE("a file is for text, and text needs one") {
  check_refused("train text", "text needs a file to read; add --file FILE");
  check_refused("train names", "names needs a file to read; add --file FILE");
  check_refused("train copy --file a.txt",
                "--file is for text and names, not for copy; try: train text --file a.txt");
  check_refused("train sort --context 5",
                "--context is for text; the sequences of sort have one length");
}

TEST_CASE("every command that reports minds that nobody reads") {
  const Folder folder;
  const std::string weights = "'" + folder.file("w") + "'";
  CHECK(run_tapehead("train copy --arch gpt --layers 1 --steps 1 --out " + weights).code == 0);
  for (const std::string& command :
       {"eval " + weights, "eval --json " + weights, "inspect " + weights,
        "diff " + weights + " " + weights, "generate --prompt 12345678 " + weights,
        std::string("trace --json"), std::string("gradcheck softmax --json")}) {
    const Result r = run_tapehead(command + " >/dev/full");
    CAPTURE(command);
    CHECK(r.code == 1);
    CHECK(has(r.err, "tapehead: cannot write to standard output: No space left on device\n"));
  }
}

TEST_CASE("a standard output that is closed or full ends the command with one line") {
  // Of a pipeline, a shell tells only how its last command ended.
  const char* const into_true = R"(sh -c 'exit $({ { "$0" "$@"; echo $? >&3; } | true; } 3>&1)')";
  const Result unread = run_tapehead("train copy --steps 40", into_true);
  CHECK(unread.code == 128 + SIGPIPE);  // whoever closed the pipe knows
  CHECK(unread.err.empty());
  for (const char* where : {" >&-", " >/dev/full"}) {
    const std::string arguments = std::string("train copy --steps 40") + where;
    const Result r = run_tapehead(arguments);
    CAPTURE(arguments);
    CHECK(r.code == 1);
    CHECK(lines(r.err) == 1);
    CHECK(has(r.err, "tapehead: cannot write to standard output: "));
  }
}

TEST_CASE("help is a command, too, also of the others") {
  CHECK(run_tapehead("help").out == run_tapehead("--help").out);
  CHECK(run_tapehead("help train").out == run_tapehead("train --help").out);
  CHECK(has(run_tapehead("help generate").out, "--top-k K"));
  const Result none = run_tapehead("help trian");
  CHECK(none.code == 2);
  CHECK(none.err ==
        "tapehead: there is no command \"trian\"; did you mean train? (tapehead --help lists "
        "them)\n");
}

TEST_CASE("sizes that a task cannot have are wrong uses of the command, as other values are") {
  for (const char* arguments :
       {"train reverse --length 1000", "train reverse --symbols 100", "train modular --length 3",
        "train copy --length 1 --symbols 2", "train copy --symbols 0"}) {
    const Result r = run_tapehead(arguments);
    CHECK_MESSAGE(r.code == 2, arguments);
    CHECK(r.out.empty());
    CHECK(lines(r.err) == 1);
  }
}

TEST_CASE("final weights are safetensors, and who wants another format is told how") {
  const Folder folder;
  const std::string out = folder.file("x.npz");
  const Result r = run_tapehead("train copy --out '" + out + "'");
  CHECK(r.code == 2);
  CHECK(r.err == "tapehead: --out " + out + ": weights are written as safetensors; name it " +
                     folder.file("x.safetensors") + ", and let tapehead convert make .npz of it\n");
}

TEST_CASE("of Noam's schedule the highest rate is told, not its factor") {
  const Result r = run_tapehead(
      "train copy --schedule noam --lr 2 --d-model 16 --heads 2 --warmup 4 --steps 6 --batch 2");
  CHECK(r.code == 0);
  CHECK(has(r.out, "\n6 steps of 2 sequences, learning rate up to 0.25\n"));  // 2 / sqrt(16 4)
  CHECK(has(run_tapehead("train copy --schedule noam --lr 2 --d-model 16 --heads 2 --warmup 400 "
                         "--steps 4 --batch 2")
                .out,
            "learning rate up to 0.00025\n"));  // 2 / 4 4 / 400^1.5
}
