#include "npy.h"

#include "atomic_file.h"
#include "detail/npy_header.h"
#include "detail/stored.h"
#include "detail/values.h"

namespace tapehead::io {

Tensor read_npy(const std::string& path) {
  StoredDTypes stored;
  return read_npy(path, "", stored);
}

Tensor read_npy(const std::string& path, const std::string& name, StoredDTypes& stored) {
  const InputFile file("read_npy", path);
  const NpyHeader header = read_npy_header(file.subject(), file.from(0), file.size());
  note_stored(stored, name, header.layout.element);
  return decode(header.layout, file.from(header.bytes));
}

void save_npy(const std::string& path, const Tensor& tensor) {
  if (!tensor.defined())
    fail("save_npy: expected a tensor, got an undefined one; there is nothing to write");
  const std::string header = npy_header(tensor.dtype(), tensor.shape());
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(header)));
  with_bytes(tensor, [&](std::span<const std::byte> bytes) { file.write(bytes); });
  file.commit();
}

}  // namespace tapehead::io
