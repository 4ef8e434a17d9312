// read_text_file: the bytes of a file that somebody wants to learn from, or of settings.
//
//   const std::string content = read_text_file("text", "hamlet.txt");
#pragma once

#include <string>

namespace tapehead::data {

/// As they are. IoError, beginning with `reader`, for a path that is missing, a directory, a
/// device, unreadable or larger than 64 MiB; pipes are read to their end.
std::string read_text_file(const char* reader, const std::string& path);

}  // namespace tapehead::data
