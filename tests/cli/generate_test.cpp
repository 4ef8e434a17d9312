#include "../support/real_files.h"
#include "../support/sha256.h"
#include "../support/weight_bytes.h"
#include "process.h"

namespace {

// A run that has learnt to go on "so it goes" by heart.
std::string parrot(const Folder& folder, const std::string& more = "") {
  std::string content;
  for (int i = 0; i < 60; ++i) content += "so it goes\n";
  const std::string file = folder.write("t.txt", content);
  const Result r =
      run_tapehead("train text --file '" + file + "' --run '" + folder.file("r") +
                   "' --context 16 --steps 60 --batch 8 --layers 1 --d-model 32 " + more);
  CHECK(r.code == 0);
  return "generate '" + folder.file("r") + "' ";
}

}  // namespace

TEST_CASE("stories260K tells its reference program's story, alone on standard output") {
  const std::string model = tapehead::testing::real_file("stories260K/stories260K.bin");
  const std::string pieces = tapehead::testing::real_file("stories260K/tok512.bin");
  if (model.empty() || pieces.empty()) return;
  const std::string command =
      "generate '" + model + "' --tokenizer '" + pieces + "' --temperature 0";
  const Result r = run_tapehead(command + " --tokens 200");
  CHECK(r.code == 0);
  CHECK(r.out.size() == 465);
  CHECK(r.out.back() == '\n');
  CHECK(tapehead::testing::sha256(r.out.substr(0, 464)) ==
        "beeb5cb46785efee81a8545300b31e396b595e5ce6f3b77db201545501981d14");
  CHECK(lines(r.err) == 2);
  CHECK(
      has(r.err, "stories260K.bin: llama, 5 layers of 8 heads, d_model 64, 260,032 parameters\n"));
  CHECK(has(r.err, "tapehead: 200 tokens, "));

  const Result stopped = run_tapehead(command + " --stop ' named'");
  CHECK(stopped.out == "Once upon a time, there was a little girl\n");
  const Result prompted =
      run_tapehead(command + " --tokens 2 --prompt 'Once upon a time, there was'");
  CHECK(prompted.out == "Once upon a time, there was a little\n");

  // Its weights in another format are the same model.
  const Folder folder;
  CHECK(run_tapehead("convert '" + model + "' '" + folder.file("s.safetensors") + "'").code == 0);
  const Result converted =
      run_tapehead("generate '" + folder.file("s.safetensors") + "' --tokenizer '" + pieces +
                   "' --temperature 0 --tokens 5");
  CHECK(converted.out == "Once upon a time,\n");
}

TEST_CASE("a run goes on from a prompt, by its own symbols") {
  const Folder folder;
  const std::string generate = parrot(folder);
  const Result r = run_tapehead(generate + "--prompt 'so it' --temperature 0 --tokens 5");
  CHECK(r.code == 0);
  CHECK(r.out == "so it goes\n");
  CHECK(run_tapehead(generate + "--temperature 0 --tokens 9").out == "so it goe\n");
  CHECK(run_tapehead(generate + "--temperature 0 --tokens 0 --prompt so").out == "so\n");
  CHECK(run_tapehead(generate + "--prompt 'so it' --temperature 0 --stop 'es'").out ==
        "so it go\n");
  CHECK(run_tapehead(generate + "--prompt so --temperature 0 --tokens 3 --samples 2").out ==
        "so it\nso it\n");
  // Not yet an end, but perhaps the beginning of one.
  CHECK(run_tapehead(generate + "--prompt so --temperature 0 --tokens 3 --stop 'itx'").out ==
        "so it\n");
  const Result unknown = run_tapehead(generate + "--prompt xyz");
  CHECK(unknown.code == 2);
  CHECK(unknown.out.empty());
  CHECK(unknown.err ==
        "tapehead: --prompt: the model has no symbol 'x'; its symbols are ↵ egiost\n");
  const Result two = run_tapehead(generate + "--tokens 3 --samples 2 --seed 7");
  CHECK(has(two.err, "\n--- sample 2, seed 8\n"));
  CHECK_FALSE(has(two.err, "sample 1"));
}

TEST_CASE("what is drawn is drawn by the seed, from the likeliest that are asked for") {
  const Folder folder;
  const std::string generate = parrot(folder, "--lr 1e-6");  // knows nothing
  const auto text = [&](const std::string& options) {
    return run_tapehead(generate + "--tokens 40 " + options).out;
  };
  CHECK(text("--seed 1") == text("--seed 1"));
  CHECK(text("--seed 1") != text("--seed 2"));
  CHECK(text("--temperature 5") != text("--temperature 0.1"));
  CHECK(text("--top-k 1 --seed 1") == text("--temperature 0"));
  CHECK(text("--top-p 1e-9 --seed 1") == text("--temperature 0"));
}

