#include <doctest/doctest.h>
#include <tapehead/train/early_stopping.h>

#include <cmath>

using tapehead::train::EarlyStopping;

TEST_CASE("enough is so many losses without a new best") {
  EarlyStopping stopping{.patience = 2};
  CHECK(stopping.judge(3));
  CHECK_FALSE(stopping.judge(3));
  CHECK_FALSE(stopping.enough());
  CHECK(stopping.judge(2));
  CHECK_FALSE(stopping.judge(NAN));
  CHECK_FALSE(stopping.enough());
  CHECK_FALSE(stopping.judge(2.5));
  CHECK(stopping.enough());
  CHECK(stopping.best == 2);
}

TEST_CASE("a loss that is lower by less than min_delta is no new best") {
  EarlyStopping stopping{.patience = 1, .min_delta = 0.1};
  CHECK(stopping.judge(1));
  CHECK_FALSE(stopping.judge(0.95));
  CHECK(stopping.enough());
}

TEST_CASE("without patience it never is enough") {
  EarlyStopping stopping;
  for (int i = 0; i < 100; ++i) stopping.judge(1);
  CHECK_FALSE(stopping.enough());
}
