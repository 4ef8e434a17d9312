#include "tensor_index.h"

#include <limits>
#include <string_view>

namespace tapehead {

indexing::Slice::Slice(std::optional<Index> start, std::optional<Index> stop,
                       std::optional<Index> step)
    : start_(start.value_or(0)),
      stop_(stop.value_or(std::numeric_limits<Index>::max())),
      step_(step.value_or(1)) {
  if (step_ <= 0)
    fail<ShapeError>("Slice: the step must be positive, got ", step_,
                     "; flip() reverses a dimension");
}

TensorIndex::TensorIndex(const char* text) : kind_(Kind::Rest) {
  if (text == nullptr) fail("index: ... got a null text; None is a new dimension");
  if (std::string_view(text) != "...")
    fail("index: the only text that is an index is \"...\", got \"", text, "\"");
}

TensorIndex::TensorIndex(const Tensor& tensor) : kind_(Kind::Elements), tensor_(tensor) {
  if (!tensor.defined())
    fail("index: an index is an undefined tensor (made by Tensor()); ask defined() first");
  if (tensor.dtype() != Int64 && tensor.dtype() != Bool)
    fail<DTypeError>("index: a tensor that is an index must be Int64 or Bool, got ",
                     core::name(tensor.dtype()), "; convert with .to(Int64)");
  if (tensor.dim() > 0) return;
  kind_ = tensor.dtype() == Bool ? Kind::Truth : Kind::Number;
  number_ = tensor.item<Index>();
}

}  // namespace tapehead
