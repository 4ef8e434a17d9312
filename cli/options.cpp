#include "options.h"

#include <algorithm>
#include <type_traits>

#include "../core/text.h"
#include "../data/tasks.h"
#include "near_match.h"
#include "output.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

// Decimal, where streams would read nan and 0x1p-3 as well (libc++'s) and no leading zero may
// change the base.
template <class T>
T parsed(const std::string& given, T least, T most) {
  std::istringstream in(given);
  in.imbue(std::locale::classic());
  T value{};
  const bool read = given.find_first_not_of("0123456789+-.eE") == std::string::npos &&
                    in >> std::noskipws >> value &&
                    in.peek() == std::istringstream::traits_type::eof();
  if (!read || value < least || value > most)
    throw UsageError(core::to_text("expected ", std::is_integral_v<T> ? "a whole number from " : "",
                                   least, " to ", most, ", got ", given));
  return value;
}

std::string shown(const std::optional<double>& value) { return value ? exact(*value) : ""; }
std::string shown(const std::optional<Index>& value) { return value ? std::to_string(*value) : ""; }

template <class T, class Target>
Option numeric(std::string name, Target& target, std::string what, T least, T most) {
  return {
      std::move(name), "N", std::move(what),
      [&target, least, most](const std::string& given) { target = parsed<T>(given, least, most); },
      [&target] { return shown(std::optional<T>(target)); }};
}

bool is_number(const Option& option) { return option.value == "N"; }

bool is_given(const std::vector<Given>& given, const Option& option) {
  return std::any_of(given.begin(), given.end(),
                     [&](const Given& g) { return g.name == option.name; });
}

void take_value(const Option& option, const std::string& called, const std::string& value) {
  try {
    option.take(value);
  } catch (const UsageError& error) {
    throw UsageError(core::to_text(called, ": ", error.message()));
  }
}

const Option& option_of(const std::vector<Option>& options, const Setting& setting) {
  std::vector<std::string> keys;
  for (const Option& option : options) {
    if (!option.show) continue;
    if (option.key() == setting.key) return option;
    keys.push_back(option.key());
  }
  throw UsageError(core::to_text(setting.from, ": there is no setting \"", setting.key, "\"",
                                 suggestion(setting.key, keys)));
}

void refuse_beside(const Option& alone, const std::vector<Option>& options,
                   const std::vector<Given>& given) {
  for (const Option& option : options)
    if (option.name != alone.name && (option.show || option.settings) && is_given(given, option))
      throw UsageError(core::to_text(alone.name, " goes on with the settings of that run; leave ",
                                     option.name, " out"));
}

}  // namespace

std::string Option::key() const {
  std::string key = name.substr(name.find_first_not_of('-'));
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return key;
}

Option text(std::string name, std::string value, std::string& target, std::string what) {
  return {std::move(name), std::move(value), std::move(what),
          [&target](const std::string& given) { target = given; }, [&target] { return target; }};
}

Option file(std::string name, std::string& target, std::string what) {
  Option option = text(std::move(name), "FILE", target, std::move(what));
  option.take = [&target](const std::string& given) {
    if (given.empty()) throw UsageError("expected the name of a file, got \"\"");
    target = given;
  };
  return option;
}

Option word(std::string name, std::string& target, std::string what,
            std::vector<std::string> words) {
  Option option = text(std::move(name), "NAME", target, std::move(what));
  option.take = [&target, words = std::move(words)](const std::string& given) {
    if (std::find(words.begin(), words.end(), given) == words.end())
      throw UsageError(core::to_text("expected ", data::alternatives(words), ", got \"", given,
                                     "\"", suggestion(given, words)));
    target = given;
  };
  return option;
}

Option flag(std::string name, bool& target, std::string what) {
  return {std::move(name), "", std::move(what), [&target](const std::string&) { target = true; }};
}

Option number(std::string name, std::optional<double>& target, std::string what, double least,
              double most) {
  return numeric<double>(std::move(name), target, std::move(what), least, most);
}
Option whole(std::string name, std::optional<Index>& target, std::string what, Index least,
             Index most) {
  return numeric<Index>(std::move(name), target, std::move(what), least, most);
}
Option whole(std::string name, Index& target, std::string what, Index least, Index most) {
  return numeric<Index>(std::move(name), target, std::move(what), least, most);
}

Option required(Option option) {
  option.required = true;
  return option;
}

Option called(std::string value, Option option) {
  option.value = std::move(value);
  return option;
}

Option aside(Option option) {
  option.show = {};
  return option;
}

std::string settings_text(const std::vector<Option>& options) {
  std::string text;
  for (const Option& option : options) {
    const std::string value = option.show ? option.show() : "";
    if (value.empty()) continue;
    const char quote = value.find('"') == std::string::npos ? '"' : '\'';
    text += option.key() + " = " +
            (is_number(option) ? value : core::to_text(quote, value, quote)) + "\n";
  }
  return text;
}

void take(const std::vector<Option>& options, const std::vector<Setting>& settings,
          const std::vector<Given>& given) {
  for (const Option& option : options)
    if (option.alone && is_given(given, option)) refuse_beside(option, options, given);
  std::vector<std::string> set;
  for (const Setting& setting : settings) {
    const Option& option = option_of(options, setting);
    if (setting.values.size() != 1 || std::find(set.begin(), set.end(), setting.key) != set.end())
      throw UsageError(
          core::to_text(setting.from, ": setting ", setting.key, " must have one value"));
    set.push_back(setting.key);
    take_value(option, core::to_text(setting.from, ": setting ", setting.key),
               setting.values.front());
  }
  for (const Option& option : options) {
    for (const Given& each : given)
      if (each.name == option.name)
        for (const std::string& value : each.values) take_value(option, option.name, value);
    const bool is_set = std::find(set.begin(), set.end(), option.key()) != set.end();
    if (option.required && !is_set && !is_given(given, option))
      throw UsageError(option.name + " is required");
  }
}

}  // namespace tapehead::cli
