#include "gradcheck_command.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <memory>

#include "../autograd/op_table.h"
#include "../io/json.h"
#include "commands.h"
#include "module_table.h"
#include "near_match.h"
#include "output.h"
#include "usage.h"

namespace tapehead::cli {
namespace {

// All rows of the table that are about one op.
Subject subject(const std::string& op) {
  std::vector<const OpRow*> rows;
  for (const OpRow& row : op_table())
    if (row.op == op) rows.push_back(&row);
  const bool differentiable =
      std::any_of(rows.begin(), rows.end(), [](const OpRow* row) { return row->differentiable; });
  return {op, differentiable, [rows](const GradcheckOptions& options) {
            GradcheckResult all;
            for (const OpRow* row : rows)
              if (row->differentiable) all += gradcheck(*row, options);
            return all;
          }};
}

std::vector<Subject> chosen(const std::vector<std::string>& names) {
  std::vector<Subject> subjects = all_subjects();
  if (names.empty()) return subjects;
  std::vector<std::string> known;
  for (const Subject& s : subjects) known.push_back(s.name);
  for (const std::string& name : names)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw UsageError(
          core::to_text("there is no op or module \"", name, "\"", suggestion(name, known)));
  std::erase_if(subjects, [&](const Subject& s) {
    return std::find(names.begin(), names.end(), s.name) == names.end();
  });
  return subjects;
}

std::string head() {
  core::TextStream out;
  out << std::left << std::setw(30) << "op or module" << std::right << std::setw(8) << "entries"
      << std::setw(12) << "absolute" << std::setw(12) << "relative"
      << "   (worst errors)\n";
  return out.str();
}

std::string indented(const std::string& text) {
  std::string result = "    ";
  for (std::size_t i = 0; i + 1 < text.size(); ++i)
    result += text[i] == '\n' ? "\n    " : text.substr(i, 1);
  return result + "\n";
}

std::string line(const Subject& subject, const GradcheckResult& result) {
  core::TextStream out;
  out << std::left << std::setw(30) << subject.name << std::right;
  if (!subject.differentiable) {
    out << std::setw(44) << "has no gradient\n";
    return out.str();
  }
  out << std::setw(8) << grouped(result.checked) << std::scientific << std::setprecision(1)
      << std::setw(12) << result.worst_absolute << std::setw(12) << result.worst_relative
      << (result.passed ? "   ok\n" : "   WRONG\n");
  if (!result.passed) out << "    " << result.message << "\n" << indented(table(result));
  if (result.kinks)
    out << "  (" << grouped(result.kinks) << " beside a kink: " << result.kink << ")\n";
  out << skipped_line(result.skipped);
  return out.str();
}

io::Json as_json(const Subject& subject, const GradcheckResult& result) {
  std::vector<std::pair<std::string, io::Json>> fields{{"name", subject.name},
                                                       {"differentiable", subject.differentiable}};
  if (subject.differentiable)
    fields.insert(fields.end(), {{"ok", result.passed},
                                 {"entries", result.checked},
                                 {"worst_absolute", result.worst_absolute},
                                 {"worst_relative", result.worst_relative},
                                 {"skipped", result.skipped},
                                 {"kinks", result.kinks}});
  if (!result.passed) fields.emplace_back("message", result.message);
  return io::Json::object(fields);
}

}  // namespace

std::vector<Subject> all_subjects() {
  std::vector<Subject> subjects;
  std::string last;
  for (const OpRow& row : op_table())
    if (row.op != std::exchange(last, row.op) &&
        std::none_of(subjects.begin(), subjects.end(),
                     [&](const Subject& s) { return s.name == row.op; }))
      subjects.push_back(subject(row.op));
  for (Subject& module : module_subjects()) subjects.push_back(std::move(module));
  return subjects;
}

void check_all(const std::vector<Subject>& subjects,
               const std::function<void(const std::string&)>& print, bool json) {
  const auto tell = [&](const std::string& text) {
    if (!json) print(text);
  };
  tell(head());
  const auto start = std::chrono::steady_clock::now();
  std::size_t wrong = 0;
  GradcheckResult all;
  std::vector<io::Json> entries;
  for (const Subject& subject : subjects) {
    const GradcheckResult result = subject.differentiable ? subject.check({}) : GradcheckResult{};
    wrong += !result.passed;
    all += result;
    tell(line(subject, result));
    if (json) entries.push_back(as_json(subject, result));
  }
  if (json) print(io::Json::list(entries).text() + "\n");
  if (wrong > 0)
    fail(std::to_string(wrong), wrong == 1 ? " gradient is" : " gradients are", " wrong, of ",
         subjects.size());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  tell(core::to_text(grouped(all.checked), " entries agree with central differences (",
                     std::round(10 * seconds.count()) / 10, " s)\n", skipped_line(all.skipped),
                     std::setprecision(2), "worst errors: ", all.worst_absolute, " absolute, ",
                     all.worst_relative, " relative\n"));
}

Command gradcheck_command() {
  struct Arguments {
    std::vector<std::string> names;
    bool all = false, json = false;
  };
  const auto a = std::make_shared<Arguments>();
  const Option names{.name = "NAME",
                     .value = "",
                     .what = "Ops and modules, as they are called in C++",
                     .take = [a](const std::string& name) { a->names.push_back(name); },
                     .many = true};
  return {.name = "gradcheck",
          .about = "Check gradients against central differences",
          .notes =
              "Examples:\n"
              "  tapehead gradcheck --all\n"
              "  tapehead gradcheck softmax matmul MultiHeadAttention",
          .options = {names, flag("--all", a->all, "All of them, as if none were named"),
                      flag("--json", a->json, "The result for programs")},
          .run = [a] {
            if (a->all && !a->names.empty())
              throw UsageError(core::to_text("--all means all; leave ", a->names.front(),
                                             " out (see tapehead gradcheck --help)"));
            check_all(chosen(a->names), say, a->json);
          }};
}

}  // namespace tapehead::cli
