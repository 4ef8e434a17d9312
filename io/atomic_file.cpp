#include "atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace tapehead::io {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void cannot_write(const std::string& path, const std::string& reason) {
  fail<IoError>("write: cannot write ", path, ": ", reason);
}

std::string follow_link(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
  const fs::path target = fs::canonical(path, error);
  if (error) cannot_write(path, "it is a link to nowhere; remove it or choose another name");
  return target.string();
}

void check_target(const std::string& path, const std::string& target) {
  if (path.empty() || path.back() == '/')
    cannot_write("\"" + path + "\"", "that names no file; add a file name");
  std::error_code error;
  const fs::file_status status = fs::status(target, error);
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) cannot_write(path, "it is a directory; name a file in it");
  if (!fs::is_regular_file(status))
    cannot_write(path, "it is not a regular file; choose another name");
  if (access(target.c_str(), W_OK) != 0)
    cannot_write(path, std::string(std::strerror(errno)) + "; choose another name");
}

// Opens a new file of a name beside the target that nobody has, and says which. A new target gets
// the permissions that any new file gets; what will replace a file is its owner's alone until then.
int open_beside(const std::string& target, std::string& name) {
  const mode_t permissions = access(target.c_str(), F_OK) == 0 ? 0600 : 0666;
  int descriptor = -1;
  for (int attempt = 0; descriptor < 0 && (attempt == 0 || errno == EEXIST); ++attempt) {
    name = target + "." + std::to_string(getpid()) + "-" + std::to_string(attempt);
    descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
  }
  return descriptor;
}

// Gives the file what permissions the one has that it replaces, if there is one.
bool take_permissions(int descriptor, const std::string& target) {
  struct stat now {};
  return stat(target.c_str(), &now) != 0 || fchmod(descriptor, now.st_mode & 07777) == 0;
}

void sync_folder(const std::string& target) {
  const fs::path folder = fs::path(target).parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(follow_link(path)) {
  check_target(path, target_);
  descriptor_ = open_beside(target_, temporary_);
  if (descriptor_ < 0) refuse(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::refuse(int reason) const { cannot_write(path_, std::strerror(reason)); }

void AtomicFile::check_open() const {
  if (temporary_.empty()) cannot_write(path_, "it is complete; make another AtomicFile");
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  check_open();
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void AtomicFile::commit() {
  check_open();
  if (!take_permissions(descriptor_, target_) || fsync(descriptor_) != 0) refuse(errno);
  if (std::rename(temporary_.c_str(), target_.c_str()) != 0) refuse(errno);
  temporary_.clear();
  sync_folder(target_);
}

void check_writable(const std::string& path) { const AtomicFile file(path); }

}  // namespace tapehead::io
