#include "print.h"

#include <cmath>

namespace tapehead::core {
namespace {

constexpr int digits = 4, line_width = 80;
constexpr Index threshold = 1000, edge_items = 3;

// What is shown of x: all, or 3 at each end of every dimension longer than 6.
struct Window {
  const NDArray& x;
  bool summarize;

  bool cuts(Index size) const { return summarize && size > 2 * edge_items; }
  /// Calls show(i) for each shown index of a dimension of `size`, and skip() where some are
  /// missing.
  template <class Show, class Skip>
  void each(Index size, Show show, Skip skip) const {
    for (Index i = 0; i < size; ++i) {
      if (cuts(size) && i == edge_items) {
        skip();
        i = size - edge_items;
      }
      show(i);
    }
  }
  /// Calls f(value) for each shown element of the part of x that starts at `data` in dimension d.
  template <class T, class F>
  void each_value(const T* data, int d, F f) const {
    if (d == x.rank()) return f(*data);
    each(
        x.shape()[d], [&](Index i) { each_value(data + i * x.strides()[d], d + 1, f); }, [] {});
  }
};

std::string number(double value, std::ios_base::fmtflags notation, int precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  TextStream out;
  out.setf(notation, std::ios_base::floatfield);
  out.precision(precision);
  out << value;
  return out.str();
}

// One format for all numbers of an array.
template <class T>
class Format {
 public:
  explicit Format(const Window& window) {
    if constexpr (std::is_floating_point_v<T>) choose_notation(window);
    window.each_value(window.x.data<T>(), 0, [&](T value) {
      if (sets_width(value)) width_ = std::max(width_, plain(value).size());
    });
  }
  int width() const { return static_cast<int>(width_); }
  std::string operator()(T value) const {
    const std::string text = plain(value);
    return std::string(width_ - std::min(width_, text.size()), ' ').append(text);
  }

 private:
  // 0, inf and nan take the room that the other numbers need.
  static bool sets_width(T value) {
    if constexpr (std::is_floating_point_v<T>) return std::isfinite(value) && value != 0;
    return true;
  }

  void choose_notation(const Window& window) {
    double least = INFINITY, most = 0;
    window.each_value(window.x.data<T>(), 0, [&](T value) {
      if (!sets_width(value)) return;
      whole_ &= value == std::ceil(value);
      least = std::min(least, std::abs(static_cast<double>(value)));
      most = std::max(most, std::abs(static_cast<double>(value)));
    });
    if (most == 0) return;
    scientific_ = most / least > 1000 || most > 1e8 || least < 1e-4;
  }

  std::string plain(T value) const {
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "True" : "False";
    } else if constexpr (std::is_same_v<T, Index>) {
      return std::to_string(value);
    } else {
      if (scientific_) return number(value, std::ios_base::scientific, digits);
      if (!whole_) return number(value, std::ios_base::fixed, digits);
      return number(value, std::ios_base::fixed, 0) + (std::isfinite(value) ? "." : "");
    }
  }

  bool whole_ = true, scientific_ = false;
  std::size_t width_ = 1;
};

// What stands between two items of a list whose first bracket stands `indent` from the left.
std::string line_breaks(int count, int indent) {
  std::string text = ",";
  text.append(static_cast<std::size_t>(count), '\n');
  return text.append(static_cast<std::size_t>(indent) + 1, ' ');
}

template <class T>
std::string row(const T* data, const Window& window, const Format<T>& format, int indent) {
  const int per_line = std::max(1, (line_width - indent) / (format.width() + 2));
  const std::string next_line = line_breaks(1, indent);
  std::string text = "[";
  int shown = 0;
  const auto add = [&](const std::string& item) {
    if (shown > 0) text += shown % per_line == 0 ? next_line : ", ";
    text += item;
    ++shown;
  };
  const Index stride = window.x.strides()[-1];
  window.each(
      window.x.shape()[-1], [&](Index i) { add(format(data[i * stride])); }, [&] { add(" ..."); });
  return text += "]";
}

// The part of the array that starts at `data` in dimension d; between matrices a blank line,
// between stacks of them one more, and so on.
template <class T>
std::string block(const T* data, const Window& window, const Format<T>& format, int d, int indent) {
  const int dims_left = window.x.rank() - d;
  if (dims_left == 0) return format(*data);
  if (dims_left == 1) return row(data, window, format, indent);
  const std::string separator = line_breaks(dims_left - 1, indent);
  std::string text = "[";
  const auto add = [&](const std::string& item) {
    if (text.size() > 1) text += separator;
    text += item;
  };
  window.each(
      window.x.shape()[d],
      [&](Index i) {
        add(block(data + i * window.x.strides()[d], window, format, d + 1, indent + 1));
      },
      [&] { add("..."); });
  return text += "]";
}

}  // namespace

std::string to_string(const NDArray& x, int indent) {
  if (x.size() == 0) return "[]";
  const Window window{x, x.size() > threshold};
  return dispatch(x.dtype(), [&]<class T>() {
    return block(x.data<T>(), window, Format<T>(window), 0, indent);
  });
}

std::string to_string(double value, DType dtype) {
  return to_string(NDArray::full({}, value, dtype));
}

std::vector<std::string> suffixes(const NDArray& x) {
  std::vector<std::string> result;
  if (x.size() == 0 && x.rank() != 1) result.push_back(to_text("size=", x.shape()));
  const bool evident = x.dtype() == DType::Float32 || (x.size() > 0 && x.dtype() != DType::Float64);
  if (!evident) result.push_back(std::string("dtype=") + name(x.dtype()));
  return result;
}

std::string with_suffixes(const std::string& text, const std::vector<std::string>& suffixes,
                          int indent) {
  // PyTorch counts two characters more than the last line has.
  std::size_t column = text.size() - (text.rfind('\n') + 1) + 2;
  std::string result = text;
  for (const std::string& suffix : suffixes) {
    const bool fits = column + suffix.size() + 2 <= line_width;
    result += fits ? ", " : line_breaks(1, indent - 1);
    result += suffix;
    column = (fits ? column + 2 : static_cast<std::size_t>(indent)) + suffix.size();
  }
  return result += ")";
}

}  // namespace tapehead::core
