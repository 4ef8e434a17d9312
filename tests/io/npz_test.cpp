#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/io/detail/zip.h>
#include <tapehead/io/npz.h>

#include "../support/compare.h"
#include "../support/folder.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::difference;
using testing::packed;
using testing::small_npy;
using testing::zip_file;

namespace {

NamedTensors read(const std::string& bytes) {
  const Folder folder;
  return io::read_npz(folder.write("x.npz", bytes));
}

const Tensor small = tensor({{1.0, 2.0}, {3.0, -4.5}});

}  // namespace

TEST_CASE("what save_npz writes, read_npz gives back, in its order") {
  const Folder folder;
  const NamedTensors tensors{{"w", testing::noise({3, 2}).t()},
                             {"layer/0/b", tensor({1, -2})},
                             {"é", tensor({true})},
                             {"none", zeros({0, 4})},
                             {"scalar", tensor(2.5)}};
  io::save_npz(folder.file("x.npz"), tensors);
  const NamedTensors back = io::read_npz(folder.file("x.npz"));
  REQUIRE(back.size() == tensors.size());
  for (std::size_t i = 0; i < back.size(); ++i) {
    CHECK(back[i].first == tensors[i].first);
    CHECK(difference(back[i].second, tensors[i].second) == "");
  }
  io::save_npz(folder.file("x.npz"), {});
  CHECK(io::read_npz(folder.file("x.npz")).empty());
  CHECK(folder.names() == std::vector<std::string>{"x.npz"});
}

TEST_CASE("stored and deflated members are read alike") {
  const NamedTensors both = read(testing::small_npz());
  REQUIRE(both.size() == 2);
  CHECK(both[0].first == "a");
  CHECK(both[1].first == "b");
  for (const auto& [name, x] : both) CHECK(difference(x, small) == "");
}

TEST_CASE("a deflated member of many chunks is read") {
  std::vector<std::int32_t> numbers(200000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<std::int32_t>(i * i % 9973);
  const std::string npy =
      testing::npy_file(testing::npy_header("<i4", "(200000,)"), testing::packed_list(numbers));
  const NamedTensors tensors = read(zip_file({testing::deflated_part("n.npy", npy)}));
  const Tensor i = arange(200000);
  REQUIRE(tensors.size() == 1);
  const std::vector<double> got = testing::values(tensors[0].second);
  CHECK(got == std::vector<double>(numbers.begin(), numbers.end()));
}

TEST_CASE("an archive with a comment, or with zip64's fields, is read") {
  std::string comment = testing::small_npz();
  comment.replace(comment.size() - 2, 2, packed(std::uint16_t{3})) += "PK\5";
  CHECK(read(comment).size() == 2);

  testing::ZipPart wide = testing::stored_part("a.npy", small_npy());
  const std::uint64_t size = wide.size;
  wide.size = 0xffffffff;
  wide.offset = 0xffffffff;
  wide.extra = packed(std::uint16_t{7}, std::uint16_t{1}) + "x" +
               packed(std::uint16_t{1}, std::uint16_t{24}, size, size, std::uint64_t{0});
  const testing::ZipText text = testing::zip_text({wide});
  const std::uint64_t begin = text.members.size(), bytes = text.directory.size();
  const std::string archive =
      text.members + text.directory +
      packed(0x06064b50u, std::uint64_t{44}, std::uint32_t{0}, std::uint64_t{0}, std::uint64_t{1},
             std::uint64_t{1}, bytes, begin) +
      packed(0x07064b50u, 0u, begin + bytes, 1u) + testing::zip_end(0xffff, 0xffffffff, 0xffffffff);
  const NamedTensors tensors = read(archive);
  REQUIRE(tensors.size() == 1);
  CHECK(difference(tensors[0].second, small) == "");
}

TEST_CASE("what numpy writes is read, and what save_npz writes numpy reads") {
  const Folder folder;
  const std::string python = "/usr/bin/python3";
  if (std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) != 0) {
    MESSAGE("skipped: there is no numpy for ", python);
    return;
  }
  const auto run = [&](const std::string& program) {
    folder.write("run.py", "import numpy as np\n" + program);
    return std::system(("cd " + folder.path() + " && " + python + " run.py").c_str());
  };
  REQUIRE(run("a = np.arange(6.).reshape(2, 3)\n"
              "np.savez('s.npz', a=a, f=np.asfortranarray(a.astype('>f4')), n=np.array(7))\n"
              "np.savez_compressed('d.npz', a=a, f=np.asfortranarray(a.astype('f2')), "
              "n=np.zeros((0, 2), '?'))\n") == 0);
  const Tensor a = arange(6).view({2, 3});
  for (const auto& [name, x] : io::read_npz(folder.file("s.npz")))
    CHECK(difference(x, name == "n" ? tensor(7) : a.to(name == "a" ? Float64 : Float32)) == "");
  for (const auto& [name, x] : io::read_npz(folder.file("d.npz")))
    CHECK(difference(
              x, name == "n" ? zeros({0, 2}, Bool) : a.to(name == "a" ? Float64 : Float32)) == "");
  io::save_npz(folder.file("t.npz"), {{"é/w", a.to(Float32)}, {"b", tensor({true})}});
  CHECK(run("t = np.load('t.npz')\n"
            "assert t.files == ['\\u00e9/w', 'b'], t.files\n"
            "assert t['\\u00e9/w'].dtype == 'f4'\n"
            "assert (t['\\u00e9/w'] == np.arange(6).reshape(2, 3)).all()\n"
            "assert t['b'].dtype == '?' and t['b'].shape == (1,) and t['b'][0]\n") == 0);
}

TEST_CASE("names that no archive should have are refused, and no file is made") {
  const Folder folder;
  const auto save = [&](const NamedTensors& tensors) { io::save_npz(folder.file("x"), tensors); };
  CHECK_THROWS_WITH_AS(save({{"a", small}, {"a", small}}),
                       "save_npz: names must differ, got \"a\" twice; rename one", Error);
  for (const std::string name : {"", "../a", "/a", "a/../../b", "a\\b"})
    CHECK_THROWS_WITH_AS(save({{name, small}}),
                         ("save_npz: names must be UTF-8 and point into a folder, got \"" +
                          std::string(name == "a\\b" ? "a\\\\b" : name) + "\"; rename it")
                             .c_str(),
                         Error);
  CHECK_THROWS_WITH_AS(
      save({{"\xff", small}}),
      "save_npz: names must be UTF-8 and point into a folder, got \"\\xff\"; rename it", Error);
  CHECK_THROWS_WITH_AS(save({{"a", Tensor()}}),
                       "save_npz: every name needs a tensor, got an undefined one as \"a\"; leave "
                       "it out",
                       Error);
  CHECK(folder.names().empty());
}

TEST_CASE("an archive that would be too large is refused, and no file is made") {
  const Folder folder;
  {
    io::ZipWriter archive(folder.file("x"));
    const std::byte byte{};
    const std::span<const std::byte> huge(&byte, std::size_t{1} << 32);  // nobody reads it
    CHECK_THROWS_WITH_AS(archive.add("a.npy", {huge}),
                         "save_npz: at most 4 GiB fit, and with \"a.npy\" there would be more; "
                         "save as .safetensors",
                         Error);
  }
  CHECK_THROWS_WITH_AS(
      io::save_npz(folder.file("x"), NamedTensors(16385, {"a", small})),
      "save_npz: at most 16384 tensors are read back, got 16385; use several files", Error);
  CHECK(folder.names().empty());
}
