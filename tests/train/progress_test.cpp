#include <doctest/doctest.h>
#include <tapehead/train/progress.h>

#include <cmath>

#include "../support/comma_locale.h"

using namespace tapehead::train;

TEST_CASE("progress is one line of step, loss, accuracy, speed and time left") {
  const Progress p{.step = 120,
                   .steps = 4000,
                   .loss = 0.81234,
                   .accuracy = 0.6718,
                   .tokens_per_second = 61234,
                   .seconds = 3,
                   .seconds_left = 97};
  CHECK(to_string(p) ==
        "step  120/4000  loss 0.8123  accuracy  67.2 %   61k tokens/s  1 min 37 s left");
  Progress widest = p;
  widest.step = widest.steps = 9999;
  widest.loss = 12.34567;
  widest.accuracy = 1;
  widest.tokens_per_second = 123456;
  widest.seconds_left = 3599;
  CHECK(to_string(widest).size() < 80);
}

TEST_CASE("durations are in the units one thinks in") {
  CHECK(duration(0.2) == "0 s");
  CHECK(duration(59.4) == "59 s");
  CHECK(duration(59.6) == "1 min 00 s");
  CHECK(duration(3725) == "1 h 02 min");
  CHECK(duration(-1) == "0 s");
  CHECK(duration(INFINITY) == "277777777 h 46 min");
}

TEST_CASE("large numbers are rounded to two or three digits") {
  CHECK(rounded(0) == "0");
  CHECK(rounded(812.3) == "812");
  CHECK(rounded(999.7) == "1.0k");
  CHECK(rounded(9949) == "9.9k");
  CHECK(rounded(9960) == "10k");
  CHECK(rounded(61234) == "61k");
  CHECK(rounded(1234567) == "1.2M");
}

TEST_CASE("progress does not follow the global locale") {
  const CommaLocale comma;
  CHECK(to_string(Progress{.step = 1200,
                           .steps = 4000,
                           .loss = 0.81234,
                           .accuracy = 0.6718,
                           .tokens_per_second = 1234,
                           .seconds = 3,
                           .seconds_left = 3600.0 * 1234}) ==
        "step 1200/4000  loss 0.8123  accuracy  67.2 %  1.2k tokens/s  1234 h 00 min left");
}

TEST_CASE("a log shows the first and the last step and about ten in all") {
  for (const int steps : {1, 2, 9, 10, 25, 400, 2001}) {
    int lines = 0;
    for (int step = 1; step <= steps; ++step) lines += belongs_in_log(step, steps);
    CHECK(lines >= std::min(steps, 10));
    CHECK(lines <= 14);
    CHECK(belongs_in_log(1, steps));
    CHECK(belongs_in_log(steps, steps));
  }
}