TEST_CASE("a task's model answers a prompt") {
  const Folder folder;
  CHECK(run_tapehead("train copy --arch decoder --length 2 --symbols 3 --steps 60 --run '" +
                     folder.file("r") + "'")
            .code == 0);
  const std::string generate = "generate '" + folder.file("r") + "' ";
  CHECK(run_tapehead(generate + "--prompt 12").out == "1212\n");  // the likeliest answer
  CHECK(run_tapehead(generate + "--prompt 12 --temperature 100 --seed 3 --samples 20").out !=
        run_tapehead(generate + "--prompt 12 --samples 20").out);
  CHECK_FALSE(has(run_tapehead(generate + "--prompt 12 --samples 2").err, "---"));
  const auto refusal = [&](const std::string& prompt) {
    const Result r = run_tapehead(generate + prompt);
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    return r.err;
  };
  const std::string asks =
      "tapehead: this model answers questions of copy: 2 digits, answered by "
      "the same; ";
  CHECK(refusal("") == asks + "add --prompt, for example --prompt \"01\"\n");
  CHECK(refusal("--prompt 1") ==
        asks + "--prompt has 1 symbol, which is no such question; for example \"01\"\n");
  CHECK(refusal("--prompt 121") ==
        asks + "--prompt has 3 symbols, which is no such question; for example \"01\"\n");
  CHECK(refusal("--prompt '1 '") ==
        "tapehead: --prompt: the model has no symbol ' '; its symbols are 012\n");
  CHECK(run_tapehead("train copy --steps 1 --out '" + folder.file("w") + "'").code == 0);
  CHECK(has(run_tapehead("generate '" + folder.file("w") + "' --prompt 12").err,
            "tapehead: this encoder answers all places at once and does not write; see tapehead "
            "eval, or train with --arch gpt\n"));
}

TEST_CASE("names are written one a line, each up to its end") {
  const Folder folder;
  const std::string file = folder.write("n", "anna\nbob\nanna\nbob\nanna\nbob\n");
  CHECK(run_tapehead("train names --file '" + file + "' --run '" + folder.file("r") +
                     "' --steps 30 --layers 1 --batch 16")
            .code == 0);
  const Result r = run_tapehead("generate '" + folder.file("r") + "' --samples 5");
  CHECK(r.code == 0);
  CHECK(lines(r.out) == 5);
  CHECK_FALSE(has(r.out, "\n\n"));
}

TEST_CASE("byte pairs are kept with their run, and found again") {
  const Folder folder;
  const std::string generate = parrot(folder, "--tokenizer bpe --tokens 260");
  CHECK(std::filesystem::exists(folder.file("r/tokenizer.json")));
  const Result r = run_tapehead(generate + "--prompt 'so it' --temperature 0 --tokens 20");
  CHECK(r.code == 0);
  CHECK(r.out.rfind("so it goes\nso it", 0) == 0);
  std::filesystem::rename(folder.file("r/tokenizer.json"), folder.file("t.json"));
  CHECK(run_tapehead(generate + "--tokenizer '" + folder.file("t.json") +
                     "' --prompt 'so it' --temperature 0 --tokens 20")
            .out == r.out);
}

TEST_CASE("without a tokenizer, tokens are numbers; one of another size is refused") {
  const Folder folder;
  const std::string model =
      folder.write("m.bin", tapehead::testing::small_llama2c());  // 5 tokens, 3 positions
  const Result r =
      run_tapehead("generate '" + model + "' --prompt '1 4' --temperature 0 --tokens 2");
  CHECK(r.code == 0);
  CHECK(r.out.rfind("1 4 ", 0) == 0);
  CHECK(std::count(r.out.begin(), r.out.end(), ' ') == 4);
  CHECK(has(run_tapehead("generate '" + model + "' --prompt one").err,
            "tapehead: --prompt: the model has no tokenizer, so a text is token numbers with "
            "spaces between "
            "them, got \"one\"; or give --tokenizer FILE\n"));
  const Result outside = run_tapehead("generate '" + model + "' --prompt 021021");
  CHECK(outside.code == 2);
  CHECK(outside.out.empty());
  CHECK(outside.err ==
        "tapehead: --prompt: token 21021 is none of 0 to 4; write numbers with spaces between: "
        "\"0 4 2\"\n");
  const std::string pieces =
      folder.write("t.json", R"({"format": "tapehead byte pairs", "merges": []})");
  CHECK(has(run_tapehead("generate '" + model + "' --tokenizer '" + pieces + "'").err,
            "tapehead: --tokenizer " + pieces +
                " has 256 tokens and the model 5; choose the one it was trained with\n"));
}

