// The tape's state in this thread, and how to switch it.
//
//   { NoGradGuard no_grad;  w.sub_(w.grad() * lr); }   // not recorded
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace tapehead {

class Observer;
class Run;
struct Node;

/// One module's call, linked to the call around it.
struct PathFrame {
  const std::string* name;
  const PathFrame* outer;
};

/// Everything the tape keeps per thread, in one trivially made object.
struct Tape {
  std::uint64_t next_number = 1;  // 0 is for leaves
  Observer* observers = nullptr;
  Run* run = nullptr;  // the innermost backward pass
  bool recording = true;
  const char* running = "";         // the op whose rule runs, for messages
  const PathFrame* path = nullptr;  // the modules being called, innermost first
  Node* dead = nullptr;             // awaiting destruction
  bool burying = false;
  std::int64_t live_tensors = 0, live_nodes = 0;
  std::uint64_t visited = 0;
};
inline constinit thread_local Tape tape;

/// Whether ops on inputs that require gradients are being recorded. In a rule: whether somebody
/// wants to differentiate its result; if not, it may take a fused path.
inline bool taping() { return tape.recording; }

/// Recording is set to `on` while this lives.
class GradMode {
 public:
  explicit GradMode(bool on) : before_(std::exchange(tape.recording, on)) {}
  ~GradMode() { tape.recording = before_; }
  GradMode(const GradMode&) = delete;
  GradMode& operator=(const GradMode&) = delete;

 private:
  bool before_;
};
/// Nothing is recorded while this lives: results require no gradient.
struct NoGradGuard : GradMode {
  NoGradGuard() : GradMode(false) {}
};
/// Recording is on again, within a NoGradGuard.
struct EnableGradGuard : GradMode {
  EnableGradGuard() : GradMode(true) {}
};

/// Tensors and tape nodes this thread has made minus those it has destroyed.
inline std::int64_t live_tensors() { return tape.live_tensors; }
inline std::int64_t live_nodes() { return tape.live_nodes; }
/// How many nodes this thread's backward passes have run so far.
inline std::uint64_t nodes_visited() { return tape.visited; }

/// Names the module whose call is running, while this lives.
class ModuleCall {
 public:
  explicit ModuleCall(const std::string& name) : frame_{&name, tape.path} { tape.path = &frame_; }
  ~ModuleCall() { tape.path = frame_.outer; }
  ModuleCall(const ModuleCall&) = delete;
  ModuleCall& operator=(const ModuleCall&) = delete;

 private:
  PathFrame frame_;
};
/// The modules being called, outermost first: "decoder.0.attn.W_q"; unnamed ones are left out.
std::string module_path();

}  // namespace tapehead
