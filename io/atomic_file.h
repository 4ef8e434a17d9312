// AtomicFile: a file that appears whole or not at all.
//
//   AtomicFile file("model.safetensors");
//   file.write(bytes);
//   file.commit();      // until here, nothing can be seen under that name
#pragma once

#include <span>
#include <string>

#include "../core/error.h"

namespace tapehead::io {

class AtomicFile {
 public:
  /// Opens a new file in the folder of `path`; where the system can, one without a name, so that
  /// nothing is left if the process is killed. IoError, naming path and reason, where it cannot be
  /// written: missing or read-only folder, a read-only file of that name, a folder or device. A
  /// link is followed: what it points to will be replaced.
  explicit AtomicFile(const std::string& path);
  /// Without commit() leaves everything as it was.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// IoError if the disk is full or fails, or after commit().
  void write(std::span<const std::byte> bytes);
  /// Brings the content to the disk, then under its name, in place of what had that name and with
  /// its permissions (setuid and its like aside); a new name gets those that any new file gets.
  /// Once; IoError as for write(). Only if bringing the name itself to the disk fails is the new
  /// file there nevertheless: whole, but perhaps not after a power cut.
  void commit();

 private:
  [[noreturn]] void refuse(int reason) const;
  void check_open() const;

  std::string path_;       // as given, for messages
  std::string target_;     // where links lead
  std::string temporary_;  // its name until it gets its own, if any
  int descriptor_ = -1;    // -1 once committed
};

/// Throws what AtomicFile(path) would, and leaves no trace: for a check before long work.
void check_writable(const std::string& path);

}  // namespace tapehead::io
