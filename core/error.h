// Errors: what users see when a call cannot be honoured. Messages read
// `op: what was expected, got what; what to do`. Building one is a cold path.
#pragma once

#include <exception>
#include <string>

#include "text.h"

namespace tapehead {

/// Every exception of the library. `what()` names the op, what was expected, what it got and what
/// to do; an error that crosses a module's call also says where: `(in encoder.0.attn.W_q)`.
class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }

  /// Appends the module path, the first time only.
  void locate(const std::string& path) {
    if (located_ || path.empty()) return;
    message_ += " (in " + path + ")";
    located_ = true;
  }

 protected:
  struct Located {};
  /// A message that says itself in which module.
  Error(std::string message, Located) : message_(std::move(message)), located_(true) {}

 private:
  std::string message_;
  bool located_ = false;
};

/// Shapes, strides, dimensions or indices that do not fit.
struct ShapeError : Error {
  using Error::Error;
};
/// Dtypes that do not fit.
struct DTypeError : Error {
  using Error::Error;
};
/// What the tape cannot do: a freed graph, a changed saved tensor, a gradient that would get lost.
struct GraphError : Error {
  using Error::Error;
};
/// More memory than there is, or than TAPEHEAD_MEMORY_LIMIT allows.
struct MemoryError : Error {
  using Error::Error;
};
/// Files that cannot be read or written.
struct IoError : Error {
  using Error::Error;
};

/// The first words of a message, and the source line that they stand on.
struct Opening {
  Opening(const char* words, const char* in_file = __builtin_FILE(), int on_line = __builtin_LINE())
      : text(words), file(in_file), line(on_line) {}
  Opening(const std::string& words, const char* in_file = __builtin_FILE(),
          int on_line = __builtin_LINE())
      : Opening(words.c_str(), in_file, on_line) {}

  const char* text;
  const char* file;
  int line;
};

/// Called with the source line of every error before it is thrown, unless null. With it the tests
/// show that each error is reached.
inline void (*on_fail)(const char* file, int line) = nullptr;

namespace detail {

template <class E>
[[noreturn]] [[gnu::cold]] [[gnu::noinline]] void raise(const Opening& opening,
                                                        const std::string& rest) {
  if (on_fail != nullptr) on_fail(opening.file, opening.line);
  throw E(opening.text + rest);
}

}  // namespace detail

/// Throws `E` with its parts written one after another. The only place that throws.
template <class E = Error, class... Parts>
[[noreturn]] [[gnu::cold]] [[gnu::noinline]] void fail(const Opening& opening,
                                                       const Parts&... parts) {
  detail::raise<E>(opening, core::to_text(parts...));
}

}  // namespace tapehead