TEST_CASE("a terminal is not taken hold of by what a model writes; a pipe gets every byte") {
  const Folder folder;
  std::string content;
  for (int i = 0; i < 60; ++i) content += "a\033é\n";
  const std::string file = folder.write("t.txt", content);
  CHECK(run_tapehead("train text --tokenizer bytes --file '" + file + "' --run '" +
                     folder.file("r") +
                     "' --context 8 --steps 60 --batch 8 --layers 1 --d-model 32")
            .code == 0);
  const std::string generate =
      "generate '" + folder.file("r") + "' --prompt a --temperature 0 --tokens ";
  CHECK(run_tapehead(generate + "4").out == "a\033é\n");
  const Result shown = run_on_terminal(generate + "4", "2>/dev/null");
  CHECK(shown.out == "a\\x1bé\r\n");
  // Half a character is shown by its code, once no other half can come.
  CHECK(run_on_terminal(generate + "2", "2>/dev/null").out == "a\\x1b\\xc3\r\n");
}

TEST_CASE("Ctrl-C ends a text") {
  const Folder folder;
  const std::string generate = parrot(folder);
  const Result r = run_tapehead("", "sh -c '(trap - INT; exec timeout -s INT 0.5 \"$0\" " +
                                        generate.substr(0, generate.find('\'')) + "\"" +
                                        folder.file("r") + "\" --tokens 100000000)'");
  CHECK(r.code != 0);
  CHECK(has(r.err, "tapehead: interrupted after "));
  CHECK(r.out.back() == '\n');
}

TEST_CASE("where what is asked has no end of its own, the last place is answered") {
  const Folder folder;
  const std::string weights = folder.file("w.safetensors"),
                    sizes = " --steps 1 --batch 2 --layers 1 --d-model 8 --heads 2 --out '";
  REQUIRE(run_tapehead("train recall --length 2 --symbols 3" + sizes + weights + "'").code == 0);
  const std::string generate = "generate '" + weights + "' --prompt ";
  for (const std::string prompt : {"aAbBa", "aAbBab"}) {
    const Result r = run_tapehead(generate + prompt);
    CHECK(r.code == 0);
    CHECK(r.out.rfind(prompt, 0) == 0);
    CHECK(r.out.size() == prompt.size() + 2);
  }
  for (const std::string prompt : {"aAbB", "aAbBaba"})
    CHECK(run_tapehead(generate + prompt).code == 2);
}

TEST_CASE("a text whose reader has gone ends in silence") {
  const Folder folder;
  const Result r = run_tapehead(parrot(folder) + "--tokens 1000000 | head -c 10");
  CHECK(r.out.size() == 10);
  CHECK(lines(r.err) == 1);  // which model it is
  // As if SIGPIPE had ended it.
  run_tapehead("generate '" + folder.file("r") + "' --tokens 1000000 2>/dev/null; echo $? >'" +
               folder.file("code") + "') | (head -c 10");
  CHECK(folder.read("code") == "141\n");
}

TEST_CASE("a model that cannot write is refused before anything of a text is written") {
  const Folder folder;
  const std::string weights = folder.file("w.safetensors");
  REQUIRE(
      run_tapehead("train copy --d-model 8 --heads 2 --batch 4 --steps 1 --out '" + weights + "'")
          .code == 0);
  const Result r = run_tapehead("generate '" + weights + "' --prompt 012");
  CHECK(r.code == 1);
  CHECK(r.out == "");
  CHECK(r.err ==
        "tapehead: this encoder answers all places at once and does not write; see tapehead eval, "
        "or train with --arch gpt\n");
}

TEST_CASE("an empty name of a model is a wrong use of the command") {
  for (const std::string command : {"generate", "eval"}) {
    const Result r = run_tapehead(command + " ''");
    CHECK(r.code == 2);
    CHECK(r.err == "tapehead: MODEL: expected the name of a file, got \"\" (see tapehead " +
                       command + " --help)\n");
  }
}
