// Bad files, and the words with which each is refused.
#pragma once

#include <doctest/doctest.h>
#include <tapehead/core/error.h>

#include <string>
#include <vector>

#include "folder.h"

namespace tapehead::testing {

/// What read(path) says of a file of these bytes, without "reader: path: " in front; "" if nothing.
template <class Reader>
std::string refusal_of(const std::string& bytes, const char* reader, Reader read) {
  const Folder folder;
  const std::string path = folder.write("file", bytes), before = std::string(reader) + ": " + path;
  try {
    static_cast<void>(read(path));
  } catch (const IoError& error) {
    const std::string words = error.what();
    CHECK(words.substr(0, before.size()) == before);
    return words.substr(before.size() + 2);
  }
  return "";
}

struct BadFile {
  std::string bytes, words;
};

/// Each is refused with its words.
template <class Reader>
void check_refusals(const std::vector<BadFile>& files, const char* reader, Reader read) {
  for (const BadFile& file : files) CHECK(refusal_of(file.bytes, reader, read) == file.words);
}

}  // namespace tapehead::testing
