#include <doctest/doctest.h>
#include <tapehead/core/error.h>
#include <tapehead/core/generator.h>

#include <cmath>

using namespace tapehead;
using namespace tapehead::core;

TEST_CASE("the generator is mt19937") {
  Generator generator(5489);  // the seed for which the C++ standard names the 10,000th number
  for (int i = 1; i < 10000; ++i) generator.random();
  CHECK(generator.random() == 4123659995U);
}

TEST_CASE("a 64-bit draw is two draws, the first of them the high half") {
  Generator a(3), b(3);
  const std::uint64_t high = a.random(), low = a.random();
  CHECK(b.random64() == ((high << 32) | low));
}

TEST_CASE("only the low half of a seed makes the stream, but all of it is remembered") {
  Generator a(7), b((std::uint64_t{9} << 32) + 7);
  CHECK(a.random() == b.random());
  CHECK(b.seed() == (std::uint64_t{9} << 32) + 7);
  CHECK(Generator().seed() == 67280421310721U);
}

TEST_CASE("uniform numbers take 24 bits of a draw, or 53 of two") {
  Generator a(1), b(1);
  CHECK(a.uniform_float() == std::ldexp(static_cast<float>(b.random() & 0xffffffU), -24));
  CHECK(a.uniform_double() ==
        std::ldexp(static_cast<double>(b.random64() & 0x1fffffffffffffU), -53));
}

TEST_CASE("float and double normals keep their spares apart, and a seed forgets both") {
  Generator a(2), b(2);
  const double first = a.normal_double(), second = a.normal_double();
  CHECK(b.normal_double() == first);
  const float other = b.normal_float();
  CHECK(b.normal_double() == second);
  Generator c(2);
  for (int i = 0; i < 4; ++i) c.random();
  CHECK(c.normal_float() == other);

  b.normal_double(), b.manual_seed(2);
  CHECK(b.normal_double() == first);
  Generator d(2);
  d.normal_float(), d.manual_seed(2);
  CHECK(d.normal_float() == Generator(2).normal_float());
}

TEST_CASE("a restored state continues exactly, spares and all") {
  for (int draws : {0, 1, 623, 624, 625}) {
    Generator a(11);
    for (int i = 0; i < draws; ++i) a.random();
    a.normal_float(), a.normal_double();
    Generator b;
    b.set_state(a.state());
    CHECK(b.state() == a.state());
    CHECK(b.seed() == 11);
    CHECK(b.normal_float() == a.normal_float());
    CHECK(b.normal_double() == a.normal_double());
    for (int i = 0; i < 1300; ++i) CHECK(b.random() == a.random());
  }
}

TEST_CASE("a spare that is negative survives in a state") {
  Generator a(0);
  do {
    a.normal_double();
  } while (Generator(a).normal_double() >= 0);
  Generator b;
  b.set_state(a.state());
  CHECK(b.normal_double() == a.normal_double());
}

TEST_CASE("a text that is no state is refused, and nothing changes") {
  Generator a(5);
  a.normal_double();
  const std::string good = a.state();
  const std::size_t end = good.find_last_of(' ');
  const auto with = [&](const char* from, const char* to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, std::string(from).size(), to);
  };
  for (const std::string& bad :
       {std::string(), std::string("mt19937"), good.substr(0, end), good + " 1", good + " ",
        " " + good, good.substr(0, end) + " 4294967296", good.substr(0, end) + " -1",
        good.substr(0, end) + " x", with("mt19937", "philox"), with("mt19937 5 4", "mt19937 5 625"),
        with("mt19937 5 4", "mt19937 -5 4"), with("mt19937 5 4", "mt19937 5 +4"),
        with(" - ", " -1 "), with(" - ", " nan "), with(" - ", " 0 -")}) {
    CAPTURE(bad);
    CHECK_THROWS_WITH_AS(
        a.set_state(bad),
        to_text("set_state: expected a text made by state(), got \"", bad.substr(0, 40),
                bad.size() > 40 ? "…" : "", "\" (", bad.size(), " characters)")
            .c_str(),
        Error);
    CHECK(a.state() == good);
  }
  CHECK_THROWS_WITH_AS(
      a.set_state("nonsense"),
      "set_state: expected a text made by state(), got \"nonsense\" (8 characters)", Error);
  CHECK_THROWS_WITH_AS(a.set_state(std::string(100, 'a')),
                       "set_state: expected a text made by state(), got "
                       "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…\" "
                       "(100 characters)",
                       Error);
}

TEST_CASE("there is one default generator") {
  const std::lock_guard lock(default_generator_mutex());
  default_generator().manual_seed(0);
  CHECK(default_generator().uniform_float() == 0.4962565899F);
  CHECK(&default_generator() == &default_generator());
}
