#include "input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>

namespace tapehead::io {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie");

std::string in_quotes(std::string_view name) {
  constexpr std::size_t longest = 60;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "\"";
  for (const char c : name.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte > 0x7e)
      result += std::string("\\x") + digits[byte >> 4] + digits[byte & 15];
    else
      result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  }
  return result + (name.size() > longest ? "\"..." : "\"");
}

void pass_over(const ByteSource& next, std::uint64_t bytes) {
  std::array<std::byte, chunk_bytes> chunk;
  while (bytes > 0) {
    const auto some = std::min<std::uint64_t>(bytes, chunk.size());
    next(std::span(chunk).first(static_cast<std::size_t>(some)));
    bytes -= some;
  }
}

InputFile::InputFile(const char* reader, const std::string& path)
    : subject_{std::string(reader) + ": " + path},
      // A pipe without a writer must not keep us waiting.
      descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) refuse(std::strerror(errno));
  size_ = static_cast<std::uint64_t>(status.st_size);
  if (S_ISREG(status.st_mode)) return;
  close(descriptor_);
  refuse(S_ISDIR(status.st_mode)
             ? "that is a directory; name a file in it"
             : "that is no regular file, so it cannot be read at any place; copy it into one");
}

InputFile::~InputFile() { close(descriptor_); }

void InputFile::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const ssize_t count =
        offset > size_ ? 0 : pread(descriptor_, to.data(), to.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse("byte ", offset, ": ", std::strerror(errno));
    if (count == 0) refuse("it ends at byte ", offset, ", within what should be read");
    to = to.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
}

ByteSource InputFile::from(std::uint64_t offset) const {
  return [this, offset](std::span<std::byte> to) mutable {
    read(offset, to);
    offset += to.size();
  };
}

}  // namespace tapehead::io
