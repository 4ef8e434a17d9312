#include <zlib.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>

#include "zip.h"

namespace tapehead::io {
namespace {

// Inflates, or just hands on, and keeps count.
class Stream {
 public:
  Stream(const InputFile& file, const ZipMember& member)
      : file_(file), member_(member), left_(member.size), next_(member.begin) {
    if (member.deflated && inflateInit2(&z_, -15) != Z_OK)
      refuse("there is no memory to inflate it");
  }
  ~Stream() {
    if (member_.deflated) inflateEnd(&z_);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void read(std::span<std::byte> to) {
    assert(to.size() <= left_);
    if (member_.deflated)
      inflate_into(to);
    else
      take(to);
    crc_ = crc32_z(crc_, reinterpret_cast<const Bytef*>(to.data()), to.size());
    left_ -= to.size();
    if (left_ == 0) finish();
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    file_.refuse(in_quotes(member_.name), ": ", what);
  }
  std::uint64_t unread() const { return member_.begin + member_.stored - next_; }
  void take(std::span<std::byte> to) {
    file_.read(next_, to);
    next_ += to.size();
  }

  void refill() {
    const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(chunk_.size(), unread()));
    take(std::span(chunk_).first(some));
    z_.next_in = reinterpret_cast<Bytef*>(chunk_.data());
    z_.avail_in = static_cast<uInt>(some);
  }

  void inflate_into(std::span<std::byte> to) {
    while (!to.empty()) {
      const std::size_t some = std::min(to.size(), std::size_t{1} << 30);
      step(to.first(some));
      to = to.subspan(some - z_.avail_out);
    }
  }

  // One call of zlib's; anything but progress is the end of the data or damage.
  void step(std::span<std::byte> to) {
    if (z_.avail_in == 0) refill();
    z_.next_out = reinterpret_cast<Bytef*>(to.data());
    z_.avail_out = static_cast<uInt>(to.size());
    const int result = inflate(&z_, Z_NO_FLUSH);
    ended_ = result == Z_STREAM_END;
    if (result != Z_OK && !ended_) refuse("its compressed data are damaged");
    if (ended_ && z_.avail_out != 0) refuse("its data inflate to fewer bytes than it says");
  }

  // All has been handed out; what is left of the stream must be its end.
  void end_stream() {
    std::byte more{};
    if (z_.avail_in == 0) refill();
    z_.next_out = reinterpret_cast<Bytef*>(&more);
    z_.avail_out = 1;
    const int result = inflate(&z_, Z_NO_FLUSH);
    ended_ = result == Z_STREAM_END;
    if (z_.avail_out == 0) refuse("its data inflate to more bytes than it says");
    if (result != Z_OK && !ended_) refuse("its compressed data are damaged");
  }

  void finish() {
    while (member_.deflated && !ended_) end_stream();
    if (z_.avail_in != 0 || unread() != 0) refuse("it has bytes behind the end of its data");
    if (crc_ != member_.crc) refuse("its checksum (CRC-32) is wrong: the file is damaged");
  }

  const InputFile& file_;
  const ZipMember& member_;
  std::uint64_t left_, next_;  // bytes to hand out; where the next stored ones are
  uLong crc_ = 0;
  z_stream z_{};
  bool ended_ = false;
  std::array<std::byte, chunk_bytes> chunk_;
};

}  // namespace

ByteSource zip_bytes(const InputFile& file, const ZipMember& member) {
  return [stream = std::make_shared<Stream>(file, member)](std::span<std::byte> to) {
    stream->read(to);
  };
}

}  // namespace tapehead::io
