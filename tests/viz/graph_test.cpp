#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/nn/attention.h>
#include <tapehead/nn/linear.h>
#include <tapehead/viz/graph.h>

#include <algorithm>
#include <thread>

using namespace tapehead;
using viz::Graph;
using viz::graph_behind;
using viz::GraphNode;
using viz::GraphRecorder;

namespace {

using Kind = GraphNode::Kind;

std::vector<std::string> titles(const Graph& graph) {
  std::vector<std::string> result;
  for (const GraphNode& node : graph.nodes) result.push_back(node.title);
  return result;
}
using Titles = std::vector<std::string>;

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++found;
  return found;
}

}  // namespace

TEST_CASE(
    "the graph behind a tensor has ops and leaves, with shapes, names, values and gradients") {
  const Tensor x = tensor({1., 2.}).requires_grad_(), w = tensor({3., 4.}).requires_grad_();
  const Tensor y = sum(x * w);
  y.backward({}, true);
  const Graph graph = graph_behind(y, {{"x", x}});
  CHECK(titles(graph) == Titles{"x", "leaf", "mul", "sum"});
  CHECK(graph.nodes[0].kind == Kind::Leaf);
  CHECK(graph.nodes[0].value == "[1., 2.]");
  CHECK(graph.nodes[0].grad == "[3., 4.]");
  CHECK(graph.nodes[1].value == "");
  CHECK(graph.nodes[1].grad == "[1., 2.]");
  CHECK(graph.nodes[2].kind == Kind::Op);
  CHECK(graph.nodes[2].shape == Shape{2});
  CHECK(graph.nodes[3].value == "11.");
  CHECK(graph.nodes[3].inputs == std::vector<std::size_t>{2});
  CHECK(graph.nodes[2].inputs == std::vector<std::size_t>{0, 1});
}

TEST_CASE("an op that uses one tensor twice has two edges from it") {
  const Tensor x = tensor({1.}).requires_grad_();
  const Graph graph = graph_behind(x * x);
  CHECK(graph.nodes[1].inputs == std::vector<std::size_t>{0, 0});
}

TEST_CASE("of a graph that backward freed the last op is left, and a constant stands alone") {
  const Tensor x = tensor({1.}).requires_grad_(), y = sum(x * 2);
  y.backward();
  CHECK(titles(graph_behind(y)) == Titles{"sum (freed)"});
  const Graph constant = graph_behind(tensor({1., 2.}));
  CHECK(titles(constant) == Titles{"constant"});
  CHECK(constant.nodes[0].kind == Kind::Constant);
}

TEST_CASE("intermediates among the names go by them too") {
  const Tensor x = tensor({2.}).requires_grad_(), y = x * 3;
  const Graph graph = graph_behind(sum(y), {{"x", x}, {"tripled", y}});
  CHECK(titles(graph) == Titles{"x", "mul = tripled", "sum"});
  CHECK(graph.nodes[1].value == "[6.]");
}

