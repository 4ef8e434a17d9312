// Capture: what each module returned, by the module's path.
//
//   lens::Capture capture;                        // or capture({"encoder.0.attn", "head"})
//   model(x);
//   capture["encoder.0.attn"].shape();            // of its latest call
//   for (const auto& outputs : capture.calls("encoder.0.ff")) …
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../autograd/observer.h"

namespace tapehead::lens {

/// Copies off the tape, which no later change in place reaches; or the very tensors that were
/// returned, so that gradients can be asked for: retain_grad(), autograd::grad(). While those are
/// kept, a recorded change in place of memory that they show is refused as it is for any tensor
/// that another shares memory with.
enum class History { Detached, Kept };

/// An observer of its own thread: hears every module that is called on it, whatever the model. A
/// model's own path is "", and that of two models the same.
class Capture : public Observer {
 public:
  /// Only modules at `paths`, or all if there are none.
  explicit Capture(std::vector<std::string> paths = {}, History history = History::Detached)
      : wanted_(std::move(paths)), history_(history) {}

  /// The outputs of each call of the module at `path`, oldest first (for what counts as outputs see
  /// Observer::leave). Error, naming those that were called, if it was not.
  const std::vector<std::vector<Tensor>>& calls(const std::string& path) const;
  /// The first output of its latest call. Error if that had none.
  const Tensor& operator[](const std::string& path) const;
  /// The modules that were called, in the order in which they first returned.
  std::vector<std::string> paths() const;
  void clear() { captured_.clear(); }

 private:
  void leave(const std::vector<Tensor>& outputs) override;

  std::vector<std::string> wanted_;
  History history_;
  std::vector<std::pair<std::string, std::vector<std::vector<Tensor>>>> captured_;
};

}  // namespace tapehead::lens
