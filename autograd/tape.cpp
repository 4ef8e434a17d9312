#include "tape.h"

#include "record.h"

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

void Saved::report_change(const NDArray& now, std::uint32_t then, const Node* source) {
  fail<GraphError>(tape.running, ": it saved a tensor of shape ", now.shape(), " (",
                   source ? source->op : "constant", ") at version ", then, ", now ", now.version(),
                   " because ", now.writer(),
                   " changed it in place; clone() it first, or change it after backward()");
}

void detail::check_target(const char* op, const Tensor& self) {
  if (!self.defined())
    fail(op, ": the tensor to change is undefined (made by Tensor(), or a gradient that is not ",
         "there); ask defined() first");
}

void detail::succeed(Tensor& self, Ref<Node> node) {
  if (Node* before = self.node(); before && before->collects) {
    node->collects = std::exchange(before->collects, false);
    node->grad = std::exchange(before->grad, {});
  }
  self.impl()->node = std::move(node);
}

// What gives the result of an in-place op without changing anything.
static std::string alternative(const std::string& op) {
  if (op == "copy_") return "the source in its place";
  const std::string name = op == "fill_"      ? "full_like"
                           : op == "zero_"    ? "zeros_like"
                           : op == "uniform_" ? "rand_like"
                           : op == "normal_"  ? "randn_like"
                           : op == "random_"  ? "randint"
                                              : op.substr(0, op.size() - 1);
  return name + ", which makes a new tensor";
}

void detail::check_in_place(const char* op, const Tensor& self) {
  if (self.requires_grad() && self.is_leaf())
    fail<GraphError>(op,
                     ": a leaf that requires a gradient cannot be changed in place while ops "
                     "are recorded; use a NoGradGuard, or ",
                     alternative(op));
  if (self.array().storage()->tensors > 1)
    fail<GraphError>(op, ": another tensor shares the memory of this one, ", self.shape(),
                     ", and would miss the gradient; use ", alternative(op), ", or clone() first");
}

}  // namespace tapehead
