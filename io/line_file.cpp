#include "line_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "atomic_file.h"

namespace tapehead::io {
namespace {

// Where the last whole line of an open file ends.
off_t whole_lines(int descriptor) {
  char block[4096];
  for (off_t end = lseek(descriptor, 0, SEEK_END); end > 0;) {
    const off_t begin = end > off_t{sizeof block} ? end - off_t{sizeof block} : 0;
    ssize_t size = pread(descriptor, block, static_cast<std::size_t>(end - begin), begin);
    if (size < end - begin) return -1;
    while (size > 0 && block[size - 1] != '\n') --size;
    if (size > 0) return begin + size;
    end = begin;
  }
  return 0;
}

}  // namespace

LineFile::LineFile(const std::string& path)
    : path_(path), descriptor_(open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666)) {
  if (descriptor_ < 0) refuse(errno);
  const off_t end = whole_lines(descriptor_);
  if (end >= 0 && ftruncate(descriptor_, end) == 0) return;
  const int reason = errno;
  close(descriptor_);
  refuse(reason);
}

LineFile::~LineFile() { close(descriptor_); }

void LineFile::refuse(int reason) const {
  fail<IoError>("write: cannot write ", path_, ": ", std::strerror(reason));
}

void LineFile::add(const std::string& line) {
  if (line.find('\n') != std::string::npos)
    fail("LineFile: a line must have no line break in it, got ", line.size(),
         " characters with one");
  const std::string text = line + '\n';
  const off_t before = lseek(descriptor_, 0, SEEK_END);
  ssize_t written = 0;
  do written = write(descriptor_, text.data(), text.size());
  while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(text.size())) return;
  const int reason = written < 0 ? errno : ENOSPC;
  if (ftruncate(descriptor_, before) != 0) refuse(errno);
  refuse(reason);
}

void LineFile::sync() {
  if (fsync(descriptor_) != 0) refuse(errno);
}

void keep_lines(const std::string& path, const std::function<bool(const std::string&)>& keep) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  std::ifstream in(path, std::ios::binary);
  std::string kept;
  for (std::string line; std::getline(in, line) && !in.eof() && keep(line);) kept += line + '\n';
  if (in.bad() || !in.is_open())
    fail<IoError>("keep_lines: cannot read ", path, "; is it a file that you may read?");
  if (std::filesystem::file_size(path, error) == kept.size() && !error) return;
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(kept)));
  file.commit();
}

}  // namespace tapehead::io
