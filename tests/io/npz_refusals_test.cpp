#include <doctest/doctest.h>
#include <tapehead/io/npz.h>

#include "../support/memory_limit.h"
#include "../support/refusals.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::deflated_part;
using testing::npy_file;
using testing::npy_header;
using testing::packed;
using testing::small_npy;
using testing::stored_part;
using testing::zip_end;
using testing::zip_file;
using testing::ZipPart;

namespace {

// An archive of one good member, changed by `change`.
template <class F>
std::string with(ZipPart part, F change) {
  change(part);
  return zip_file({part});
}
std::string named(const std::string& name) { return zip_file({stored_part(name, small_npy())}); }

// An archive with a wide (zip64) end record, whose count is `count`.
std::string wide(std::uint64_t count, std::uint64_t shift = 0) {
  const testing::ZipText text = testing::zip_text({stored_part("a.npy", small_npy())});
  const std::uint64_t members = text.members.size(), end = members + text.directory.size();
  return text.members + text.directory +
         packed(0x06064b50u, std::uint64_t{44}, std::uint32_t{0}, std::uint64_t{0}, count, count,
                std::uint64_t{text.directory.size()}, members) +
         packed(0x07064b50u, 0u, end + shift, 1u) + zip_end(0xffff, 0xffffffff, 0xffffffff);
}

}  // namespace

TEST_CASE("an archive that is cut off or has a directory that lies is refused") {
  const std::string good = testing::small_npz();
  const testing::ZipText text = testing::zip_text({stored_part("a.npy", small_npy())});
  const auto bytes = static_cast<std::uint32_t>(text.directory.size()),
             members = static_cast<std::uint32_t>(text.members.size());
  testing::check_refusals(
      {{"", "it has 0 bytes, too few for a zip archive"},
       {"PK\3\4", "it has 4 bytes, too few for a zip archive"},
       {good.substr(0, good.size() - 1), "it has no zip directory at its end; it may be cut off"},
       {good + "x", "it has no zip directory at its end; it may be cut off"},
       {text.members + text.directory + zip_end(1, bytes, members, 1),
        "it is one part of a zip archive in several files; join them first"},
       {text.members + text.directory + zip_end(1, bytes + 1, members),
        "its zip directory of 52 bytes at 121 does not end where it should, at 172"},
       {text.members + text.directory + zip_end(1, 0xffffffff, members),
        "its zip directory of 4294967295 bytes at 121 does not end where it should, at 172"},
       {text.members + text.directory + zip_end(2, bytes, members),
        "its zip directory ends within an entry"},
       {text.members + text.directory + zip_end(0, bytes, members),
        "its zip directory has bytes behind its last entry"},
       {text.members + text.directory.substr(0, 30) + zip_end(1, 30, members),
        "its zip directory ends within an entry"},
       {text.members + text.members + zip_end(1, members, members),
        "its zip directory has something else where an entry should begin"},
       {wide(20000), "it has 20000 members; at most 16384 are read"},
       {wide(1, 1), "its zip64 locator points to 173, where no zip64 record ends at 228"},
       {wide(1, 0 - std::uint64_t{100000}),
        "its zip64 locator points to 18446744073709451788, where no zip64 record ends at 228"}},
      "read_npz", io::read_npz);
}

