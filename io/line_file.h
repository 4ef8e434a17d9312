// LineFile: a log that only grows, by whole lines.
//
//   LineFile log("log.jsonl");
//   log.add(R"({"step":1,"loss":2.3})");
//
// Each line is one write, so that of a process that is killed whole lines are left; should the
// system be torn down within one, the next LineFile removes the piece.
#pragma once

#include <functional>
#include <string>

#include "../core/error.h"

namespace tapehead::io {

class LineFile {
 public:
  /// Opens or makes a file to append to; what follows its last line break is removed. IoError,
  /// naming path and reason, where that fails.
  explicit LineFile(const std::string& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  /// IoError, and nothing added, if the disk is full or fails; Error for a line break in `line`.
  void add(const std::string& line);
  /// Brings all lines to the disk. IoError if it fails.
  void sync();

 private:
  [[noreturn]] void refuse(int reason) const;

  std::string path_;
  int descriptor_;
};

/// Removes a file's lines from the first on that `keep` says no to; all at once, or not at all. A
/// file that is not there has none. IoError as above.
void keep_lines(const std::string& path, const std::function<bool(const std::string&)>& keep);

}  // namespace tapehead::io
