#include "graph.h"

#include <algorithm>

#include "../core/print.h"
#include "../core/text.h"

namespace tapehead::viz {
namespace {

constexpr core::Index most_shown = 8;  // elements

// "[[1., 2.], [3., 4.]]", in one line.
std::string small(const Tensor& x) {
  if (!x.defined() || x.numel() > most_shown) return {};
  std::string line;
  for (const char c : core::to_string(x.array())) {
    const char next = c == '\n' ? ' ' : c, last = line.empty() ? '\0' : line.back();
    if (!(next == ' ' && (last == ' ' || last == '['))) line += next;
  }
  return line;
}

const std::pair<std::string, Tensor>* named(const NamedTensors& names, const Node* node) {
  for (const auto& entry : names)
    if (entry.second.defined() && entry.second.node() == node) return &entry;
  return nullptr;
}

GraphNode constant(const Tensor& x) {
  return {GraphNode::Kind::Constant, "constant", "", x.shape(), x.dtype(), small(x), "", {}};
}

// All that `root` links to, itself included, by rising number.
std::vector<Node*> reachable(Node* root) {
  std::vector<Node*> nodes{root};
  std::unordered_map<const Node*, bool> seen{{root, true}};
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::vector<Node*> inputs;
    nodes[i]->list_inputs(inputs);
    for (Node* input : inputs)
      if (seen.emplace(input, true).second) nodes.push_back(input);
  }
  std::stable_sort(nodes.begin(), nodes.end(),
                   [](const Node* a, const Node* b) { return a->number < b->number; });
  return nodes;
}

GraphNode drawn(const Node& node, const Tensor& root, const NamedTensors& names) {
  GraphNode result{node.is_leaf() ? GraphNode::Kind::Leaf : GraphNode::Kind::Op,
                   node.op,
                   "",
                   node.shape,
                   node.dtype,
                   "",
                   small(node.grad),
                   {}};
  if (node.freed) result.title += " (freed)";
  if (const auto* entry = named(names, &node)) {
    result.title = node.is_leaf() ? entry->first : result.title + " = " + entry->first;
    result.value = small(entry->second);
  } else if (root.node() == &node) {
    result.value = small(root);
  }
  return result;
}

std::string title_of(const OpCall& call, const Tensor& result) {
  if (call.arguments.empty() || call.arguments == core::to_text(result.shape())) return call.op;
  return std::string(call.op) + "(" + call.arguments + ")";
}

}  // namespace

Graph graph_behind(const Tensor& tensor, const NamedTensors& names) {
  if (!tensor.node()) return {{constant(tensor)}};
  const std::vector<Node*> nodes = reachable(tensor.node());
  std::unordered_map<const Node*, std::size_t> index;
  Graph graph;
  for (const Node* node : nodes) {
    index[node] = graph.nodes.size();
    graph.nodes.push_back(drawn(*node, tensor, names));
    std::vector<Node*> inputs;
    node->list_inputs(inputs);
    for (const Node* input : inputs) graph.nodes.back().inputs.push_back(index.at(input));
  }
  return graph;
}

// A tensor that no op was seen to make.
std::size_t GraphRecorder::index_of(const Tensor& input) {
  const auto [found, fresh] = latest_.emplace(input.impl(), recorded_.size());
  if (fresh) {
    GraphNode node = constant(input);
    if (input.requires_grad()) node.kind = GraphNode::Kind::Leaf, node.title = input.node()->op;
    recorded_.push_back({std::move(node), input});
  }
  return found->second;
}

// Inputs are read before an op that changes one of them.
void GraphRecorder::before(const OpCall& call) {
  if (*call.within) return;
  for (const Tensor* input : call.inputs) index_of(*input);
}

void GraphRecorder::after(const OpCall& call, const Tensor& result) {
  if (*call.within) return;
  std::vector<std::size_t> inputs;
  for (const Tensor* input : call.inputs) inputs.push_back(index_of(*input));
  latest_[result.impl()] = recorded_.size();
  recorded_.push_back({{GraphNode::Kind::Op, title_of(call, result), module_path(), result.shape(),
                        result.dtype(), small(result), "", std::move(inputs)},
                       result});
}

Graph GraphRecorder::graph(const NamedTensors& names) const {
  Graph graph;
  for (std::size_t i = 0; i < recorded_.size(); ++i) {
    GraphNode node = recorded_[i].node;
    const Tensor& tensor = recorded_[i].tensor;
    const auto entry = std::find_if(names.begin(), names.end(), [&](const auto& e) {
      return e.second.impl() == tensor.impl();
    });
    if (entry != names.end())
      node.title =
          node.kind == GraphNode::Kind::Op ? node.title + " = " + entry->first : entry->first;
    if (latest_.at(tensor.impl()) == i) node.grad = small(tensor.grad());
    graph.nodes.push_back(std::move(node));
  }
  return graph;
}

}  // namespace tapehead::viz
