#include "gradcheck.h"

#include <array>

#include "../core/random.h"
#include "backward.h"
#include "comparison.h"
#include "create.h"
#include "probe.h"

namespace tapehead {
namespace {

// One element of an output, and what backward says that every target does to it.
struct Row {
  std::size_t output;
  Dims index;
  std::array<std::vector<NDArray>, 2> gradients;  // without create_graph, with
};

std::vector<Row> backward_rows(const Probe& probe) {
  std::vector<Row> rows;
  const std::vector<Tensor> outputs = probe.outputs();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    for (Index i = 0; i < outputs[k].numel(); ++i) {
      NDArray one = NDArray::full(outputs[k].shape(), 0, Float64);
      one.mutable_data<double>()[i] = 1;
      rows.push_back(
          {k,
           core::index_of(outputs[k].shape(), i),
           {probe.gradients(outputs[k], one, false), probe.gradients(outputs[k], one, true)}});
    }
  }
  return rows;
}

std::string entry(const Row& row, const Target& target, Index i) {
  return core::to_text("output ", row.output, " ", row.index, " by ", target.name, " ",
                       core::index_of(target.original.shape(), i));
}

}  // namespace

GradcheckResult gradcheck(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                          const NamedTensors& parameters, const GradcheckOptions& options) {
  Probe probe(f, inputs, parameters);
  const std::vector<Row> rows = backward_rows(probe);
  Comparison comparison(options);
  for (std::size_t t = 0; t < probe.targets().size(); ++t) {
    Target& target = probe.targets()[t];
    for (Index i = 0; i < target.size(); ++i) {
      const std::vector<double> measured = probe.measure(target, i, options.eps);
      for (std::size_t r = 0; r < rows.size(); ++r)
        comparison.add({element(rows[r].gradients[0][t], i), element(rows[r].gradients[1][t], i)},
                       measured[r], [&] { return entry(rows[r], target, i); });
    }
  }
  return comparison.finish();
}

// The gradients of f's outputs, weighted by `incoming`, by all that requires one.
GradcheckResult gradgradcheck(const CheckedFunction& f, const std::vector<Tensor>& inputs,
                              const NamedTensors& parameters, const GradcheckOptions& options) {
  std::vector<Tensor> incoming, wanted;
  NamedTensors all = parameters;
  {
    Probe probe(f, inputs, parameters);
    core::Generator random(0);
    for (const Tensor& output : probe.outputs()) {
      incoming.push_back(Tensor(core::randn(random, output.shape(), Float64)).requires_grad_());
      const std::string number = std::to_string(incoming.size() - 1);
      all.emplace_back("gradient of output " + number, incoming.back());
    }
    for (const Target& target : probe.targets()) wanted.push_back(target.tensor);
  }
  const CheckedFunction gradients = [&](const std::vector<Tensor>& x) {
    std::vector<Tensor> outputs, weights;
    auto weight = incoming.begin();
    for (const Tensor& output : f(x)) {
      if (!core::is_floating(output.dtype())) continue;
      if (output.requires_grad()) outputs.push_back(output), weights.push_back(*weight);
      ++weight;
    }
    std::vector<Tensor> result = autograd::grad(outputs, wanted, weights, true, true, true);
    for (std::size_t i = 0; i < result.size(); ++i)
      if (!result[i].defined()) result[i] = zeros(wanted[i].shape(), Float64);
    return result;
  };
  return gradcheck(gradients, inputs, all, options);
}

}  // namespace tapehead
