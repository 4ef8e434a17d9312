#include <fcntl.h>
#include <tapehead/cli/train.h>

#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "process.h"

namespace {

// The rest of the line that begins with `start`.
std::string line_of(const std::string& text, const std::string& start) {
  const auto at = ("\n" + text).find("\n" + start);
  if (at == std::string::npos) return "";
  const std::string rest = text.substr(at + start.size());
  return rest.substr(0, rest.find('\n'));
}

std::size_t header_size(const std::string& bytes) {
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  return length;
}
nlohmann::json header(const std::string& bytes) {
  return nlohmann::json::parse(bytes.substr(8, header_size(bytes)));
}

}  // namespace

TEST_CASE("training shows gradients, progress, accuracy, an example and each head's attention") {
  const Result r = run_tapehead("train copy --steps 60");
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  CHECK(r.out.rfind("copy: 8 digits, answered by the same\n", 0) == 0);
  CHECK(has(r.out, "1 layer of 4 heads, d_model 32, no mask, "));
  CHECK(has(line_of(r.out, "gradients checked: "), " and a direction through all, to "));
  CHECK(has(line_of(r.out, "step  1/60  loss 2."), "tokens/s"));
  CHECK(has(line_of(r.out, "step 60/60  loss 0."), "0 s left"));
  CHECK(has(line_of(r.out, "held-out accuracy "),
            " %  (of 1,000 whole unseen sequences; chance 1e-06 %)"));
  CHECK_FALSE(has(r.out, "no time"));
  const std::string example = line_of(r.out, "for example ");
  CHECK(example == example.substr(0, 8) + " was answered " + example.substr(0, 8) + ": right");
  for (const char* part : {"layer 0", "head 0", "head 3", "█"}) CHECK(has(r.out, part));
}