TEST_CASE("a long chain and many meetings are drawn without recursion, each node once") {
  Tensor y = tensor({1.}).requires_grad_();
  for (int i = 0; i < 100'000; ++i) y = y + y;
  const Graph graph = graph_behind(y);
  CHECK(graph.nodes.size() == 100'001);
}

TEST_CASE("a recorder sees constants, arguments and modules, and gradients that came later") {
  struct Block : nn::Layer<Block> {
    Block() : linear(2, 1) { add("linear", linear); }
    Tensor forward(const Tensor& x) { return linear(x.transpose(0, 1)) * 2; }
    nn::Linear linear;
  } block;
  const Tensor x = ones({2, 1});
  GraphRecorder recorder;
  const Tensor y = sum(block(x));
  y.backward();
  const Graph graph = recorder.graph(block.named_parameters());
  CHECK(titles(graph) == Titles{"constant", "transpose(0, 1)", "linear.weight", "linear.bias",
                                "linear", "mul(2)", "sum"});
  CHECK(graph.nodes[0].value == "[[1.], [1.]]");
  CHECK(graph.nodes[2].grad == "[[2., 2.]]");
  CHECK(graph.nodes[2].kind == Kind::Leaf);
  CHECK(graph.nodes[4].path == "linear");
  CHECK(graph.nodes[5].path == "");
  CHECK(graph.nodes[4].inputs == std::vector<std::size_t>{1, 2, 3});
}

TEST_CASE("a recorder draws a change in place as an op, with the values before and after") {
  Tensor x = tensor({1., 2.});
  GraphRecorder recorder;
  x.add_(1);
  const Tensor y = x * 2;
  const Graph graph = recorder.graph({{"y", y}});
  CHECK(titles(graph) == Titles{"constant", "add_(1)", "mul(2) = y"});
  CHECK(graph.nodes[2].inputs == std::vector<std::size_t>{1});
  CHECK(graph.nodes[0].value == "[1., 2.]");
  CHECK(graph.nodes[1].value == "[2., 3.]");
}

TEST_CASE("values and gradients of more than eight elements are left out") {
  GraphRecorder recorder;
  const Tensor y = exp(zeros({9})), z = exp(zeros({8}));
  const Graph graph = recorder.graph();
  CHECK(graph.nodes[1].value == "");
  CHECK(graph.nodes[3].value == "[1., 1., 1., 1., 1., 1., 1., 1.]");
}

TEST_CASE("a recorder hears its own thread alone, and lets go of all when it goes") {
  const auto tensors = live_tensors();
  {
    GraphRecorder recorder;
    std::thread([] { exp(zeros({1})); }).join();
    CHECK(recorder.graph().nodes.empty());
    exp(zeros({1}));
    CHECK(live_tensors() > tensors);
  }
  CHECK(live_tensors() == tensors);
}

TEST_CASE("DOT: a box for each op, rounded leaves, dashed constants, a cluster for each module") {
  struct Net : nn::Layer<Net> {
    Net() : fc(1, 1, false) { add("fc", fc); }
    Tensor forward(const Tensor& x) { return fc(x); }
    nn::Linear fc;
  } net;
  net.fc.weight.set_data(NDArray::full({1, 1}, 3, Float32));
  GraphRecorder recorder;
  net(tensor({{2.}}));
  CHECK(to_dot(recorder.graph({{"a \"w\"", net.fc.weight}})) ==
        "digraph {\n"
        "  node [shape=box, fontname=\"monospace\"];\n"
        "  n0 [label=\"constant\\n(1, 1) Float32\\n[[2.]]\", style=\"dashed,rounded\"];\n"
        "  n1 [label=\"a \\\"w\\\"\\n(1, 1) Float32\\n[[3.]]\", style=\"filled,rounded\", "
        "fillcolor=\"#cfe8cf\"];\n"
        "  subgraph cluster_0 {\n"
        "    label=\"fc\";\n"
        "    n2 [label=\"linear\\n(1, 1) Float32\\n[[6.]]\"];\n"
        "  }\n"
        "  n0 -> n2;\n"
        "  n1 -> n2;\n"
        "}\n");
}

TEST_CASE("Mermaid: the same as a flowchart, with its own escapes") {
  const Tensor x = tensor({1., 2.}).requires_grad_();
  CHECK(to_mermaid(graph_behind(x * 2, {{"<x>", x}})) ==
        "flowchart TD\n"
        "  n0([\"#lt;x#gt;<br/>(2) Float32<br/>[1., 2.]\"])\n"
        "  n1[\"mul<br/>(2) Float32<br/>[2., 4.]\"]\n"
        "  n0 --> n1\n");
}

TEST_CASE("DOT and Mermaid show a gradient below the value that it belongs to") {
  const Tensor x = tensor({1., 2.}).requires_grad_();
  const Tensor y = sum(x * 2);
  y.backward({}, true);
  const Graph graph = graph_behind(y, {{"x", x}});
  CHECK(to_dot(graph) ==
        "digraph {\n"
        "  node [shape=box, fontname=\"monospace\"];\n"
        "  n0 [label=\"x\\n(2) Float32\\n[1., 2.]\\ngrad [2., 2.]\", style=\"filled,rounded\", "
        "fillcolor=\"#cfe8cf\"];\n"
        "  n1 [label=\"mul\\n(2) Float32\"];\n"
        "  n2 [label=\"sum\\n() Float32\\n6.\"];\n"
        "  n0 -> n1;\n"
        "  n1 -> n2;\n"
        "}\n");
  CHECK(to_mermaid(graph) ==
        "flowchart TD\n"
        "  n0([\"x<br/>(2) Float32<br/>[1., 2.]<br/>grad [2., 2.]\"])\n"
        "  n1[\"mul<br/>(2) Float32\"]\n"
        "  n2[\"sum<br/>() Float32<br/>6.\"]\n"
        "  n0 --> n1\n"
        "  n1 --> n2\n");
}

TEST_CASE("clusters of attention nest as its modules do, each once") {
  struct Outer : nn::Layer<Outer> {
    Outer() : attn(4, 2, 0.0) { add("attn", attn); }
    Tensor forward(const Tensor& x) { return attn(x, x, x); }
    nn::MultiHeadAttention attn;
  } outer;
  GraphRecorder recorder;
  outer(randn({1, 2, 4}));
  const std::string dot = to_dot(recorder.graph(outer.named_parameters()));
  for (const char* name : {"attn", "W_q", "W_k", "W_v", "W_o"})
    CHECK(count(dot, "label=\"" + std::string(name) + "\";") == 1);
  CHECK(count(dot, "subgraph") == 5);
  CHECK(count(dot, "{") == count(dot, "}"));
  const std::string mermaid = to_mermaid(recorder.graph());
  CHECK(count(mermaid, "subgraph") == 5);
  CHECK(count(mermaid, "end\n") == 5);
}
