// How a command ends early: what cannot be meant, found before anything starts, and Ctrl-C.
#pragma once

#include <string>

#include "../core/shape.h"

namespace tapehead::cli {

/// Reported with exit code 2. What is wrong and how to do it right, as one line.
class UsageError {
 public:
  explicit UsageError(std::string message) : message_(std::move(message)) {}
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

/// Reported with exit code 130, as a process has that Ctrl-C ends. What was done until then.
class Interrupted {
 public:
  explicit Interrupted(std::string message) : message_(std::move(message)) {}
  const std::string& message() const { return message_; }

 private:
  std::string message_;
};

/// UsageError unless heads divide the width.
void check_heads(core::Index d_model, core::Index heads);

}  // namespace tapehead::cli
