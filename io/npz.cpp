#include "npz.h"

#include <set>
#include <string_view>

#include "detail/json_text.h"
#include "detail/npy_header.h"
#include "detail/stored.h"
#include "detail/values.h"
#include "detail/zip.h"

namespace tapehead::io {
namespace {

constexpr std::string_view ending = ".npy";

Subject subject_of(const InputFile& file, const ZipMember& member) {
  return {file.subject().words + ": " + in_quotes(member.name)};
}

NpyHeader check(const InputFile& file, const ZipMember& member) {
  if (!std::string_view(member.name).ends_with(ending))
    subject_of(file, member)
        .refuse("expected a .npy file; an archive of tensors holds nothing else");
  const ByteSource next = zip_bytes(file, member);
  const NpyHeader header = read_npy_header(subject_of(file, member), next, member.size);
  core::check_budget(member.size, [&](std::ostream& out) { out << "tensor " << member.name; });
  pass_over(next, member.size - header.bytes);
  return header;
}

Tensor load(const InputFile& file, const ZipMember& member, const NpyHeader& header) {
  const ByteSource next = zip_bytes(file, member);
  pass_over(next, header.bytes);
  return decode(header.layout, next);
}

void check_name(const std::string& name, bool first) {
  constexpr std::size_t longest_zip_name = 65000;
  if (!first) fail("save_npz: names must differ, got ", in_quotes(name), " twice; rename one");
  if (!stays_inside(name) || name.size() > longest_zip_name || !is_utf8(name))
    fail("save_npz: names must be UTF-8 and point into a folder, got ", in_quotes(name),
         "; rename it");
}

}  // namespace

NamedTensors read_npz(const std::string& path) {
  StoredDTypes stored;
  return read_npz(path, stored);
}

NamedTensors read_npz(const std::string& path, StoredDTypes& stored) {
  const InputFile file("read_npz", path);
  const std::vector<ZipMember> members = zip_members(file);
  std::vector<NpyHeader> headers;
  for (const ZipMember& member : members) headers.push_back(check(file, member));
  NamedTensors result;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string name = members[i].name.substr(0, members[i].name.size() - ending.size());
    note_stored(stored, name, headers[i].layout.element);
    result.emplace_back(name, load(file, members[i], headers[i]));
  }
  return result;
}

void save_npz(const std::string& path, const NamedTensors& tensors) {
  if (tensors.size() > most_entries)
    fail("save_npz: at most ", most_entries, " tensors are read back, got ", tensors.size(),
         "; use several files");
  std::set<std::string> seen;
  for (const auto& [name, tensor] : tensors) {
    check_name(name, seen.insert(name).second);
    if (!tensor.defined())
      fail("save_npz: every name needs a tensor, got an undefined one as ", in_quotes(name),
           "; leave it out");
  }
  ZipWriter archive(path);
  for (const auto& [name, tensor] : tensors) {
    const std::string header = npy_header(tensor.dtype(), tensor.shape());
    with_bytes(tensor, [&, key = name + std::string(ending)](std::span<const std::byte> bytes) {
      archive.add(key, {std::as_bytes(std::span(header)), bytes});
    });
  }
  archive.commit();
}

}  // namespace tapehead::io
