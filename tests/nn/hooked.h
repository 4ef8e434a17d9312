// Modules that the tests of hooks call, and what hooks are shown.
#pragma once

#include <tapehead/nn/module.h>

#include <utility>
#include <vector>

#include "../support/compare.h"
#include "../support/leaf.h"

namespace tapehead::testing {

using nn::Layer;
using nn::Module;
using nn::Tensors;

struct Times : Layer<Times> {
  Tensor forward(const Tensor& a, const Tensor& b) { return a * b; }
};
// Two results of two inputs.
struct Both : Layer<Both> {
  std::pair<Tensor, Tensor> forward(const Tensor& a, const Tensor& b) { return {a * b, a + b}; }
};
struct Tripled : Layer<Tripled> {
  Tensor forward(const Tensor& x) { return x * 3; }
};

// What a backward hook was shown; undefined gradients are empty.
struct Shown {
  std::vector<std::vector<Values>> calls;  // grad_input, grad_output, grad_input, …
  auto hook() {
    return [this](Module&, const Tensors& grad_input, const Tensors& grad_output) {
      calls.push_back(all(grad_input));
      calls.push_back(all(grad_output));
    };
  }
  static std::vector<Values> all(const Tensors& tensors) {
    std::vector<Values> result;
    for (const Tensor& x : tensors) result.push_back(x.defined() ? values(x) : Values());
    return result;
  }
};
using Calls = std::vector<std::vector<Values>>;

}  // namespace tapehead::testing
