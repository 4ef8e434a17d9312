#include <doctest/doctest.h>
#include <tapehead/autograd/create.h>
#include <tapehead/autograd/ops.h>
#include <tapehead/io/npy.h>

#include "../support/cases.h"
#include "../support/folder.h"
#include "../support/hex.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::difference;
using testing::npy_file;
using testing::npy_header;
using testing::packed;

namespace {

Tensor read(const std::string& bytes) {
  const Folder folder;
  return io::read_npy(folder.write("x.npy", bytes));
}

template <class... Numbers>
Tensor read_as(const std::string& descr, Numbers... numbers) {
  return read(npy_file(npy_header(descr, "(" + std::to_string(sizeof...(numbers)) + ",)"),
                       packed(numbers...)));
}

std::string swapped(std::string bytes) {
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

}  // namespace

TEST_CASE("what save_npy writes, read_npy gives back, whatever its shape and dtype") {
  const Folder folder;
  const std::string path = folder.file("x.npy");
  for (const DType dtype : {Bool, Int64, Float32, Float64})
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{3}, Shape{2, 3}, Shape{0}, Shape{2, 0, 3},
                               Shape{1, 2, 1, 2, 1, 1, 2, 1}}) {
      const Tensor x = testing::noise(shape).mul(10).to(dtype);
      io::save_npy(path, x);
      CHECK(difference(io::read_npy(path), x) == "");
    }
  const Tensor x = testing::noise({4, 3}).t();
  io::save_npy(path, x);
  CHECK(difference(io::read_npy(path), x) == "");
}

TEST_CASE("the bytes of an npy file are those that numpy writes") {
  const Folder folder;
  const auto saved = [&](const Tensor& x) {
    io::save_npy(folder.file("x.npy"), x);
    return folder.read("x.npy");
  };
  const auto padded = [](std::string header) {
    header.resize(117, ' ');
    return npy_file(header + '\n');
  };
  CHECK(saved(tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}})) ==
        padded("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }") +
            packed(1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f));
  CHECK(saved(tensor({-2})) ==
        padded("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }") + packed(Index{-2}));
  CHECK(saved(tensor({0.5}, Float64).sum()) ==
        padded("{'descr': '<f8', 'fortran_order': False, 'shape': (), }") + packed(0.5));
  CHECK(saved(tensor({true, false})) ==
        padded("{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }") + "\1" + '\0');
}

TEST_CASE("versions 1.0, 2.0 and 3.0 of npy are read") {
  for (const int version : {1, 2, 3})
    CHECK(difference(read(npy_file(npy_header("<f4", "(2,)"), packed(1.0f, -2.0f), version)),
                     tensor({1.0, -2.0})) == "");
}

TEST_CASE("a header as other programs write it is read") {
  const std::string two = packed(1.0f, -2.0f);
  for (const char* header :
       {"{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"<f4\"}",
        " { 'descr' : '=f4' , 'shape' : ( 2 , ) , 'fortran_order' : False } \n",
        "{'descr':'f4','fortran_order':False,'shape':(2,)}"})
    CHECK(difference(read(npy_file(header, two)), tensor({1.0, -2.0})) == "");
}

TEST_CASE("whole numbers of npy become Int64, floats of two bytes Float32") {
  const Tensor want = tensor({-3, 100, 7});
  CHECK(difference(read_as("|i1", std::int8_t{-3}, std::int8_t{100}, std::int8_t{7}), want) == "");
  CHECK(difference(read_as("<i2", std::int16_t{-3}, std::int16_t{100}, std::int16_t{7}), want) ==
        "");
  CHECK(difference(read_as("<i4", -3, 100, 7), want) == "");
  CHECK(difference(read_as("<i8", Index{-3}, Index{100}, Index{7}), want) == "");
  const Tensor unsigned_want = tensor({200, 0});
  CHECK(difference(read_as("|u1", std::uint8_t{200}, std::uint8_t{0}), unsigned_want) == "");
  CHECK(difference(read_as("<u2", std::uint16_t{200}, std::uint16_t{0}), unsigned_want) == "");
  CHECK(difference(read_as("<u4", 4000000000u), tensor({4000000000})) == "");
  CHECK(difference(read_as("<f8", 0.1, -1e300), tensor({0.1, -1e300}, Float64)) == "");
  CHECK(difference(read_as("|b1", std::uint8_t{1}, std::uint8_t{0}, std::uint8_t{2}),
                   tensor({true, false, true})) == "");
}