TEST_CASE("a member that is not where or what the directory says is refused") {
  const ZipPart good = stored_part("a.npy", small_npy()),
                packed_part = deflated_part("a.npy", small_npy());
  const std::string two = small_npy() + small_npy();
  testing::check_refusals(
      {{with(good, [](ZipPart& p) { p.local_name = "b.npy"; }),
        "its member \"a.npy\" is not what stands at 0"},
       {with(good, [](ZipPart& p) { p.offset = 1; }),
        "its member \"a.npy\" reaches into the zip directory, or beyond"},
       {with(good, [](ZipPart& p) { p.offset = 100000; }),
        "its member \"a.npy\" reaches into the zip directory, or beyond"},
       {with(good,
             [](ZipPart& p) {
               p.local_name = std::string(60000, 'a');
               p.offset = 0;
             }),
        "its member \"a.npy\" is not what stands at 0"},
       {with(good, [](ZipPart& p) { p.crc ^= 1; }),
        "\"a.npy\": its checksum (CRC-32) is wrong: the file is damaged"},
       {with(good, [](ZipPart& p) { p.size += 1; }),
        "its member \"a.npy\" is stored in 86 bytes but has 87"},
       {with(good, [](ZipPart& p) { p.flags = 1; }), "its member \"a.npy\" is encrypted"},
       {with(good, [](ZipPart& p) { p.method = 12; }),
        "its member \"a.npy\" is compressed by method 12; stored and deflated ones are read"},
       {with(good, [](ZipPart& p) { p.size = 0xffffffff; }),
        "its member \"a.npy\" reaches into the zip directory, or beyond"},
       {with(good,
             [](ZipPart& p) {
               p.size = 0xffffffff;
               p.extra = packed(std::uint16_t{1}, std::uint16_t{16}, ~std::uint64_t{0},
                                ~std::uint64_t{0});
             }),
        "its member \"a.npy\" reaches into the zip directory, or beyond"},
       {with(packed_part, [](ZipPart& p) { p.stored[5] ^= 0x7f; }),
        "\"a.npy\": it does not begin with \\x93NUMPY, as .npy does"},
       {with(packed_part, [](ZipPart& p) { p.stored.resize(p.stored.size() - 8); }),
        "\"a.npy\": its compressed data are damaged"},
       {with(packed_part, [](ZipPart& p) { p.stored += "x"; }),
        "\"a.npy\": it has bytes behind the end of its data"},
       {with(packed_part, [&](ZipPart& p) { p.stored = testing::deflated(two); }),
        "\"a.npy\": its data inflate to more bytes than it says"},
       {with(packed_part,
             [&](ZipPart& p) {
               p.stored = testing::deflated(npy_file(npy_header("<f4", "(9,)")));
               p.size = static_cast<std::uint32_t>(npy_file(npy_header("<f4", "(9,)")).size() + 36);
             }),
        "\"a.npy\": its data inflate to fewer bytes than it says"},
       {with(packed_part, [](ZipPart& p) { p.crc ^= 0x80000000; }),
        "\"a.npy\": its checksum (CRC-32) is wrong: the file is damaged"}},
      "read_npz", io::read_npz);
}

TEST_CASE("an archive with names that trick, or that overlap, is refused") {
  const ZipPart a = stored_part("a.npy", small_npy());
  ZipPart b = stored_part("b.npy", small_npy());
  b.local_name = "a.npy";
  b.offset = 0;
  ZipPart inside = stored_part("b.npy", small_npy());
  const std::string nest = zip_file({inside});
  ZipPart outer = stored_part("a.npy", nest);
  inside.offset = 30 + 5;
  testing::check_refusals(
      {{named("../a.npy"), "its member \"../a.npy\" points out of the archive's folder"},
       {named("/a.npy"), "its member \"/a.npy\" points out of the archive's folder"},
       {named("x/../../a.npy"), "its member \"x/../../a.npy\" points out of the archive's folder"},
       {named("x\\a.npy"), "its member \"x\\\\a.npy\" points out of the archive's folder"},
       {named(std::string("a\0.npy", 6)),
        "its member \"a\\x00.npy\" points out of the archive's folder"},
       {named(""), "its member \"\" points out of the archive's folder"},
       {named(".."), "its member \"..\" points out of the archive's folder"},
       {named("\xff.npy"), "its member \"\\xff.npy\" has a name that is not UTF-8"},
       {named("a.txt"),
        "\"a.txt\": expected a .npy file; an archive of tensors holds nothing else"},
       {named("folder/"),
        "\"folder/\": expected a .npy file; an archive of tensors holds nothing else"},
       {zip_file({a, a}), "it has two members named \"a.npy\""},
       {zip_file({a, b}), "its members \"a.npy\" and \"b.npy\" overlap"},
       {zip_file({outer, inside}), "its members \"a.npy\" and \"b.npy\" overlap"}},
      "read_npz", io::read_npz);
}

TEST_CASE("a member that is no good npy file is refused, by name") {
  testing::check_refusals(
      {{zip_file({stored_part("a.npy", "")}), "\"a.npy\": it has 0 bytes, too few for a .npy file"},
       {zip_file({stored_part("a.npy", npy_file(npy_header("|O", "(1,)"), "cos\nsystem\n"))}),
        "\"a.npy\": it holds Python objects, which to read would mean to run code (pickle); save "
        "an array of numbers"},
       {zip_file({deflated_part("a.npy", npy_file(npy_header("<f4", "(9,)"), "x"))}),
        "\"a.npy\": shape (9) of 4-byte elements needs 36 bytes of values, got 1"}},
      "read_npz", io::read_npz);
}

TEST_CASE("a bomb is refused before it goes off") {
  const testing::MemoryLimit limit(8 << 20);
  const Folder folder;
  const std::string zeros = npy_file(npy_header("<f4", "(4194304,)"), std::string(16 << 20, '\0'));
  const std::string path = folder.write("bomb.npz", zip_file({deflated_part("a.npy", zeros)}));
  CHECK(testing::refusal([&] { io::read_npz(path); }) ==
        "allocate: tensor a.npy needs 16 MiB, with some held and a limit of 8 MiB; use smaller "
        "tensors or raise TAPEHEAD_MEMORY_LIMIT");
}
