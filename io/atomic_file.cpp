#include "atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

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
  if (!fs::status_known(status)) cannot_write(path, error.message());
  if (!fs::exists(status)) return;
  if (fs::is_directory(status)) cannot_write(path, "it is a directory; name a file in it");
  if (!fs::is_regular_file(status))
    cannot_write(path, "it is not a regular file; choose another name");
  if (access(target.c_str(), W_OK) != 0)
    cannot_write(path, std::string(std::strerror(errno)) + "; choose another name");
}

fs::path folder_of(const std::string& target) {
  const fs::path folder = fs::path(target).parent_path();
  return folder.empty() ? "." : folder;
}

// Calls make(name) with names beside the target until one is free; "" where that fails for another
// reason. They are short: beside a file of the longest name there is room for one.
template <class Make>
std::string make_beside(const std::string& target, const Make& make) {
  for (int number = 0;; ++number) {
    const std::string name =
        "tapehead-" + std::to_string(getpid()) + "-" + std::to_string(number) + ".tmp";
    const std::string path = fs::path(target).replace_filename(name);
    if (make(path.c_str())) return path;
    if (errno != EEXIST) return "";
  }
}

// A new target gets the permissions that any new file gets; what will replace a file is its owner's
// alone until then.
mode_t first_permissions(const std::string& target) {
  return access(target.c_str(), F_OK) == 0 ? 0600 : 0666;
}

std::string way_to(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

// Opens a file that has no name until it is given one, so that nothing is left of it however the
// process ends. -1 where the system has none.
int open_unnamed([[maybe_unused]] const std::string& target) {
#ifdef O_TMPFILE
  const int descriptor =
      open(folder_of(target).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, first_permissions(target));
  if (descriptor < 0 || access(way_to(descriptor).c_str(), F_OK) == 0) return descriptor;
  close(descriptor);
#endif
  return -1;
}

// Gives the file the permissions of the one that it replaces, if there is one; but not the right to
// run as its owner.
bool take_permissions(int descriptor, const std::string& target) {
  struct stat now {};
  return stat(target.c_str(), &now) != 0 || fchmod(descriptor, now.st_mode & 0777) == 0;
}

// 0, or why the file's name may not be on the disk. Some file systems cannot be asked (EINVAL), and
// some folders may be written but not opened.
int sync_folder(const std::string& target) {
  const int descriptor = open(folder_of(target).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return 0;
  const int reason = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  close(descriptor);
  return reason;
}

}  // namespace

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(follow_link(path)) {
  check_target(path, target_);
  descriptor_ = open_unnamed(target_);
  if (descriptor_ < 0)
    temporary_ = make_beside(target_, [this](const char* name) {
      descriptor_ = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, first_permissions(target_));
      return descriptor_ >= 0;
    });
  if (descriptor_ < 0) refuse(errno);
}

AtomicFile::~AtomicFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::refuse(int reason) const { cannot_write(path_, std::strerror(reason)); }

void AtomicFile::check_open() const {
  if (descriptor_ < 0) cannot_write(path_, "it is complete; make another AtomicFile");
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
  if (temporary_.empty())  // no call gives a name that another file has
    temporary_ = make_beside(target_, [way = way_to(descriptor_)](const char* name) {
      return linkat(AT_FDCWD, way.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    });
  if (temporary_.empty() || std::rename(temporary_.c_str(), target_.c_str()) != 0) refuse(errno);
  temporary_.clear();
  close(std::exchange(descriptor_, -1));
  if (const int reason = sync_folder(target_); reason != 0) refuse(reason);
}

void check_writable(const std::string& path) { const AtomicFile file(path); }

}  // namespace tapehead::io
