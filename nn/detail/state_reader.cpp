#include "state_reader.h"

#include "few.h"

namespace tapehead::optim::detail {

StateReader::StateReader(std::string whose, const NamedTensors& state) : whose_(std::move(whose)) {
  for (const auto& [name, tensor] : state)
    if (!given_.emplace(name, tensor).second)
      fail(whose_, "; \"", name, "\" is there twice; nothing was loaded");
}

NDArray StateReader::take(const std::string& name, const Shape& shape, DType dtype) {
  const auto found = given_.find(name);
  if (found == given_.end()) return note("missing", name), NDArray();
  const NDArray array = found->second.defined() ? found->second.array() : NDArray();
  given_.erase(found);
  if (!array.defined()) return note("missing", name), NDArray();
  if (array.shape() == shape && array.dtype() == dtype) return array.clone();
  note("unfit", core::to_text(name, " ", array.shape(), " ", core::name(array.dtype()), " for ",
                              shape, " ", core::name(dtype)));
  return NDArray();
}

void StateReader::finish() {
  for (const auto& entry : given_) note("unexpected", entry.first);
  if (!problems_.empty())
    fail(whose_, "; ", nn::detail::few(problems_, "; "), "; nothing was loaded");
}

void StateReader::note(const char* what, const std::string& name) {
  problems_.push_back(core::to_text(what, ": ", name));
}

}  // namespace tapehead::optim::detail
