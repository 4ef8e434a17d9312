// Weights that somebody trained, which are too large to be part of the source. The environment
// variable TAPEHEAD_DATA names the folder that has them; docs/files.md says where they are from.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace tapehead::testing {

/// The path of a file in that folder, or "" with a message that the test is skipped.
inline std::string real_file(const std::string& name) {
  const char* const folder = std::getenv("TAPEHEAD_DATA");
  const std::string path = (std::filesystem::path(folder == nullptr ? "" : folder) / name).string();
  if (folder != nullptr && std::filesystem::exists(path)) return path;
  MESSAGE("skipped: TAPEHEAD_DATA names no folder that has ", name);
  return "";
}

}  // namespace tapehead::testing
