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

/// Checks one after another and prints a line for each, or at the end all of it as JSON. Error,
/// after the whole table, if a gradient is wrong.
void check_all(const std::vector<Subject>& subjects,
               const std::function<void(const std::string&)>& print, bool json = false);

}  // namespace tapehead::cli
