#include "process.h"

TEST_CASE("trace's defaults are the lesson's quiz") {
  const Result r = run_tapehead("trace");
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  for (std::string line : {"W_q", "W_k", "W_v"}) {
    line += " (32, 50, 512) -> view (32, 50, 8, 64) -> transpose(1, 2) (32, 8, 50, 64)\n";
    CHECK_MESSAGE(has(r.out, line), line);
  }
  CHECK(has(r.out, "-> softmax(-1) (32, 8, 50, 50)\n  -> matmul (32, 8, 50, 64)\n"));
  CHECK(has(r.out,
            "transpose(1, 2) (32, 50, 8, 64) -> contiguous (32, 50, 8, 64)\n"
            "  -> view (32, 50, 512)\n"));
  CHECK(has(r.out, "\nW_o (32, 50, 512)\n"));
}

TEST_CASE("each op is shown with its strides, and whether it is contiguous and shares memory") {
  const Result r = run_tapehead("trace --batch 2 --length 3 --d-model 8 --heads 4");
  CHECK(r.code == 0);
  CHECK(has(r.out,
            "    op                shape            strides               contiguous  memory\n"));
  CHECK(has(r.out,
            "W_q (2, 3, 8) -> view (2, 3, 4, 2) -> transpose(1, 2) (2, 4, 3, 2)\n"
            "    W_q               (2, 3, 8)        (24, 8, 1)            yes         new\n"
            "    view              (2, 3, 4, 2)     (24, 8, 2, 1)         yes         shared\n"
            "    transpose(1, 2)   (2, 4, 3, 2)     (24, 2, 8, 1)         no          shared\n"));
}

TEST_CASE("the memory limit comes from the environment, and what exceeds it is refused by name") {
  const std::string command = "trace --batch 60000 --length 100 --d-model 1024";
  const Result r = run_tapehead(command, "TAPEHEAD_MEMORY_LIMIT=8GiB");
  CHECK(r.code == 1);
  CHECK(r.err ==
        "tapehead: allocate: attention of (60000, 100, 1024) with 8 heads needs 173.1 GiB, with 0 "
        "bytes held and a limit of 8 GiB; use smaller tensors or raise TAPEHEAD_MEMORY_LIMIT\n");
  const Result unreadable = run_tapehead(command, "TAPEHEAD_MEMORY_LIMIT=8XB");
  CHECK(unreadable.code == 1);
  CHECK(unreadable.err ==
        "tapehead: TAPEHEAD_MEMORY_LIMIT: expected a size such as 8GiB, 500MB or 4096, got "
        "\"8XB\"\n");
}

TEST_CASE("sizes that no machine can hold are an error, not a crash") {
  const Result r = run_tapehead("trace --batch 65536 --length 65536 --d-model 65536");
  CHECK(r.code == 1);
  CHECK(lines(r.err) == 1);
  CHECK(r.err.find("attention of (65536, 65536, 65536) with 8 heads needs ") != std::string::npos);
}
