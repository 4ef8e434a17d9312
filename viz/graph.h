// Graph drawings: the ops behind a tensor, for Graphviz (DOT) and for Markdown (Mermaid).
//
//   std::cout << viz::to_dot(viz::graph_behind(loss, model.named_parameters()));
//
//   viz::GraphRecorder recorder;                       // sees more: constants, arguments, modules
//   const Tensor loss = model(x).sum();
//   loss.backward();
//   std::cout << viz::to_mermaid(recorder.graph(model.named_parameters()));
//
// `dot -Tsvg graph.dot > graph.svg` makes a picture of the one; GitHub shows the other in a
// ```mermaid block.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "../autograd/observer.h"

namespace tapehead::viz {

/// A tensor in a drawing, with the op that made it.
struct GraphNode {
  /// Where it comes from: a leaf and a constant have no op, a leaf has a gradient.
  enum class Kind { Leaf, Constant, Op };

  Kind kind;
  std::string title;  // "W_q.weight", "transpose(1, 2)"
  std::string path;   // of the module that ran it
  Shape shape;
  DType dtype;
  std::string value, grad;          // as text, of tensors of at most 8 elements; else ""
  std::vector<std::size_t> inputs;  // among the graph's nodes
};

/// Inputs before what is made from them.
struct Graph {
  std::vector<GraphNode> nodes;
};

/// What the tape knows of how `tensor` came about: the ops that a gradient flows back through, with
/// shapes and gradients. The tape keeps neither constants, nor values, nor module paths; leaves and
/// intermediates among `names` go by their name and show their value. Draw before backward(), which
/// frees the graph, or retain it; of what was freed only its last op is left.
Graph graph_behind(const Tensor& tensor, const NamedTensors& names = {});

/// Draws the forward ops of its thread, whether a gradient flows through them or not, clustered by
/// module. Keeps a handle on all their results until it goes: a view among them counts as a tensor
/// that shares its memory, so that a recorded change in place of that memory is refused meanwhile.
class GraphRecorder : public Observer {
 public:
  /// Tensors among `names` go by their name. Values are those right after the op, gradients those
  /// of now.
  Graph graph(const NamedTensors& names = {}) const;

 private:
  struct Recorded {
    GraphNode node;
    Tensor tensor;
  };

  void before(const OpCall& call) override;
  void after(const OpCall& call, const Tensor& result) override;
  std::size_t index_of(const Tensor& input);

  std::vector<Recorded> recorded_;
  std::unordered_map<const TensorImpl*, std::size_t> latest_;  // what last made a tensor
};

/// In Graphviz's language.
std::string to_dot(const Graph& graph);
/// In Mermaid's, without the fence of a Markdown block.
std::string to_mermaid(const Graph& graph);

}  // namespace tapehead::viz