TEST_CASE("half precision is read exactly, with its subnormal numbers and infinities") {
  const auto half = [](int bits) { return static_cast<std::uint16_t>(bits); };
  const Tensor x = read_as("<f2", half(11878), half(31743), half(1), half(31744), half(32768),
                           half(15360), half(1023), half(512), half(0xfc00), half(0x8001));
  const Tensor want =
      tensor({0.0999755859375, 65504.0, 5.960464477539063e-08,
              std::numeric_limits<double>::infinity(), -0.0, 1.0, 6.097555160522461e-05,
              3.0517578125e-05, -std::numeric_limits<double>::infinity(), -5.960464477539063e-08});
  CHECK(difference(x, want) == "");
  CHECK(std::signbit(x.array().data<float>()[4]));
  CHECK(std::isnan(read_as("<f2", half(0x7e00)).item()));
}

TEST_CASE("every half-precision number is what its fields say") {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  const Tensor x = read(npy_file(npy_header("<f2", "(65536,)"), testing::packed_list(bits)));
  int wrong = 0;
  for (int i = 0; i < 65536; ++i) {
    const int exponent = i >> 10 & 31, fraction = i & 1023;
    const double size = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                        : exponent == 0 ? std::ldexp(fraction, -24)
                                        : std::ldexp(1024 + fraction, exponent - 25);
    const double got = x.array().data<float>()[i];
    if (std::isnan(size) ? !std::isnan(got) : got != (i >= 32768 ? -size : size)) ++wrong;
  }
  CHECK(wrong == 0);
}

TEST_CASE("big-endian numbers are read as what they are") {
  CHECK(difference(read(npy_file(npy_header(">f4", "(2,)"),
                                 swapped(packed(1.5f)) + swapped(packed(-2.25f)))),
                   tensor({1.5, -2.25})) == "");
  CHECK(difference(read(npy_file(npy_header(">i2", "(1,)"), swapped(packed(std::int16_t{-300})))),
                   tensor({-300})) == "");
  CHECK(difference(read(npy_file(npy_header(">f8", "()"), swapped(packed(0.1)))),
                   tensor({0.1}, Float64).sum()) == "");
}

TEST_CASE("values in Fortran's order come as a transposed view") {
  const Tensor x = read(
      npy_file(npy_header("<i4", "(2, 3, 2)", true), packed(0, 6, 2, 8, 4, 10, 1, 7, 3, 9, 5, 11)));
  CHECK(difference(x, arange(12).view({2, 3, 2})) == "");
  CHECK(x.strides() == Strides{1, 2, 6});
}

TEST_CASE("more values than are read at a time are all read") {
  std::vector<std::int32_t> numbers(100003);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<std::int32_t>(3 * i);
  const Tensor x = read(npy_file(npy_header("<i4", "(100003,)"), testing::packed_list(numbers)));
  CHECK(difference(x, arange(100003).mul(3)) == "");
}

TEST_CASE("save_npy of an undefined tensor is refused") {
  CHECK_THROWS_WITH_AS(
      io::save_npy("x.npy", Tensor()),
      "save_npy: expected a tensor, got an undefined one; there is nothing to write", Error);
}

TEST_CASE("FILE-06: .npy in C order and in Fortran order hold the same logical matrix") {
  const testing::Case c = testing::this_case();
  const Tensor want = testing::to_tensor(c.json.at("expect").at("outputs").at("both"));
  for (const auto& file : c.json.at("expect").at("files_hex").items()) {
    const std::string name = file.key();
    const Tensor x = read(testing::from_hex(file.value()));
    CHECK_MESSAGE(difference(x, want) == "", name);
    CHECK_MESSAGE(
        difference(x, testing::to_tensor(c.json.at("known_wrong").at("flag_ignored"))) != "", name);
  }
}
