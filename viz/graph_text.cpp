// Graphs as DOT and Mermaid.
#include <functional>
#include <map>

#include "../core/text.h"
#include "graph.h"

namespace tapehead::viz {
namespace {

using Kind = GraphNode::Kind;

// Modules, each with what it ran and the modules in it; in the order of their first op.
struct Cluster {
  std::string name;
  std::vector<std::size_t> nodes;
  std::vector<Cluster> parts;

  Cluster& part(const std::string& part_name) {
    for (Cluster& p : parts)
      if (p.name == part_name) return p;
    parts.push_back({part_name, {}, {}});
    return parts.back();
  }
};

Cluster clusters(const Graph& graph) {
  Cluster root;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    Cluster* at = &root;
    const std::string& path = graph.nodes[i].path;
    for (std::size_t begin = 0; begin < path.size();) {
      const std::size_t end = std::min(path.find('.', begin), path.size());
      at = &at->part(path.substr(begin, end - begin));
      begin = end + 1;
    }
    at->nodes.push_back(i);
  }
  return root;
}

std::string replaced(const std::string& text, const std::map<char, const char*>& by) {
  std::string result;
  for (const char c : text) {
    const auto found = by.find(c);
    if (found == by.end())
      result += c;
    else
      result += found->second;
  }
  return result;
}

std::string in_dot(const std::string& text) {
  const std::string safe = replaced(text, {{'"', "\\\""}, {'\\', "\\\\"}, {'\n', "\\n"}});
  return core::to_text('"', safe, '"');
}
std::string in_mermaid(const std::string& text) {
  const std::string safe = replaced(
      text, {{'"', "#quot;"}, {'#', "#35;"}, {'<', "#lt;"}, {'>', "#gt;"}, {'\n', "<br/>"}});
  return core::to_text('"', safe, '"');
}

std::string label(const GraphNode& node) {
  std::string text = node.title + core::to_text("\n", node.shape, " ", core::name(node.dtype));
  if (!node.value.empty()) text += "\n" + node.value;
  if (!node.grad.empty()) text += "\ngrad " + node.grad;
  return text;
}

const char* dot_style(Kind kind) {
  if (kind == Kind::Leaf) return ", style=\"filled,rounded\", fillcolor=\"#cfe8cf\"";
  if (kind == Kind::Constant) return ", style=\"dashed,rounded\"";
  return "";
}

void dot(const Graph& graph, const Cluster& cluster, const std::string& indent, int& serial,
         std::ostream& out) {
  for (const std::size_t i : cluster.nodes)
    out << indent << "n" << i << " [label=" << in_dot(label(graph.nodes[i]))
        << dot_style(graph.nodes[i].kind) << "];\n";
  for (const Cluster& part : cluster.parts) {
    out << indent << "subgraph cluster_" << serial++ << " {\n"
        << indent << "  label=" << in_dot(part.name) << ";\n";
    dot(graph, part, indent + "  ", serial, out);
    out << indent << "}\n";
  }
}

void mermaid(const Graph& graph, const Cluster& cluster, const std::string& indent, int& serial,
             std::ostream& out) {
  for (const std::size_t i : cluster.nodes) {
    const bool op = graph.nodes[i].kind == Kind::Op;
    out << indent << "n" << i << (op ? "[" : "([") << in_mermaid(label(graph.nodes[i]))
        << (op ? "]" : "])") << "\n";
  }
  for (const Cluster& part : cluster.parts) {
    out << indent << "subgraph m" << serial++ << "[" << in_mermaid(part.name) << "]\n";
    mermaid(graph, part, indent + "  ", serial, out);
    out << indent << "end\n";
  }
}

void edges(const Graph& graph, const char* arrow, const char* end, std::ostream& out) {
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const std::size_t input : graph.nodes[i].inputs)
      out << "  n" << input << arrow << "n" << i << end;
}

}  // namespace

std::string to_dot(const Graph& graph) {
  core::TextStream out;
  int serial = 0;
  out << "digraph {\n  node [shape=box, fontname=\"monospace\"];\n";
  dot(graph, clusters(graph), "  ", serial, out);
  edges(graph, " -> ", ";\n", out);
  out << "}\n";
  return out.str();
}

std::string to_mermaid(const Graph& graph) {
  core::TextStream out;
  int serial = 0;
  out << "flowchart TD\n";
  mermaid(graph, clusters(graph), "  ", serial, out);
  edges(graph, " --> ", "\n", out);
  return out.str();
}

}  // namespace tapehead::viz
