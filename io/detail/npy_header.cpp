#include "npy_header.h"

#include <array>
#include <charconv>

namespace tapehead::io {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::uint64_t longest = 65535;  // what version 1.0 can have

// The Python dictionary. It is read by eye, not by Python: three keys, each with one kind of value.
class Dictionary {
 public:
  Dictionary(const Subject& subject, std::string_view text) : subject_(subject), rest_(text) {}

  Layout parse() {
    demand('{');
    while (!accept('}')) {
      entry();
      if (accept(',')) continue;
      demand('}');
      break;
    }
    skip_space();
    if (!rest_.empty()) misplaced("nothing more");
    for (const auto& [key, seen] :
         {std::pair("descr", descr_), {"fortran_order", order_}, {"shape", shape_}})
      if (!seen) subject_.refuse("its header has no '", key, "'");
    return layout_;
  }

 private:
  void entry() {
    const std::string_view key = word();
    bool& seen = key == "descr" ? descr_ : key == "fortran_order" ? order_ : shape_;
    if (key != "descr" && key != "fortran_order" && key != "shape")
      subject_.refuse("its header has a key ", in_quotes(key),
                      "; it should have 'descr', 'fortran_order' and 'shape' alone");
    if (seen) subject_.refuse("its header has '", key, "' twice");
    seen = true;
    demand(':');
    if (key == "descr")
      descr();
    else if (key == "shape")
      shape();
    else
      order();
  }

  // '<f4': byte order, kind, bytes.
  void descr() {
    if (peek() == '[')
      subject_.refuse(
          "it holds records (structured dtype); save each field as an array of its own");
    const std::string_view type = word();
    constexpr std::string_view orders = "<>=|";
    const bool ordered = !type.empty() && orders.find(type[0]) != std::string_view::npos;
    const std::string_view kind = type.substr(ordered ? 1 : 0);
    if (!kind.empty() && kind[0] == 'O')
      subject_.refuse(
          "it holds Python objects, which to read would mean to run code (pickle); save "
          "an array of numbers");
    for (const auto& [name, element] : kinds_)
      if (kind == name) {
        layout_.element = element;
        layout_.big_endian = type[0] == '>';
        return;
      }
    subject_.refuse("dtype ", in_quotes(type),
                    " is not read; convert to one of b1, i1, i2, i4, i8, "
                    "u1, u2, u4, f2, f4, f8, for example with .astype('f4')");
  }

  void order() {
    for (const auto& [name, value] : {std::pair("True", true), {"False", false}})
      if (skip_space(), rest_.starts_with(name)) {
        rest_.remove_prefix(std::string_view(name).size());
        layout_.fortran = value;
        return;
      }
    misplaced("True or False");
  }

  void shape() {
    std::vector<std::uint64_t> sizes;
    bool comma = true;
    demand('(');
    while (!accept(')')) {
      if (!comma || sizes.size() > Shape::max_rank) misplaced("\")\"");
      sizes.push_back(number());
      comma = accept(',');
    }
    if (sizes.size() == 1 && !comma) misplaced("a tuple: (3,), not (3)");
    layout_.shape = checked_shape(subject_, sizes);
  }

  std::uint64_t number() {
    std::uint64_t value = 0;
    skip_space();
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error == std::errc::invalid_argument) misplaced("a size");
    if (error != std::errc())
      subject_.refuse(
          "its shape has more elements than 64 bits can count: dimension with more than "
          "64 bits");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote long integers so
    return value;
  }

  std::string_view word() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') misplaced("a word in quotes");
    const std::size_t end = rest_.find(quote, 1);
    if (end == std::string_view::npos) misplaced("a word in quotes");
    const std::string_view result = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return result;
  }

  void skip_space() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  char peek() {
    skip_space();
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool accept(char c) {
    if (peek() != c || rest_.empty()) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void demand(char c) {
    if (!accept(c)) misplaced('"' + std::string{c} + '"');
  }
  [[noreturn]] void misplaced(const std::string& wanted) const {
    subject_.refuse("its header should go on with ", wanted, ", got ",
                    in_quotes(rest_.substr(0, 20)));
  }

  static constexpr std::array<std::pair<std::string_view, Element>, 11> kinds_{
      {{"b1", Element::Bool},
       {"u1", Element::U8},
       {"i1", Element::I8},
       {"u2", Element::U16},
       {"i2", Element::I16},
       {"u4", Element::U32},
       {"i4", Element::I32},
       {"i8", Element::I64},
       {"f2", Element::F16},
       {"f4", Element::F32},
       {"f8", Element::F64}}};

  const Subject& subject_;
  std::string_view rest_;
  Layout layout_;
  bool descr_ = false, order_ = false, shape_ = false;
};

std::string read_text(const ByteSource& next, std::uint64_t size) {
  std::string text(static_cast<std::size_t>(size), '\0');
  next(std::as_writable_bytes(std::span(text)));
  return text;
}

// The bytes that give the header's length: 2 in version 1.0, 4 in 2.0 and 3.0.
std::uint64_t width_of_length(const Subject& subject, std::string_view version) {
  const int major = static_cast<unsigned char>(version[0]),
            minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0)
    subject.refuse("byte 6: version ", major, ".", minor, " is unknown; 1.0, 2.0 and 3.0 are read");
  return major == 1 ? 2 : 4;
}

}  // namespace

NpyHeader read_npy_header(const Subject& subject, const ByteSource& next, std::uint64_t size) {
  std::uint64_t at = magic.size() + 2;
  if (size < at + 2) subject.refuse("it has ", size, " bytes, too few for a .npy file");
  const std::string start = read_text(next, at);
  if (!start.starts_with(magic)) subject.refuse("it does not begin with \\x93NUMPY, as .npy does");
  const std::uint64_t width =
      width_of_length(subject, std::string_view(start).substr(magic.size()));
  if (size < at + width) subject.refuse("it has ", size, " bytes, too few for a .npy file");
  std::uint64_t length = 0;
  next(std::as_writable_bytes(std::span(&length, 1)).first(static_cast<std::size_t>(width)));
  at += width;
  if (length > size - at)
    subject.refuse("byte 8: a header of ", length, " bytes, where ", size - at, " are left");
  if (length > longest)
    subject.refuse("byte 8: a header of ", length, " bytes; at most ", longest, " are read");
  const std::string text = read_text(next, length);
  const Layout layout = Dictionary(subject, text).parse();
  const std::uint64_t wanted = bytes_of(layout.element, layout.shape), got = size - at - length;
  if (wanted != got)
    subject.refuse("shape ", layout.shape, " of ", size_of(layout.element), "-byte elements needs ",
                   wanted, " bytes of values, got ", got);
  return {layout, at + length};
}

std::string npy_header(DType dtype, const Shape& shape) {
  const char* const descr = dtype == Float32   ? "<f4"
                            : dtype == Float64 ? "<f8"
                            : dtype == Int64   ? "<i8"
                                               : "|b1";
  std::string sizes;
  for (int d = 0; d < shape.rank(); ++d)
    sizes += (d == 0 ? "" : ", ") + std::to_string(shape[d]) + (shape.rank() == 1 ? "," : "");
  std::string text =
      std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  const std::size_t before = magic.size() + 4;  // the values begin at a multiple of 64
  text.resize((before + text.size() + 1 + 63) / 64 * 64 - before - 1, ' ');
  text += '\n';
  const std::size_t length = text.size();
  return std::string(magic) + '\1' + '\0' + static_cast<char>(length & 255) +
         static_cast<char>(length >> 8) + text;
}

}  // namespace tapehead::io