TEST_CASE("a pipe gets plain lines: nothing is written over, no escape codes") {
  const Result r = run_tapehead("train reverse --steps 20 --layers 1");
  CHECK_FALSE(has(r.out, "\r"));
  CHECK_FALSE(has(r.out, "\033"));
  const Result ascii = run_tapehead("train reverse --steps 2", "LC_ALL=C");
  for (const char c : ascii.out) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("a terminal gets a progress line that is written over, and colours") {
  const Result r = run_on_terminal("train copy --steps 30");
  CHECK(r.code == 0);
  CHECK(has(r.out, "\rstep  1/30 "));
  CHECK(has(r.out, "\rstep 30/30 "));
  CHECK(has(r.out, "\033[48;5;"));
  const auto begin = r.out.find("\rstep"), end = r.out.find("\r\n", begin);
  const std::string live = r.out.substr(begin, end - begin);
  CHECK_FALSE(has(live, "\n"));
  for (auto at = live.find('\r'); at < live.size();) {
    const auto next = std::min(live.find('\r', at + 1), live.size());
    CHECK(next - at == 80);  // a return and 79 columns
    at = next;
  }
  CHECK(r.out.substr(end, 10) == "\r\nheld-out");
  CHECK_FALSE(has(run_on_terminal("train copy --steps 2", "NO_COLOR=1").out, "\033"));
}

TEST_CASE("the same seed trains the same, with any number of threads; another seed does not") {
  const auto result = [](const std::string& options) {
    const std::string out =
        run_tapehead("train sort --steps 15 --layers 1 --d-model 16 " + options).out;
    return out.substr(out.find("held-out"));
  };
  const std::string first = result("--seed 5 --threads 1");
  CHECK(result("--seed 5 --threads 2") == first);
  CHECK(result("--seed 6 --threads 1") != first);
}

TEST_CASE("addition is written out and judged digit by digit") {
  const Result r = run_tapehead("train addition --steps 3 --d-model 16");
  CHECK(r.code == 0);
  CHECK(has(r.out, "2 layers of 4 heads, d_model 16, causal, "));
  const std::string example = line_of(r.out, "for example ");  // 37+85= was answered 221: right
  CHECK(example[2] == '+');
  CHECK(example[5] == '=');
  CHECK(example.find(": wrong, it is ") == std::string("37+85= was answered 221").size());
}

TEST_CASE("names show their held-out loss, and as many names as are written") {
  const Folder folder;
  std::string content;
  for (char a = 'a'; a <= 'j'; ++a)
    for (char b = 'a'; b <= 'j'; ++b) content += {a, b, 'o', '\n'};
  const std::string file = folder.write("names.txt", content);
  const Result r = run_tapehead("train names --file '" + file + "' --steps 3 --d-model 16");
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  CHECK(has(r.out,
            " held out, 11 different characters\ngpt: 4 layers of 4 heads, d_model 16, causal, "));
  CHECK(line_of(r.out, "held-out accuracy ").ends_with(" %  (of the next characters)"));
  CHECK(has(line_of(r.out, "for example after "), "\" it foretells \""));
  CHECK(has(line_of(r.out, "held-out loss "), "(all characters equally likely: 2.485)"));
  const auto written = r.out.find("what it now writes:\n");
  REQUIRE(written != std::string::npos);
  CHECK(lines(r.out.substr(written)) == 21);
}

TEST_CASE("options reach the model and its training") {
  const Result r = run_tapehead(
      "train copy --steps 2 --batch 8 --lr 0.5 --layers 2 --heads 2 --d-model 16 --dropout 0.3");
  CHECK(r.code == 0);
  CHECK(has(r.out, "2 layers of 2 heads, d_model 16, no mask, "));
  CHECK(has(r.out, " parameters, dropout 0.3\n2 steps of 8 sequences, learning rate up to 0.5\n"));
}

TEST_CASE("another seed is another model, not only other batches") {
  const Folder folder;
  // So small a rate leaves all but the smallest numbers as they were drawn.
  const auto embedding = [&](const std::string& seed) {
    run_tapehead("train copy --steps 1 --lr 1e-12 --seed " + seed + " --out '" + folder.file(seed) +
                 "'");
    const std::string bytes = folder.read(seed);
    const auto place = header(bytes).at("embedding.weight").at("data_offsets");
    const std::size_t begin = place[0], end = place[1];
    return bytes.substr(8 + header_size(bytes) + begin, end - begin);
  };
  CHECK(embedding("5") != embedding("6"));
  CHECK(embedding("5").size() == 10 * 32 * 4);
}

TEST_CASE("batches are drawn by the seed, but not as weights are") {
  using tapehead::cli::batch_generator;
  CHECK(batch_generator(5).state() == batch_generator(5).state());
  CHECK(batch_generator(5).state() != batch_generator(6).state());
  CHECK(batch_generator(5).state() != tapehead::core::Generator(5).state());
}

TEST_CASE("a model without layers can be trained; it has no attention to show") {
  const Result r = run_tapehead("train copy --layers 0 --steps 5");
  CHECK(r.code == 0);
  CHECK(has(r.out, "0 layers"));
  CHECK_FALSE(has(r.out, "looks at"));
}

TEST_CASE("dropout is frozen for the gradient check and active in training") {
  const Result r = run_tapehead("train copy --dropout 0.3 --steps 5");
  CHECK(r.code == 0);
  CHECK(has(r.out, "gradients checked"));
}

TEST_CASE("the final weights are written where --out says") {
  const Folder folder;
  const Result r =
      run_tapehead("train copy --steps 2 --out '" + folder.file("w.safetensors") + "'");
  CHECK(r.code == 0);
  CHECK(has(r.out, "weights written to " + folder.file("w.safetensors") + "\n"));
  const auto names = header(folder.read("w.safetensors"));
  CHECK(names.at("embedding.weight").at("shape") == nlohmann::json{10, 32});
  CHECK(names.contains("blocks.0.attn.W_q.weight"));
  CHECK(names.at("head.bias").at("dtype") == "F32");
  CHECK(names.at("__metadata__") == nlohmann::json{{"format", "pt"},
                                                   {"task", "copy"},
                                                   {"arch", "encoder"},
                                                   {"vocabulary", "10"},
                                                   {"context", "8"},
                                                   {"d_model", "32"},
                                                   {"heads", "4"},
                                                   {"layers", "1"},
                                                   {"d_ff", "64"},
                                                   {"dropout", "0"},
                                                   {"alphabet", "30 31 32 33 34 35 36 37 38 39"}});
  CHECK(folder.names() == std::vector<std::string>{"w.safetensors"});
}

TEST_CASE("an --out that cannot be written is refused before training") {
  const Folder folder;
  const std::string path = folder.file("no/w.safetensors");
  const Result r = run_tapehead("train copy --out '" + path + "'");
  CHECK(r.code == 1);
  CHECK(r.out.empty());
  CHECK(r.err == "tapehead: cannot write " + path + ": No such file or directory\n");
}

TEST_CASE("weights are written before the report, which may have no reader") {
  const Folder folder;
  const Result r =
      run_tapehead("train copy --steps 3 --out '" + folder.file("w") + "' | sed '/^step 3.3/q'");
  CHECK(has(r.out, "\nstep 3/3 "));
  CHECK_FALSE(has(r.out, "held-out"));
  CHECK(header(folder.read("w")).contains("head.bias"));
}

TEST_CASE("weights that are too large for a file are one line, and no file") {
  const Folder folder;
  const Result r = run_tapehead("train copy --steps 1 --out '" + folder.file("w") + "'",
                                "sh -c 'ulimit -f 8; exec \"$0\" \"$@\"'");
  CHECK(r.code == 1);
  CHECK(r.err == "tapehead: cannot write " + folder.file("w") + ": File too large\n");
  CHECK(folder.names().empty());
}

TEST_CASE("weights are not written over the text, by whatever name") {
  const Folder folder;
  const std::string file = folder.write("t.txt", "so it goes, and so it went.\n");
  std::filesystem::create_symlink("t.txt", folder.file("link"));
  for (const std::string& out : {file, folder.file("./t.txt"), folder.file("link")}) {
    const Result r = run_tapehead("train text --file '" + file + "' --out '" + out + "'");
    CHECK(r.code == 2);
    CHECK(r.out.empty());
    CHECK(r.err == "tapehead: --out " + out + " is the text itself; choose another name\n");
  }
  CHECK(folder.read("t.txt") == "so it goes, and so it went.\n");
}

TEST_CASE("text that is missing or too short is refused before training") {
  const Folder folder;
  const std::string missing = folder.file("none"), tiny = folder.write("tiny.txt", "abc");
  const Result none = run_tapehead("train text --file '" + missing + "'");
  CHECK(none.code == 1);
  CHECK(none.out.empty());
  CHECK(none.err ==
        "tapehead: cannot read " + missing + ": No such file or directory; check the path\n");
  const Result small = run_tapehead("train text --file '" + tiny + "'");
  CHECK(small.code == 1);
  CHECK(small.err == "tapehead: text: a window of 64 needs at least 65 characters, got " + tiny +
                         " with 3; use a longer text or a shorter context\n");
}

TEST_CASE("text shows its held-out loss beside the uniform one, and a sample") {
  const Folder folder;
  std::string content;
  for (int i = 0; i < 200; ++i) content += "na\u00efve \033[31mtext\033[0m\n";
  const std::string file = folder.write("t.txt", content);
  const Result r = run_tapehead("train text --file '" + file +
                                "' --steps 3 --context 16 --batch 4 --d-model 8 --layers 1");
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  CHECK(has(r.out, file + ": 4,000 characters, 15 different\nthe last tenth is held out\n"));
  CHECK(line_of(r.out, "held-out accuracy ").ends_with(" %  (of the next characters)"));
  CHECK(has(line_of(r.out, "for example after "), "\" it foretells \""));
  CHECK(has(line_of(r.out, "held-out loss "),
            "nats per character  (all characters equally likely: "
            "2.708)"));
  const auto sample = r.out.find("what it now writes");
  REQUIRE(sample != std::string::npos);
  CHECK_FALSE(has(r.out.substr(sample), "\u21b5"));  // line breaks are broken
  CHECK_FALSE(has(r.out, "\033"));                   // not even where the text has them
  const Result ascii = run_tapehead(
      "train text --file '" + file + "' --steps 3 --context 16 --batch 4 --d-model 8 --layers 1",
      "LC_ALL=C");
  CHECK(has(ascii.out.substr(ascii.out.find("what it now writes")), "\\u00ef"));
  for (const char c : ascii.out) CHECK(static_cast<unsigned char>(c) < 0x80);
}

TEST_CASE("the name of a file cannot take hold of the terminal") {
  const Folder folder;
  const std::string file = folder.write("a\033[31mb\n", "so it goes, and so it went.\n");
  const Result r = run_tapehead("train text --steps 1 --context 8 --d-model 8 --file '" + file +
                                "' --out '" + folder.file("c\033d") + "'");
  CHECK(r.code == 0);
  CHECK(r.out.rfind(folder.file("a\\x1b[31mb\u21b5: "), 0) == 0);
  CHECK(has(r.out, "weights written to " + folder.file("c\\x1bd") + "\n"));
}

TEST_CASE("a short text is read whole, in windows as long as --context says") {
  const Folder folder;
  const std::string file = folder.write("t.txt", "so it goes, and so it went.\n");
  const Result r =
      run_tapehead("train text --file '" + file + "' --steps 2 --context 8 --d-model 8");
  CHECK(r.code == 0);
  CHECK(has(r.out, file + ": 28 characters, 14 different\ntoo short to hold a part of it out\n"));
  CHECK(has(line_of(r.out, "loss "), " nats per character"));
}

TEST_CASE("Ctrl-C ends training with one line, and writes no weights") {
  const Folder folder;
  int error[2];
  REQUIRE(pipe(error) == 0);
  const pid_t child = fork();
  if (child == 0) {
    alarm(patience);
    std::signal(SIGINT, SIG_DFL);  // whoever runs the tests may ignore it
    dup2(error[1], STDERR_FILENO);
    close(error[0]);
    dup2(open(folder.file("log").c_str(), O_WRONLY | O_CREAT, 0600), STDOUT_FILENO);
    execl(TAPEHEAD_BIN_DIR "/tapehead", "tapehead", "train", "copy", "--steps", "100000000",
          "--out", folder.file("w").c_str(), nullptr);
    _exit(127);
  }
  close(error[1]);
  for (int i = 0; i < 600 && !has(folder.read("log"), "step "); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  kill(child, SIGINT);
  std::string message;
  char c = 0;
  while (read(error[0], &c, 1) == 1) message += c;
  close(error[0]);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(code_of(status) == 130);
  CHECK(message.rfind("tapehead: interrupted after step ", 0) == 0);
  CHECK(has(message, " of 100000000; no weights were written\n"));
  CHECK(lines(message) == 1);
  CHECK(folder.names() == std::vector<std::string>{"log"});
}

TEST_CASE("a single name is one name") {
  const Folder folder;
  const Result r = run_tapehead("train names --file '" + folder.write("n", "anna\n") +
                                "' --steps 1 --batch 1 --layers 1 --d-model 8 --heads 2");
  CHECK(r.code == 0);
  CHECK(r.out.rfind(folder.file("n") + ": 1 name to train on, 1 held out (the same: there are too "
                                       "few), 2 different characters\n",
                    0) == 0);
}
