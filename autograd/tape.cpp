#include "tape.h"

#include "node.h"

namespace tapehead {

std::string module_path() {
  std::string path;
  for (const PathFrame* frame = tape.path; frame; frame = frame->outer) {
    if (frame->name->empty()) continue;
    path = path.empty() ? *frame->name : *frame->name + "." + path;
  }
  return path;
}

// A node's rules hold tensors that hold nodes: rather than recurse once an op, the dead queue up.
void destroy(Node* node) noexcept {
  node->next_dead = std::exchange(tape.dead, node);
  if (std::exchange(tape.burying, true)) return;
  while (Node* next = tape.dead) {
    tape.dead = next->next_dead;
    delete next;
  }
  tape.burying = false;
}

}  // namespace tapehead
