#include "batches.h"

#include <algorithm>
#include <memory>
#include <numeric>

namespace tapehead::train {
namespace {

class Epochs {
 public:
  Epochs(core::Generator random, Index count, Index size)
      : random_(random), count_(count), size_(size) {
    if (count < 1 || size < 1)
      fail("in_epochs: count and size must be at least 1, got ", count, " and ", size);
    begin();
  }

  std::vector<Index> next() {
    if (place_ == count_) begin();
    const Index end = place_ + std::min(size_, count_ - place_);
    const std::vector<Index> result(order_.begin() + place_, order_.begin() + end);
    place_ = end;
    return result;
  }

  std::string state() const { return core::to_text("place ", place_, " of ", count_, " ", start_); }

  void set_state(const std::string& state) {
    Epochs other = *this;
    std::istringstream in(state);
    in.imbue(std::locale::classic());
    std::string word, of, rest;
    Index count = 0;
    in >> word >> other.place_ >> of >> count;
    in.get();
    std::getline(in, rest);
    if (!in || count != count_ || other.place_ < 0 || other.place_ > count_)
      fail("in_epochs: expected a state of batches of ", count_, " examples, got \"",
           state.substr(0, 40), state.size() > 40 ? "…" : "", "\"");
    const Index place = other.place_;
    other.random_.set_state(rest);
    other.begin();
    other.place_ = place;
    if (other.state() != state)
      fail("in_epochs: expected a text made by state(), got \"", state.substr(0, 40), "…\"");
    *this = std::move(other);
  }

 private:
  void begin() {
    start_ = random_.state();
    const NDArray order = core::randperm(random_, count_);
    order_.assign(order.data<Index>(), order.data<Index>() + count_);
    place_ = 0;
  }

  core::Generator random_;
  Index count_, size_, place_ = 0;
  std::string start_;  // the generator's state before the order was drawn
  std::vector<Index> order_;
};

}  // namespace

Batches drawn(core::Generator random, std::function<data::Batch(core::Generator&)> draw) {
  const auto generator = std::make_shared<core::Generator>(random);
  return {[generator, draw = std::move(draw)] { return draw(*generator); },
          [generator] { return generator->state(); },
          [generator](const std::string& state) { generator->set_state(state); }};
}

Batches in_epochs(core::Generator random, Index count, Index size,
                  std::function<data::Batch(const std::vector<Index>&)> at) {
  const auto epochs = std::make_shared<Epochs>(random, count, size);
  return {[epochs, at = std::move(at)] { return at(epochs->next()); },
          [epochs] { return epochs->state(); },
          [epochs](const std::string& state) { epochs->set_state(state); }};
}

}  // namespace tapehead::train
