#include <tapehead/autograd/create.h>
#include <tapehead/io/npy.h>
#include <tapehead/io/tensor_file.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "../support/weight_bytes.h"
#include "process.h"

using namespace tapehead;

TEST_CASE("inspect shows names, shapes, dtypes and statistics") {
  const Folder folder;
  const std::string path = folder.file("w.safetensors");
  io::save_tensors(path,
                   {{"b", tensor({true, false, true})},
                    {"w", tensor({{1.0, 2.0}, {3.0, 6.0}})},
                    {"x", tensor({1.0f, INFINITY, NAN})}},
                   {{"format", "pt"}, {"task", "copy"}});
  const Result r = run_tapehead("inspect '" + path + "'");
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  CHECK(r.out ==
        path +
            ": safetensors, 3 tensors, 10 numbers\n"
            "  format: pt\n"
            "  task: copy\n"
            "\n"
            "name  shape   dtype          mean       std       min       max\n"
            "w     (2, 2)  Float32           3      1.87         1         6\n"
            "x     (3)     Float32           1         0         1         1  2 not finite\n"
            "b     (3)     Bool          0.667     0.471         0         1\n");
  const auto json = nlohmann::json::parse(run_tapehead("inspect --json '" + path + "'").out);
  CHECK(json.at("format") == "safetensors");
  CHECK(json.at("metadata").at("task") == "copy");
  const auto& w = json.at("tensors").at(0);
  CHECK(w.at("shape") == nlohmann::json{2, 2});
  CHECK(w.at("dtype") == "Float32");
  CHECK(w.at("stored") == "Float32");
  CHECK(w.at("mean") == 3);
  CHECK(w.at("std").get<double>() == doctest::Approx(std::sqrt(3.5)));
  CHECK(json.at("tensors").at(1).at("not_finite") == 2);
}

TEST_CASE("inspect reads every format, and long names do not break its table") {
  const Folder folder;
  for (const auto& [name, bytes, format] :
       {std::tuple{"a", testing::small_safetensors(), "safetensors"},
        std::tuple{"b", testing::small_npy(), "npy"}, std::tuple{"c", testing::small_npz(), "npz"},
        std::tuple{"d", testing::small_llama2c(), "llama2.c"},
        std::tuple{"e", testing::small_mingpt(), "minGPT"}}) {
    const Result r = run_tapehead("inspect --json '" + folder.write(name, bytes) + "'");
    CAPTURE(r.out);
    CHECK(r.code == 0);
    CHECK(nlohmann::json::parse(r.out).at("format") == format);
  }
  const Result wide = run_tapehead("inspect '" + folder.file("d") + "'");
  CHECK(has(wide.out, "\nlayers.0.feed_forward.w1.weight  (6, 4)  Float32\n    mean "));
  CHECK(has(wide.out, "\n  n_layers: 2\n"));
  io::save_npy(folder.file("none"), zeros({0}));
  CHECK(has(run_tapehead("inspect '" + folder.file("none") + "'").out, "nan"));
}

TEST_CASE("inspect shows the dtypes that the file has, also of what is widened") {
  using testing::safetensors_file;
  const Folder folder;
  const std::string path = folder.write(
      "w.safetensors",
      safetensors_file(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
          R"("b":{"dtype":"BF16","shape":[2],"data_offsets":[4,8]},)"
          R"("c":{"dtype":"U8","shape":[2],"data_offsets":[8,10]}})",
          testing::packed(1.5f, std::uint16_t{0x3f80}, std::uint16_t{0xc040}) + "\3\7"));
  const Result r = run_tapehead("inspect '" + path + "'");
  CHECK(r.code == 0);
  CHECK(has(r.out,
            "name  shape  dtype          mean       std       min       max\n"
            "a     (1)    Float32         1.5         0       1.5       1.5\n"
            "b     (2)    BF16             -1         2        -3         1\n"
            "c     (2)    U8                5         2         3         7\n"));
  const auto tensors =
      nlohmann::json::parse(run_tapehead("inspect --json '" + path + "'").out).at("tensors");
  CHECK(tensors.at(1).at("dtype") == "Float32");
  CHECK(tensors.at(1).at("stored") == "BF16");
  CHECK(tensors.at(2).at("dtype") == "Int64");
  CHECK(tensors.at(2).at("stored") == "U8");
}

TEST_CASE("statistics are of all elements, column-major, large and far from 0 alike") {
  const Folder folder;
  const auto inspected = [&](const std::string& bytes) {
    const Result r = run_tapehead("inspect --json '" + folder.write("x.npy", bytes) + "'");
    return nlohmann::json::parse(r.out).at("tensors").at(0);
  };
  const auto turned = inspected(testing::npy_file(testing::npy_header("<f4", "(2, 3)", true),
                                                  testing::packed(1.f, 2.f, 3.f, 4.f, 5.f, 9.f)));
  CHECK(turned.at("shape") == nlohmann::json{2, 3});
  CHECK(turned.at("mean") == 4);
  CHECK(turned.at("std").get<double>() == doctest::Approx(std::sqrt(20.0 / 3)));
  CHECK(turned.at("max") == 9);
  const auto far = inspected(testing::npy_file(
      testing::npy_header("<f8", "(4,)"), testing::packed(1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16)));
  CHECK(far.at("mean") == 1e9 + 10);
  CHECK(far.at("std").get<double>() == doctest::Approx(std::sqrt(22.5)));
}

TEST_CASE("inspect refuses a file that holds no weights with one line") {
  const Folder folder;
  const Result r =
      run_tapehead("inspect '" + folder.write("t", "so it goes, and so on and on") + "'");
  CHECK(r.code == 1);
  CHECK(r.out.empty());
  CHECK(r.err ==
        "tapehead: " + folder.file("t") +
            ": its content is of no format that is read: safetensors, npy, npz, llama2.c's "
            "checkpoints, minGPT's JSON\n");
}

TEST_CASE("symbols are shown as they read, and a tied weight is counted once") {
  const Folder folder;
  const std::string text = folder.write("t", "so it goes\nso\tit é goes\nso it goes\n"),
                    weights = folder.file("w");
  REQUIRE(
      run_tapehead("train text --file '" + text +
                   "' --context 4 --steps 1 --batch 2 --layers 1 --d-model 8 --heads 2 --out '" +
                   weights + "'")
          .code == 0);
  const Result r = run_tapehead("inspect '" + weights + "'");
  CHECK(has(r.out, "\n  alphabet: 10 symbols, \"⇥↵ egiosté\"\n"));
  CHECK(has(r.out, "\n  (lm_head.weight is transformer.wte.weight: "));
  const std::string model = run_tapehead("generate '" + weights + "' --tokens 1").err;
  const std::size_t from = model.find("d_model 8, ") + 11, to = model.find(" parameters", from);
  CHECK(has(r.out, "wte.weight: " + model.substr(from, to - from) + " parameters)\n"));
  tapehead::io::save_safetensors(folder.file("other"), {{"w", tapehead::zeros({1})}},
                                 {{"alphabet", "no bytes"}});
  CHECK(
      has(run_tapehead("inspect '" + folder.file("other") + "'").out, "\n  alphabet: no bytes\n"));
}
