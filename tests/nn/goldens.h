// What PyTorch gave: tests/goldens/nn/<name>.json, written by scripts/goldens/nn.py.
#pragma once

#include "../support/cases.h"

namespace tapehead::testing {

inline Json goldens(const std::string& name) {
  return Json::parse(std::ifstream(TAPEHEAD_TESTS_DIR "/goldens/nn/" + name + ".json"));
}

/// {"name": {"shape", …}, …} as what load_state_dict() takes.
inline NamedTensors state_of(const Json& json, DType dtype = Float64) {
  NamedTensors result;
  for (const auto& [name, value] : json.items()) result.emplace_back(name, to_tensor(value, dtype));
  return result;
}

/// "" if the state has these names in this order and exactly these values.
template <class State>
std::string state_difference(const State& got, const Json& want) {
  if (got.size() != want.size()) return std::to_string(got.size()) + " tensors";
  for (const auto& [name, tensor] : got) {
    if (!want.contains(name)) return name + " is not wanted";
    const std::string found = difference(tensor, to_tensor(want.at(name)));
    if (!found.empty()) return name + ": " + found;
  }
  return "";
}

}  // namespace tapehead::testing
