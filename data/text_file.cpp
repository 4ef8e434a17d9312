#include "text_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "../core/error.h"

namespace tapehead::data {
namespace {

constexpr std::size_t largest_text_file = std::size_t{64} << 20;

}  // namespace

std::string read_text_file(const char* reader, const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status))
    fail<IoError>(reader, ": cannot read ", path, ": ",
                  error ? error.message() : std::strerror(ENOENT), "; check the path");
  if (fs::is_directory(status))
    fail<IoError>(reader, ": cannot read ", path, ": it is a directory; name a file in it");
  if (!fs::is_regular_file(status) && !fs::is_fifo(status))
    fail<IoError>(reader, ": cannot read ", path,
                  ": it is neither a file nor a pipe; copy it to one");

  // C's files, since libc++'s streams take an error while reading for the end.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  std::string content;
  std::vector<char> block(1 << 16);
  std::size_t got = file ? block.size() : 0;
  while (got == block.size() && content.size() <= largest_text_file) {
    got = std::fread(block.data(), 1, block.size(), file.get());
    content.append(block.data(), got);
  }
  if (content.size() > largest_text_file)
    fail<IoError>(reader, ": ", path, " is larger than 64 MiB; take a part of it with head -c");
  if (!file || std::ferror(file.get()))
    fail<IoError>(reader, ": cannot read ", path, ": ", std::strerror(errno),
                  file ? "; choose another file" : "; check its permissions");
  return content;
}

}  // namespace tapehead::data
