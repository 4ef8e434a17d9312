// Planted faults: whether the tests would notice if a derivative rule or a value were wrong.
//
// In a build with TAPEHEAD_MUTANTS one fault at a time can be planted in one op, and these
// functions are where: `./go mutants` plants each in turn. In any other build `planted` is false
// and none of them is called. They are defined in tests/mutants/, not in the library.
#pragma once

#include <functional>
#include <vector>

#include "tensor.h"

namespace tapehead::mutation {

#ifdef TAPEHEAD_MUTANTS
inline constexpr bool planted = true;
#else
inline constexpr bool planted = false;
#endif

/// One of an op's derivative rules, while it runs: `group` counts the op's rules, `rule` and
/// `bytes` say where it and what it saved lie.
class Rule {
 public:
  Rule(const char* op, std::size_t group, const void* rule, std::size_t bytes);
  ~Rule();
  Rule(const Rule&) = delete;
  Rule& operator=(const Rule&) = delete;
  /// What the rule makes of the gradient of its k-th input: as it is, scaled or negated.
  static Tensor gradient(Tensor gradient, std::size_t k = 0);
  /// What the rule saved, and the op's output: as it is, or with its elements moved around.
  static const Tensor& saved(const Tensor& tensor, const void* where);
  static const NDArray& saved(const NDArray& array, const void* where);
  static const Tensor& output(const Tensor& tensor);
  /// The sum over what was broadcast from `shape`, or instead the first of its elements.
  static NDArray sum_to(const NDArray& x, const Shape& shape);
};
struct NoRule {
  NoRule(const char*, std::size_t, const void*, std::size_t) {}
};
using RuleScope = std::conditional_t<planted, Rule, NoRule>;

/// An op's value being computed: its arguments, its inputs without a derivative and the result are
/// as they are, or one of them is changed.
class Value {
 public:
  explicit Value(const char* op) : op_(op) {}
  ~Value();
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  template <class T>
  void argument(const T& value);
  void input(const Tensor& tensor);
  NDArray result(NDArray value) const;
  Tensor result(Tensor value) const;  // of an op that is made of others
  std::vector<Tensor> result(std::vector<Tensor> values) const;
  NDArray* result(NDArray* changed) const;  // of an op that works in place

 private:
  template <class T>
  void change(T& what, T to);

  const char* op_;
  std::size_t arguments_ = 0, inputs_ = 0;
  std::vector<std::function<void()>> restore_;
};

}  // namespace tapehead::mutation
