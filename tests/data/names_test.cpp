#include <doctest/doctest.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/data/names.h>

#include <algorithm>
#include <set>

#include "../support/compare.h"
#include "../support/folder.h"

using namespace tapehead;
using namespace tapehead::data;
using Tokens = std::vector<Index>;

namespace {

// A hundred names of three letters: aaa, aab, ...
std::string many_names() {
  std::string lines;
  for (int i = 0; i < 100; ++i)
    lines += {'a', static_cast<char>('a' + i / 10), static_cast<char>('a' + i % 10), '\n'};
  return lines;
}

std::set<std::string> texts(const Names& names, const std::vector<Tokens>& part) {
  std::set<std::string> result;
  for (const Tokens& name : part) result.insert(names.vocabulary().decode(name));
  return result;
}

std::set<std::string> all_of(const Names& names) {
  std::set<std::string> all = texts(names, names.train());
  all.merge(texts(names, names.held_out()));
  return all;
}

}  // namespace

TEST_CASE("a name is read behind the mark and answered up to the mark, padding is not asked") {
  const Names names("jo\nada\n");
  CHECK(names.vocabulary().size() == 5);  // \n a d j o
  CHECK(names.context() == 4);
  CHECK_FALSE(names.split());  // neither is of the tenth
  CHECK(names.train().size() == 2);
  CHECK(names.held_out().size() == 2);
  const Batch batch = names.held_out_batches(2).front();
  const Tensor inputs = tensor({{0, 3, 4, 0}, {0, 1, 2, 1}});
  const Tensor targets = tensor({{3, 4, 0, no_target}, {1, 2, 1, 0}});
  CHECK(equal(batch.inputs, inputs));
  CHECK(equal(batch.targets, targets));
}

TEST_CASE("a tenth of all names is held out, equal ones together, and none is lost") {
  const std::string once = many_names();
  const Names names(once + once);
  CHECK(names.split());
  const std::set<std::string> train = texts(names, names.train()),
                              held_out = texts(names, names.held_out());
  CHECK(train.size() + held_out.size() == 100);
  CHECK(held_out.size() >= 3);
  CHECK(held_out.size() <= 20);
  CHECK(names.train().size() == 2 * train.size());
  for (const std::string& name : held_out) CHECK(train.count(name) == 0);
  CHECK(texts(Names(once), Names(once).held_out()) == held_out);
}

TEST_CASE("names are drawn from those to train on, every one of them") {
  const Names names(many_names());
  core::Generator random(0);
  std::set<Tokens> seen;
  for (int i = 0; i < 200; ++i) {
    const Batch batch = names.draw(random, 8);
    CHECK(batch.inputs.shape() == Shape{8, 4});
    for (Index row = 0; row < 8; ++row) {
      const std::vector<double> values = testing::values(batch.targets.select(0, row));
      seen.insert(Tokens(values.begin(), values.end() - 1));
    }
  }
  CHECK(seen == std::set<Tokens>(names.train().begin(), names.train().end()));
}

TEST_CASE("all names held out are asked, the last batch may be smaller") {
  const Names names(many_names());
  std::size_t rows = 0;
  for (const Batch& batch : names.held_out_batches(4)) {
    CHECK(batch.inputs.size(0) <= 4);
    rows += static_cast<std::size_t>(batch.inputs.size(0));
  }
  CHECK(rows == names.held_out().size());
}

TEST_CASE("line ends of Windows, empty lines and a byte order mark are not part of a name") {
  const std::set<std::string> want{"ab", "cd"};
  for (const char* content : {"ab\ncd", "ab\r\ncd\r\n",
                              "\xef\xbb\xbf"
                              "ab\n\n\ncd\n\n",
                              "\r\nab\r\ncd"})
    CHECK(all_of(Names(content)) == want);
  CHECK(all_of(Names("a\rb")) == std::set<std::string>{"a\rb"});  // one that ends no line stays
}

TEST_CASE("characters of names are code points in UTF-8 and bytes in anything else") {
  CHECK(Names("Zo\u00eb\n").context() == 4);
  CHECK(all_of(Names("Zo\u00eb\n")) == std::set<std::string>{"Zo\u00eb"});
  CHECK(Names("Zo\u00eb\n\xff\n").context() == 5);
  CHECK(all_of(Names("Zo\u00eb\n\xff\n")) == std::set<std::string>{"Zo\u00eb", "\xff"});
  CHECK(all_of(Names(std::string("a\0b\n", 4))) == std::set<std::string>{std::string("a\0b", 3)});
}

TEST_CASE("names are read from a file, and a file that is none is refused") {
  const Folder folder;
  CHECK(all_of(Names::read(folder.write("names.txt", "ab\ncd\n"))).size() == 2);
  const std::string missing = folder.file("none"), empty = folder.write("empty.txt", ""),
                    blank = folder.write("blank.txt", "\r\n\n"),
                    binary = folder.write("binary", "ab\n" + std::string(256, '\1'));
  CHECK_THROWS_WITH_AS(
      Names::read(missing),
      ("names: cannot read " + missing + ": No such file or directory; check the path").c_str(),
      IoError);
  for (const std::string& path : {empty, blank})
    CHECK_THROWS_WITH_AS(
        Names::read(path),
        ("names: " + path + " has no name in it; choose a file with one name a line").c_str(),
        Error);
  CHECK_THROWS_WITH_AS(Names::read(binary),
                       ("names: a name has at most 255 characters, got 256 in line 2 of " + binary +
                        "; choose a file with one name a line")
                           .c_str(),
                       Error);
}

TEST_CASE("a batch of no names is refused") {
  const Names names("ab\n");
  core::Generator random(0);
  const char* const words = "names: a batch has at least 1 name, got 0";
  CHECK_THROWS_WITH_AS(names.draw(random, 0), words, ShapeError);
  CHECK_THROWS_WITH_AS(names.held_out_batches(0), words, ShapeError);
}
