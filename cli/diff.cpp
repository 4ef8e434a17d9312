// tapehead diff: where two files of weights, or of activations, differ.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <memory>

#include "../io/json.h"
#include "../io/tensor_file.h"
#include "commands.h"
#include "output.h"

namespace tapehead::cli {
namespace {

struct DiffArguments {
  std::string a, b;
  std::optional<double> atol = 1e-6, rtol = 1e-5;
  bool json = false;
};

// Numbers in names count by their value: layer 2 is before layer 10.
bool comes_before(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto number = [&](const std::string& text, std::size_t& at) {
    std::size_t end = at;
    while (end < text.size() && digit(text[end])) ++end;
    std::string digits = text.substr(at, end - at);
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    at = end;
    return digits;
  };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      const std::string m = number(a, i), n = number(b, j);
      if (m != n) return m.size() != n.size() ? m.size() < n.size() : m < n;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

// In the order in which they were written; safetensors has none but that of names.
io::TensorFile in_order(const std::string& path) {
  io::TensorFile file = io::read_tensor_file(path);
  if (file.format == "safetensors")
    std::stable_sort(file.tensors.begin(), file.tensors.end(),
                     [](const auto& a, const auto& b) { return comes_before(a.first, b.first); });
  return file;
}

const Tensor* find(const NamedTensors& tensors, const std::string& name) {
  for (const auto& [have, tensor] : tensors)
    if (have == name) return &tensor;
  return nullptr;
}

// What is the matter with one name.
struct Difference {
  std::string name;
  std::string what;   // for people
  double most = NAN;  // |a - b|, of tensors that have one shape
  bool drifts = true;
};

// The element that differs the most, by what is allowed.
Difference compare(const std::string& name, const Tensor& a, const Tensor& b,
                   const DiffArguments& o) {
  if (a.shape() != b.shape()) return {name, core::to_text("shape ", a.shape(), " and ", b.shape())};
  const NDArray left = a.to(Float64).array().contiguous(),
                right = b.to(Float64).array().contiguous();
  const double *x = left.data<double>(), *y = right.data<double>();
  Index worst = -1, off = 0;
  double most = 0;
  for (Index i = 0; i < left.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const double apart = std::abs(x[i] - y[i]);
    if (apart <= *o.atol + *o.rtol * std::abs(y[i])) {
      if (off == 0) most = std::max(most, apart);
      continue;
    }
    if (off++ == 0 || !(apart <= most)) most = apart, worst = i;
  }
  if (off == 0) return {name, "", most, false};
  Shape place(a.shape());
  Index rest = worst;
  for (int axis = place.rank() - 1; axis >= 0; --axis) {
    const Index size = place[axis];
    place[axis] = rest % size;
    rest /= size;
  }
  return {name,
          core::to_text(std::setprecision(3), "by up to ", most, ", at ", place, ": ",
                        std::setprecision(7), x[worst], " and ", y[worst], "; ", grouped(off),
                        " of ", grouped(left.size()), " differ"),
          most};
}

std::vector<Difference> differences(const NamedTensors& a, const NamedTensors& b,
                                    const DiffArguments& o) {
  std::vector<Difference> all;
  for (const auto& [name, tensor] : a) {
    const Tensor* const other = find(b, name);
    all.push_back(other ? compare(name, tensor, *other, o) : Difference{name, "only in the first"});
  }
  for (const auto& [name, tensor] : b)
    if (!find(a, name)) all.push_back({name, "only in the second"});
  return all;
}

io::Json as_json(const std::vector<Difference>& all, const Difference* first) {
  std::vector<io::Json> entries;
  for (const Difference& d : all)
    entries.push_back(io::Json::object(
        {{"name", d.name}, {"drifts", d.drifts}, {"max_difference", d.most}, {"what", d.what}}));
  std::vector<std::pair<std::string, io::Json>> fields{{"same", first == nullptr}};
  if (first != nullptr) fields.emplace_back("first", first->name);
  fields.emplace_back("tensors", io::Json::list(entries));
  return io::Json::object(fields);
}

void diff(const DiffArguments& o) {
  const io::TensorFile left = in_order(o.a);
  const std::vector<Difference> all = differences(left.tensors, in_order(o.b).tensors, o);
  const auto drifts = [](const Difference& d) { return d.drifts; };
  const auto first = std::find_if(all.begin(), all.end(), drifts);
  const auto count = std::count_if(all.begin(), all.end(), drifts);
  if (o.json) say(as_json(all, first == all.end() ? nullptr : &*first).text() + "\n");
  double most = 0;
  for (const Difference& d : all) most = std::max(most, std::isnan(d.most) ? 0 : d.most);
  if (!o.json)
    for (const Difference& d : all)
      if (d.drifts) say(core::to_text(one_line(d.name), ": ", d.what, "\n"));
  const bool by_name = left.format == "safetensors";
  if (count > 0)
    fail(std::to_string(count), count == 1 ? " tensor differs, of " : " tensors differ, of ",
         all.size(), by_name ? "; the first by name is " : "; the first is ", first->name,
         by_name && count > 1 ? "; save as .npz to keep the order" : "");
  if (!o.json)
    say(core::to_text(
        "the same: ", grouped(std::ssize(all)), all.size() == 1 ? " tensor" : " tensors",
        most == 0 ? ", exactly\n" : core::to_text(std::setprecision(3), ", to ", most, "\n")));
}

}  // namespace

Command diff_command() {
  const auto a = std::make_shared<DiffArguments>();
  return {.name = "diff",
          .about = "Compare two files of weights or activations",
          .notes =
              "An element differs where |a - b| > ATOL + RTOL |b|. Tensors are compared by\n"
              "name in the order of the first file (those of safetensors in the order of\n"
              "their names), so that of activations the first layer that drifts comes\n"
              "first. Exit code 1 if any differs.\n\n"
              "Examples:\n"
              "  tapehead diff runs/1/final.safetensors runs/2/final.safetensors\n"
              "  tapehead diff ours.npz theirs.npz --atol 1e-5\n"
              "  tapehead diff a.safetensors b.safetensors --atol 0 --rtol 0 --json",
          .options = {required(file("A", a->a, "One file")), required(file("B", a->b, "The other")),
                      called("ATOL", number("--atol", a->atol, "Allowed for any number (1e-6)", 0.0,
                                            1e300)),
                      called("RTOL",
                             number("--rtol", a->rtol, "Allowed by its size (1e-5)", 0.0, 1e300)),
                      flag("--json", a->json, "The result for programs")},
          .run = [a] { diff(*a); }};
}

}  // namespace tapehead::cli
