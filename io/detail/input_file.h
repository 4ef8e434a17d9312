// InputFile: a regular file that a reader looks into at any place, and how readers refuse.
//
// Readers trust nothing that a file says: every size is held against the file's own before anything
// of that size is made, and at most `most_entries` tensors and words of metadata are kept track of,
// so that a bad file costs no more memory than its size and 16 MiB.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "../../core/error.h"

namespace tapehead::io {

inline constexpr std::size_t most_entries = 16384;
/// The longest name, and the longest text, that is taken out of JSON.
inline constexpr std::size_t longest_name = 512, longest_text = 1 << 20;

/// How many bytes are read, decoded or inflated at a time.
inline constexpr std::size_t chunk_bytes = 65536;

/// What messages are about: the reader and the file, or a part of it.
struct Subject {
  std::string words;

  /// IoError: "read_npy: a.npy: …".
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    fail<IoError>(words.c_str(), ": ", parts...);
  }
};

/// A name out of a file as messages have it: in quotes, in ASCII, of bounded length.
std::string in_quotes(std::string_view name);

/// Fills its argument with the bytes that come next.
using ByteSource = std::function<void(std::span<std::byte>)>;
/// Takes `bytes` bytes and forgets them: what is wrong with them is found, and no memory needed.
void pass_over(const ByteSource& next, std::uint64_t bytes);

class InputFile {
 public:
  /// `reader` begins its messages. IoError for a path that is missing, unreadable or no regular
  /// file.
  InputFile(const char* reader, const std::string& path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::uint64_t size() const { return size_; }
  /// All bytes of `to` from `offset` on; IoError where the file ends before.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  /// What lies from `offset` on, piece by piece. The file must outlive it.
  ByteSource from(std::uint64_t offset) const;
  /// A number as it lies there, little endian.
  template <class T>
  T number(std::uint64_t offset) const {
    T value{};
    read(offset, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }

  const Subject& subject() const { return subject_; }
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    subject_.refuse(parts...);
  }

 private:
  Subject subject_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace tapehead::io
