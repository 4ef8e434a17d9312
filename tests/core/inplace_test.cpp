#include <doctest/doctest.h>
#include <tapehead/core/elementwise.h>

#include <cmath>
#include <string>

#include "layouts.h"
using namespace tapehead;
using namespace tapehead::core;

namespace {

// Runs change(target, operand) on every layout of both and compares with f in a plain loop.
template <class Change, class F>
void check_update(DType dtype, Change change, F f) {
  for (const Shape& shape : awkward_shapes()) {
    const NDArray x = cast(scattered(shape, DType::Float64, -9, 9), dtype);
    const NDArray y = cast(scattered(shape, DType::Float64, 8, 1), dtype);
    for (const Layout& operand : layouts(y))
      for (Layout& target : layouts(x)) {
        CAPTURE(target.name);
        CAPTURE(operand.name);
        const auto version = target.array.version();
        change(target.array, operand.array);
        CHECK(target.array.version() == version + 1);
        double worst = 0;
        for (Index i = 0; i < x.size(); ++i)
          worst = std::fmax(worst,
                            std::fabs(element(target.array, i) - f(element(x, i), element(y, i))));
        CHECK(worst <= (dtype == DType::Float32 ? 1e-5 : 1e-13));
      }
  }
}

const DType numeric[] = {DType::Float32, DType::Float64, DType::Int64};

NDArray row(std::initializer_list<double> values) {
  return NDArray::of(values, {static_cast<Index>(values.size())}, DType::Float32);
}

}  // namespace

TEST_CASE("in-place arithmetic equals a plain loop, whatever the layouts") {
  for (const DType dtype : numeric) {
    check_update(
        dtype, [](NDArray& x, const NDArray& y) { add_(x, y); },
        [](double x, double y) { return x + y; });
    check_update(
        dtype, [](NDArray& x, const NDArray& y) { add_(x, y, -3); },
        [](double x, double y) { return x - 3 * y; });
    check_update(
        dtype, [](NDArray& x, const NDArray& y) { sub_(x, y); },
        [](double x, double y) { return x - y; });
    check_update(
        dtype, [](NDArray& x, const NDArray& y) { mul_(x, y); },
        [](double x, double y) { return x * y; });
    check_update(
        dtype, [](NDArray& x, const NDArray&) { add_(x, 5); },
        [](double x, double) { return x + 5; });
    check_update(
        dtype, [](NDArray& x, const NDArray&) { mul_(x, -2); },
        [](double x, double) { return x * -2; });
    if (!is_floating(dtype)) continue;
    check_update(
        dtype, [](NDArray& x, const NDArray& y) { div_(x, y); },
        [](double x, double y) { return x / y; });
    check_update(
        dtype, [](NDArray& x, const NDArray&) { div_(x, 8); },
        [](double x, double) { return x / 8; });
  }
}

TEST_CASE("copy_, fill_ and masked_fill_ take every dtype and layout") {
  for (const DType dtype : {DType::Float32, DType::Float64, DType::Int64, DType::Bool}) {
    check_update(
        dtype, [](NDArray& x, const NDArray& y) { copy_(x, y); },
        [](double, double y) { return y; });
    check_update(
        dtype, [](NDArray& x, const NDArray& y) { copy_(x, cast(y, DType::Float64)); },
        [](double, double y) { return y; });
    check_update(
        dtype, [](NDArray& x, const NDArray&) { fill_(x, 1); }, [](double, double) { return 1; });
    check_update(
        dtype, [](NDArray& x, const NDArray& y) { masked_fill_(x, gt(y, 1), 1); },
        [](double x, double y) { return y > 1 ? 1 : x; });
  }
}

TEST_CASE("the other operand broadcasts to the target, never the target") {
  NDArray x = NDArray::of({1, 2, 3, 4, 5, 6}, {2, 3}, DType::Float32);
  add_(x, row({10, 20, 30}));
  mul_(x, NDArray::of({1, 2}, {2, 1}, DType::Float32));
  CHECK(elements(x) == std::vector<double>{11, 22, 33, 28, 50, 72});
  copy_(x, NDArray::full({}, 7, DType::Float32));
  CHECK(elements(x) == std::vector<double>(6, 7));
  NDArray small = row({1, 2, 3});
  CHECK_THROWS_WITH_AS(add_(small, x),
                       "add_: cannot expand (2, 3) to (3); sizes must be equal or 1, counted from "
                       "the last dimension",
                       ShapeError);
}

