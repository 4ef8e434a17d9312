// A global locale whose numbers no text should follow.
#pragma once

#include <locale>
#include <string>

/// Numbers as some languages write them: 1.234,5.
struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

/// Such numbers are the global locale's while this lives.
struct CommaLocale {
  CommaLocale() : before(std::locale::global(std::locale(std::locale(), new Comma))) {}
  ~CommaLocale() { std::locale::global(before); }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

  std::locale before;
};
