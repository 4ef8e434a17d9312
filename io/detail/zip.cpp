#include "zip.h"

#include <algorithm>
#include <cstring>

#include "json_text.h"
#include "zip_records.h"

namespace tapehead::io {
namespace {

constexpr std::uint64_t wide_end_bytes = 56, wide_locator_bytes = 20;
constexpr std::uint32_t wide_end_mark = 0x06064b50, wide_locator_mark = 0x07064b50;
constexpr std::uint32_t in_wide_field = 0xffffffff;  // in 4 bytes: the 8-byte field has it
constexpr std::uint16_t encrypted = 1;

// Numbers of a record in memory, little endian, one after another.
class Fields {
 public:
  Fields(const InputFile& file, std::string_view bytes) : file_(file), rest_(bytes) {}

  template <class T>
  T next() {
    T value{};
    const std::string_view bytes = text(sizeof(T));
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  void skip(std::size_t count) { text(count); }
  std::string_view text(std::size_t count) {
    if (count > rest_.size()) file_.refuse("its zip directory ends within an entry");
    const std::string_view result = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return result;
  }
  bool empty() const { return rest_.empty(); }

 private:
  const InputFile& file_;
  std::string_view rest_;
};

std::string read_text(const InputFile& file, std::uint64_t offset, std::uint64_t count) {
  std::string result(static_cast<std::size_t>(count), '\0');
  file.read(offset, std::as_writable_bytes(std::span(result)));
  return result;
}

struct Directory {
  std::uint64_t begin, bytes, count;
};

// The end record is the last thing in the file, but for a comment of up to 65,535 bytes that must
// reach exactly to the end.
std::uint64_t find_end(const InputFile& file) {
  const std::uint64_t size = file.size();
  if (size < end_bytes) file.refuse("it has ", size, " bytes, too few for a zip archive");
  const std::uint64_t window = std::min<std::uint64_t>(size, end_bytes + 65535);
  const std::string tail = read_text(file, size - window, window);
  for (std::size_t at = tail.size() - end_bytes + 1; at-- > 0;) {
    Fields fields(file, std::string_view(tail).substr(at));
    if (fields.next<std::uint32_t>() != end_mark) continue;
    fields.skip(16);
    if (fields.next<std::uint16_t>() == tail.size() - at - end_bytes) return size - window + at;
  }
  file.refuse("it has no zip directory at its end; it may be cut off");
}

// The end record of archives too large for 4-byte fields lies in front of the other one.
std::uint64_t find_wide_end(const InputFile& file, std::uint64_t end) {
  const std::uint64_t locator = end - wide_locator_bytes;
  if (end < wide_locator_bytes + wide_end_bytes ||
      file.number<std::uint32_t>(locator) != wide_locator_mark)
    return end;
  const auto at = file.number<std::uint64_t>(locator + 8);
  if (at != locator - wide_end_bytes || file.number<std::uint32_t>(at) != wide_end_mark)
    file.refuse("its zip64 locator points to ", at, ", where no zip64 record ends at ", locator);
  return at;
}

Directory find_directory(const InputFile& file) {
  const std::uint64_t end = find_end(file), wide = find_wide_end(file, end);
  Directory result{};
  std::uint64_t disks = 0, here = 0;
  if (wide != end) {
    disks = file.number<std::uint32_t>(wide + 16) | file.number<std::uint32_t>(wide + 20);
    here = file.number<std::uint64_t>(wide + 24);
    result = {file.number<std::uint64_t>(wide + 48), file.number<std::uint64_t>(wide + 40),
              file.number<std::uint64_t>(wide + 32)};
  } else {
    disks = file.number<std::uint32_t>(end + 4);
    here = file.number<std::uint16_t>(end + 8);
    result = {file.number<std::uint32_t>(end + 16), file.number<std::uint32_t>(end + 12),
              file.number<std::uint16_t>(end + 10)};
  }
  if (disks != 0 || here != result.count)
    file.refuse("it is one part of a zip archive in several files; join them first");
  if (result.bytes > wide || result.begin != wide - result.bytes)
    file.refuse("its zip directory of ", result.bytes, " bytes at ", result.begin,
                " does not end where it should, at ", wide);
  if (result.count > most_entries)
    file.refuse("it has ", result.count, " members; at most ", most_entries, " are read");
  return result;
}

void check_name(const InputFile& file, const std::string& name) {
  if (!stays_inside(name))
    file.refuse("its member ", in_quotes(name), " points out of the archive's folder");
  if (!is_utf8(name)) file.refuse("its member ", in_quotes(name), " has a name that is not UTF-8");
}

// What does not fit in 4 bytes is in the extra field 1, in this order.
void read_wide_fields(const InputFile& file, std::string_view extra,
                      std::initializer_list<std::uint64_t*> values) {
  for (Fields fields(file, extra); !fields.empty();) {
    const auto kind = fields.next<std::uint16_t>();
    Fields field(file, fields.text(fields.next<std::uint16_t>()));
    if (kind == 1)
      for (std::uint64_t* value : values)
        if (*value == in_wide_field) *value = field.next<std::uint64_t>();
  }
}

ZipMember read_entry(const InputFile& file, Fields& fields) {
  if (fields.next<std::uint32_t>() != central_mark)
    file.refuse("its zip directory has something else where an entry should begin");
  fields.skip(4);
  const auto flags = fields.next<std::uint16_t>(), method = fields.next<std::uint16_t>();
  fields.skip(4);
  const auto crc = fields.next<std::uint32_t>();
  std::uint64_t stored = fields.next<std::uint32_t>(), size = fields.next<std::uint32_t>();
  const auto name_bytes = fields.next<std::uint16_t>(), extra_bytes = fields.next<std::uint16_t>(),
             comment_bytes = fields.next<std::uint16_t>();
  fields.skip(8);
  std::uint64_t begin = fields.next<std::uint32_t>();
  const std::string name(fields.text(name_bytes));
  read_wide_fields(file, fields.text(extra_bytes), {&size, &stored, &begin});
  fields.skip(comment_bytes);
  check_name(file, name);
  if ((flags & encrypted) != 0) file.refuse("its member ", in_quotes(name), " is encrypted");
  if (method != 0 && method != 8)
    file.refuse("its member ", in_quotes(name), " is compressed by method ", method,
                "; stored and deflated ones are read");
  if (method == 0 && stored != size)
    file.refuse("its member ", in_quotes(name), " is stored in ", stored, " bytes but has ", size);
  return {name, begin, stored, size, crc, method == 8};
}

// Moves `begin` from the local header to the bytes behind it.
void skip_local_header(const InputFile& file, ZipMember& member, std::uint64_t end) {
  const auto outside = [&] {
    file.refuse("its member ", in_quotes(member.name),
                " reaches into the zip directory, or beyond");
  };
  if (end < local_bytes || member.begin > end - local_bytes) outside();
  const std::string header = read_text(file, member.begin, local_bytes);
  Fields fields(file, header);
  const auto mark = fields.next<std::uint32_t>();
  fields.skip(4);
  const auto method = fields.next<std::uint16_t>();
  fields.skip(16);
  const std::uint64_t name_bytes = fields.next<std::uint16_t>(),
                      extra_bytes = fields.next<std::uint16_t>();
  const std::uint64_t begin = member.begin + local_bytes + name_bytes + extra_bytes;
  if (begin > end || member.stored > end - begin) outside();
  if (mark != local_mark || (method == 8) != member.deflated || name_bytes != member.name.size() ||
      read_text(file, member.begin + local_bytes, name_bytes) != member.name)
    file.refuse("its member ", in_quotes(member.name), " is not what stands at ", member.begin);
  member.begin = begin;
}

// The order of members is kept; `begin` is where their local headers are, then where their bytes
// are.
void place(const InputFile& file, std::vector<ZipMember>& members, std::uint64_t end) {
  std::vector<ZipMember*> order;
  for (ZipMember& member : members) order.push_back(&member);
  std::sort(order.begin(), order.end(),
            [](const ZipMember* a, const ZipMember* b) { return a->begin < b->begin; });
  const ZipMember* before = nullptr;
  for (ZipMember* member : order) {
    if (before != nullptr && before->begin + before->stored > member->begin)
      file.refuse("its members ", in_quotes(before->name), " and ", in_quotes(member->name),
                  " overlap");
    skip_local_header(file, *member, end);
    before = member;
  }
}

void check_differ(const InputFile& file, const std::vector<ZipMember>& members) {
  std::vector<std::string_view> names;
  for (const ZipMember& member : members) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice != names.end()) file.refuse("it has two members named ", in_quotes(*twice));
}

}  // namespace

bool stays_inside(const std::string& name) {
  const std::string path = "/" + name + "/";
  return !name.empty() && name[0] != '/' && name.find('\\') == std::string::npos &&
         name.find('\0') == std::string::npos && path.find("/../") == std::string::npos;
}

std::vector<ZipMember> zip_members(const InputFile& file) {
  const Directory directory = find_directory(file);
  const std::string bytes = read_text(file, directory.begin, directory.bytes);
  Fields fields(file, bytes);
  std::vector<ZipMember> members;
  for (std::uint64_t i = 0; i < directory.count; ++i) members.push_back(read_entry(file, fields));
  if (!fields.empty()) file.refuse("its zip directory has bytes behind its last entry");
  check_differ(file, members);
  place(file, members, directory.begin);
  return members;
}

}  // namespace tapehead::io