TEST_CASE("a target whose elements share memory is refused") {
  const NDArray base = row({1, 2, 3});
  NDArray x = base.unsqueeze(0).expand({2, 3});
  const auto text = [](const std::string& op) {
    return op +
           ": elements of the target, of shape (2, 3) and strides (0, 1), share memory; clone() it "
           "first";
  };
  CHECK_THROWS_WITH_AS(add_(x, base), text("add_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(add_(x, base, 2), text("add_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(mul_(x, 2), text("mul_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(copy_(x, base), text("copy_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(fill_(x, 1), text("fill_").c_str(), ShapeError);
  CHECK_THROWS_WITH_AS(masked_fill_(x, eq(base, 1), 1), text("masked_fill_").c_str(), ShapeError);
  CHECK(elements(base) == std::vector<double>{1, 2, 3});
}

TEST_CASE("an operand that shares the target's memory is read first") {
  NDArray x = NDArray::of({1, 2, 3, 4}, {2, 2}, DType::Float64);
  add_(x, x.transpose(0, 1));
  CHECK(elements(x) == std::vector<double>{2, 5, 5, 8});
  add_(x, x.select(0, 0), 10);
  CHECK(elements(x) == std::vector<double>{22, 55, 25, 58});
  mul_(x, x);
  CHECK(elements(x) == std::vector<double>{484, 3025, 625, 3364});

  NDArray line = row({1, 2, 3, 4, 5});
  NDArray tail = line.narrow(0, 1, 4);
  copy_(tail, line.narrow(0, 0, 4));
  CHECK(elements(line) == std::vector<double>{1, 1, 2, 3, 4});
  NDArray head = line.narrow(0, 0, 4);
  add_(head, line.narrow(0, 1, 4));
  CHECK(elements(line) == std::vector<double>{2, 3, 5, 7, 4});

  NDArray bits = NDArray::of({1, 0, 0, 1}, {2, 2}, DType::Bool);
  masked_fill_(bits, bits.select(0, 0), 1);
  CHECK(elements(bits) == std::vector<double>{1, 0, 1, 1});
}

TEST_CASE("a refused change changes nothing, not even the version") {
  NDArray x = row({1, 2, 3});
  NDArray whole = NDArray::full({2}, 3, DType::Int64);
  const auto version = x.version(), whole_version = whole.version();
  CHECK_THROWS_WITH_AS(
      add_(x, row({1, 2})),
      "add_: cannot expand (2) to (3); sizes must be equal or 1, counted from the last dimension",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      add_(x, row({1, 2}), 2),
      "add_: cannot expand (2) to (3); sizes must be equal or 1, counted from the last dimension",
      ShapeError);
  CHECK_THROWS_WITH_AS(
      copy_(x, row({1, 2})),
      "copy_: cannot expand (2) to (3); sizes must be equal or 1, counted from the last dimension",
      ShapeError);
  CHECK_THROWS_WITH_AS(masked_fill_(x, NDArray::full({2}, 1, DType::Bool), 0),
                       "masked_fill_: cannot expand (2) to (3); sizes must be equal or 1, counted "
                       "from the last dimension",
                       ShapeError);
  CHECK_THROWS_WITH_AS(
      mul_(x, whole),
      "mul_: dtypes Float32 and Int64 differ; convert one of them, for example with .to(Float32)",
      DTypeError);
  CHECK_THROWS_WITH_AS(fill_(whole, 0.5, "fill_"),
                       "fill_: the scalar 0.5 is not a whole number that Int64 holds; convert with "
                       ".to(Float32) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(add_(whole, whole, 0.5),
                       "add_: the scalar 0.5 is not a whole number that Int64 holds; convert with "
                       ".to(Float32) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(masked_fill_(whole, NDArray::full({2}, 1, DType::Bool), 0.5),
                       "masked_fill_: the scalar 0.5 is not a whole number that Int64 holds; "
                       "convert with .to(Float32) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(div_(whole, 2),
                       "div_: Int64 / Int64 has no Int64 result; convert with .to(Float32) first",
                       DTypeError);
  CHECK_THROWS_WITH_AS(div_(whole, whole),
                       "div_: Int64 / Int64 has no Int64 result; convert with .to(Float32) first",
                       DTypeError);
  CHECK(x.version() == version);
  CHECK(whole.version() == whole_version);
  CHECK(elements(x) == std::vector<double>{1, 2, 3});
}

TEST_CASE("a change names its writer") {
  NDArray x = row({1, 2, 3});
  add_(x, 1, "adam");
  CHECK(std::string(x.writer()) == "adam");
  copy_(x, row({0, 0, 0}));
  CHECK(std::string(x.writer()) == "copy_");
  CHECK_THROWS_WITH_AS(sub_(x, NDArray::full({3}, 1, DType::Int64), "sgd"),
                       "sgd: dtypes Float32 and Int64 differ; convert one of them, for example "
                       "with .to(Float32)",
                       DTypeError);
}
