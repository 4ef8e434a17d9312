#include "capture.h"

#include <algorithm>

namespace tapehead::lens {
namespace {

std::string listed(const std::vector<std::string>& paths) {
  std::string text;
  for (const std::string& path : paths) text += (text.empty() ? "\"" : ", \"") + path + "\"";
  return text.empty() ? "none was" : text + " were";
}

Tensor copy(const Tensor& x) { return x.defined() ? Tensor(x.array().clone()) : x; }

}  // namespace

void Capture::leave(const std::vector<Tensor>& outputs) {
  const std::string path = module_path();
  if (!wanted_.empty() && std::find(wanted_.begin(), wanted_.end(), path) == wanted_.end()) return;
  auto entry = std::find_if(captured_.begin(), captured_.end(),
                            [&](const auto& e) { return e.first == path; });
  if (entry == captured_.end()) entry = captured_.insert(entry, {path, {}});
  std::vector<Tensor> kept = outputs;
  if (history_ == History::Detached) std::transform(kept.begin(), kept.end(), kept.begin(), copy);
  entry->second.push_back(std::move(kept));
}

const std::vector<std::vector<Tensor>>& Capture::calls(const std::string& path) const {
  for (const auto& entry : captured_)
    if (entry.first == path) return entry.second;
  fail("Capture: no module at \"", path, "\" was called and captured; ", listed(paths()));
}

const Tensor& Capture::operator[](const std::string& path) const {
  const std::vector<Tensor>& outputs = calls(path).back();
  if (outputs.empty())
    fail("Capture: the latest call of \"", path,
         "\" returned no tensor, nor a vector, array, pair or tuple of any");
  return outputs.front();
}

std::vector<std::string> Capture::paths() const {
  std::vector<std::string> result;
  for (const auto& entry : captured_) result.push_back(entry.first);
  return result;
}

}  // namespace tapehead::lens
