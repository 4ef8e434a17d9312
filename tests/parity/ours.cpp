#include "ours.h"

#include <tapehead/tapehead.h>

#include "row.h"

namespace parity {

Tensor Call::operator[](std::size_t i) const {
  return none(i) ? Tensor() : at(std::get<Operand>(arguments_[i]));
}
std::vector<Tensor> Call::tensors(std::size_t i) const {
  std::vector<Tensor> all;
  for (const Operand x : std::get<Operands>(arguments_[i]))
    all.push_back(x.number < 0 ? Tensor() : at(x));
  return all;
}
Scalar Call::scalar(std::size_t i) const {
  if (const auto* whole_number = std::get_if<Index>(&arguments_[i])) return *whole_number;
  if (const auto* on = std::get_if<bool>(&arguments_[i])) return *on;
  return real(i);
}
std::optional<Scalar> Call::scalar_or_none(std::size_t i) const {
  if (none(i)) return {};
  return scalar(i);
}
Dims Call::dims(std::size_t i) const { return none(i) ? Dims() : Dims(indices(i)); }
std::optional<int> Call::dim_or_none(std::size_t i) const {
  if (none(i)) return {};
  return dim(i);
}

namespace {

Indices to_indices(const Dims& dims) { return {dims.begin(), dims.end()}; }

Numbers values_of(const Tensor& x) {
  const tapehead::NDArray array = x.array().contiguous();
  Numbers values;
  tapehead::core::dispatch(array.dtype(), [&]<class T>() {
    for (Index i = 0; i < array.size(); ++i)
      values.push_back(static_cast<double>(array.data<T>()[i]));
  });
  return values;
}

class Ours final : public Interpreter {
 public:
  int run(const Step& step) override {
    const tapehead::GradMode mode(step.recording);
    tapehead::manual_seed(static_cast<std::uint64_t>(step.first));
    try {
      keep(step, step.row->ours(Call(step.arguments, values_)).list);
    } catch (const tapehead::Error& error) {
      throw Refusal(error.what());
    }
    return results_;
  }

  Reading read(int number) const override {
    const Tensor& x = values_[static_cast<std::size_t>(number)];
    if (!x.defined()) return {};
    return {true,
            x.dtype(),
            to_indices(x.shape()),
            to_indices(x.strides()),
            x.array().offset(),
            x.requires_grad(),
            x.array().storage(),
            values_of(x)};
  }

  bool has(int number) const override {
    return static_cast<std::size_t>(number) < known_.size() &&
           known_[static_cast<std::size_t>(number)];
  }

 private:
  void keep(const Step& step, const std::vector<Tensor>& results) {
    const std::size_t first = static_cast<std::size_t>(step.first);
    if (values_.size() < first + results.size()) {
      values_.resize(first + results.size());
      known_.resize(first + results.size());
    }
    for (std::size_t i = 0; i < results.size(); ++i)
      values_[first + i] = results[i], known_[first + i] = true;
    results_ = static_cast<int>(results.size());
  }

  std::vector<Tensor> values_;
  std::vector<bool> known_;
  int results_ = 0;
};

}  // namespace

std::unique_ptr<Interpreter> make_ours() { return std::make_unique<Ours>(); }

}  // namespace parity
