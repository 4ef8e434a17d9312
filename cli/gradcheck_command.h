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
  std::function<GradcheckResult(const GradcheckOptions&)> check;
};

/// Every op of the catalogue, then every module.
std::vector<Subject> all_subjects();

/// Checks one after another and prints a line for each. Error, after the whole table, if a gradient
/// is wrong.
void check_all(const std::vector<Subject>& subjects,
               const std::function<void(const std::string&)>& print);

/// check_all of those named, or of all if none is, to standard output. UsageError with a near match
/// for an unknown name.
void gradcheck_command(const std::vector<std::string>& names);

}  // namespace tapehead::cli
