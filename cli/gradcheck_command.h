// tapehead gradcheck: a table of every op and module with the worst error of its gradients.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../autograd/gradcheck.h"

namespace tapehead::cli {

/// One line of the table.
struct Subject {
  std::string name;
  bool differentiable;
  std::function<GradcheckResult()> check;
};

/// Every op of the catalogue, then every module.
std::vector<Subject> all_subjects();

/// Checks those named, or all if none is. UsageError with a near match for an unknown name; Error,
/// after the whole table, if a gradient is wrong.
void gradcheck_command(const std::vector<std::string>& names);

}  // namespace tapehead::cli
