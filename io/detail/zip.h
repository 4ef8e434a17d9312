// Zip archives: reading their members, stored or deflated, and writing stored ones.
//
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. Only what the central directory at
// the end lists is there, and no two members may share a byte.
#pragma once

#include <vector>

#include "../atomic_file.h"
#include "input_file.h"

namespace tapehead::io {

struct ZipMember {
  std::string name;
  std::uint64_t begin;   // of its bytes in the file
  std::uint64_t stored;  // how many those are
  std::uint64_t size;    // how many they are once inflated
  std::uint32_t crc;
  bool deflated;
};

/// Whether a name, taken for a path, leads to a file in the folder where it begins: nothing is ever
/// unpacked here, but others may.
bool stays_inside(const std::string& name);

/// In the order of the central directory. IoError for what is no zip archive, is damaged, encrypted
/// or compressed in another way, spans several files, or has a name twice or one that points out of
/// a folder.
std::vector<ZipMember> zip_members(const InputFile& file);

/// The bytes of a member, which must outlive it as must the file. Whoever asks for the last of them
/// learns whether they are right: IoError for a checksum that differs or data that do not inflate
/// to `size` bytes.
ByteSource zip_bytes(const InputFile& file, const ZipMember& member);

class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : file_(path) {}
  /// A member of these bytes, one after another. Error where the archive would need more than 4
  /// GiB.
  void add(const std::string& name, std::initializer_list<std::span<const std::byte>> parts);
  /// Writes the central directory, and gives the file its name.
  void commit();

 private:
  AtomicFile file_;
  std::string directory_;
  std::uint64_t written_ = 0;
  std::uint16_t count_ = 0;
};

}  // namespace tapehead::io
