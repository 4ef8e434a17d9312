#include <doctest/doctest.h>
#include <tapehead/io/npy.h>

#include "../support/refusals.h"
#include "../support/weight_bytes.h"

using namespace tapehead;
using testing::npy_file;
using testing::npy_header;
using testing::packed;

namespace {

const std::string four(16, '\0');  // values of four floats

std::string with_descr(const std::string& descr) {
  return npy_file(npy_header(descr, "(4,)"), four);
}
std::string with_shape(const std::string& shape) {
  return npy_file(npy_header("<f4", shape), four);
}

}  // namespace

TEST_CASE("an npy file that is cut off or of another kind is refused") {
  const std::string good = with_shape("(4,)");
  testing::check_refusals(
      {{"", "it has 0 bytes, too few for a .npy file"},
       {"\x93NUMPY\1", "it has 7 bytes, too few for a .npy file"},
       {"\x93NUMPZ" + good.substr(6), "it does not begin with \\x93NUMPY, as .npy does"},
       {"\x93NUMPY" + std::string{4, 0} + good.substr(8),
        "byte 6: version 4.0 is unknown; 1.0, 2.0 and 3.0 are read"},
       {"\x93NUMPY" + std::string{1, 1} + good.substr(8),
        "byte 6: version 1.1 is unknown; 1.0, 2.0 and 3.0 are read"},
       {std::string("\x93NUMPY\2\0\1\1", 10), "it has 10 bytes, too few for a .npy file"},
       {good.substr(0, 30), "byte 8: a header of 58 bytes, where 20 are left"},
       {good.substr(0, good.size() - 1),
        "shape (4) of 4-byte elements needs 16 bytes of values, got 15"},
       {good + "x", "shape (4) of 4-byte elements needs 16 bytes of values, got 17"},
       {npy_file(npy_header("<f4", "(4,)"), four, 2).replace(8, 4, 4, '\xff'),
        "byte 8: a header of 4294967295 bytes, where 74 are left"},
       {npy_file(std::string(70000, ' '), four, 3),
        "byte 8: a header of 70000 bytes; at most 65535 are read"}},
      "read_npy", io::read_npy);
}

TEST_CASE("an npy header that is not the dictionary it should be is refused") {
  testing::check_refusals(
      {{npy_file("", four), "its header should go on with \"{\", got \"\""},
       {npy_file("{}", four), "its header has no 'descr'"},
       {npy_file("{'descr': '<f4', 'fortran_order': False}", four), "its header has no 'shape'"},
       {npy_file("{'shape': (4,), 'descr': '<f4'}", four), "its header has no 'fortran_order'"},
       {npy_file("{'shape': (4,), 'shape': (4,)}", four), "its header has 'shape' twice"},
       {npy_file("{'descr': '<f4', 'order': False}", four),
        "its header has a key \"order\"; it should have 'descr', 'fortran_order' and 'shape' "
        "alone"},
       {npy_file("{'descr': '<f4' 'shape': (4,)}", four),
        "its header should go on with \"}\", got \"'shape': (4,)}\""},
       {npy_file("{'descr: <f4}", four),
        "its header should go on with a word in quotes, got \"'descr: <f4}\""},
       {npy_file("{descr: '<f4'}", four),
        "its header should go on with a word in quotes, got \"descr: '<f4'}\""},
       {npy_file("{'fortran_order': 0}", four),
        "its header should go on with True or False, got \"0}\""},
       {npy_file("{'descr': __import__('os').system('id')}", four),
        "its header should go on with a word in quotes, got \"__import__('os').sys\""},
       {npy_file(npy_header("<f4", "(4,)") + "x", four),
        "its header should go on with nothing more, got \"x\""},
       {npy_file("{'descr'", four), "its header should go on with \":\", got \"\""}},
      "read_npy", io::read_npy);
}

TEST_CASE("an npy shape that its values do not have is refused") {
  testing::check_refusals(
      {{with_shape("(5,)"), "shape (5) of 4-byte elements needs 20 bytes of values, got 16"},
       {with_shape("(3,)"), "shape (3) of 4-byte elements needs 12 bytes of values, got 16"},
       {with_shape("()"), "shape () of 4-byte elements needs 4 bytes of values, got 16"},
       {with_shape("(0,)"), "shape (0) of 4-byte elements needs 0 bytes of values, got 16"},
       {with_shape("(-4,)"), "its header should go on with a size, got \"-4,), }\\x0a\""},
       {with_shape("(4)"), "its header should go on with a tuple: (3,), not (3), got \", }\\x0a\""},
       {with_shape("4"), "its header should go on with \"(\", got \"4, }\\x0a\""},
       {with_shape("(4 4)"), "its header should go on with \")\", got \"4), }\\x0a\""},
       {with_shape("(4,,)"), "its header should go on with a size, got \",), }\\x0a\""},
       {with_shape("(4.0,)"), "its header should go on with \")\", got \".0,), }\\x0a\""},
       {with_shape("(4611686018427387904, 4)"),
        "its shape has more elements than 64 bits can count: dimension 1 is 4"},
       {with_shape("(99999999999999999999,)"),
        "its shape has more elements than 64 bits can count: dimension with more than 64 bits"},
       {with_shape("(18446744073709551615,)"),
        "its shape has more elements than 64 bits can count: dimension 0 is 18446744073709551615"},
       {with_shape("(1, 1, 1, 1, 1, 1, 1, 1, 4)"), "at most 8 dimensions are supported, got 9"},
       {with_shape("(1, 1, 1, 1, 1, 1, 1, 1, 1, 4)"),
        "its header should go on with \")\", got \"4), }\\x0a\""}},
      "read_npy", io::read_npy);
}

TEST_CASE("an npy file of what are no numbers of ours is refused, and no pickle is looked into") {
  testing::check_refusals(
      {{with_descr("|O"),
        "it holds Python objects, which to read would mean to run code (pickle); save an array of "
        "numbers"},
       {with_descr("<c8"),
        "dtype \"<c8\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, f8, "
        "for example with .astype('f4')"},
       {with_descr("<u8"),
        "dtype \"<u8\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, f8, "
        "for example with .astype('f4')"},
       {with_descr("<U4"),
        "dtype \"<U4\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, f8, "
        "for example with .astype('f4')"},
       {with_descr("|S4"),
        "dtype \"|S4\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, f8, "
        "for example with .astype('f4')"},
       {with_descr("<M8[ns]"),
        "dtype \"<M8[ns]\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, "
        "f8, for example with .astype('f4')"},
       {with_descr("|V4"),
        "dtype \"|V4\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, f8, "
        "for example with .astype('f4')"},
       {with_descr("<f16"),
        "dtype \"<f16\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, f8, "
        "for example with .astype('f4')"},
       {with_descr(""),
        "dtype \"\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, f8, for "
        "example with .astype('f4')"},
       {with_descr("<"),
        "dtype \"<\" is not read; convert to one of b1, i1, i2, i4, i8, u1, u2, u4, f2, f4, f8, "
        "for example with .astype('f4')"},
       {npy_file("{'descr': [('a', '<f4')], 'fortran_order': False, "
                 "'shape': (4,), }",
                 four),
        "it holds records (structured dtype); save each field as an array of its own"}},
      "read_npy", io::read_npy);
}
