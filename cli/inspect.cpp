// tapehead inspect: what a file of weights holds.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <memory>

#include "../io/json.h"
#include "../io/tensor_file.h"
#include "commands.h"
#include "output.h"
#include "tokenizer.h"

namespace tapehead::cli {
namespace {

struct InspectArguments {
  std::string file;
  bool json = false;
};

// Of all finite elements; of none, NaN.
struct Statistics {
  double mean = NAN, deviation = NAN, least = NAN, most = NAN;
  Index not_finite = 0;
};

// Column-major tensors are as dense as row-major ones: they need no copy.
NDArray dense(const NDArray& array) {
  core::Dims backwards;
  for (int d = array.rank() - 1; d >= 0; --d) backwards.push_back(d);
  const NDArray turned = array.permute(backwards);
  return turned.is_contiguous() ? turned : array.contiguous();
}

// In one pass (Welford, 1962): the mean moves by each, and the squares are of distances from it.
template <class T>
Statistics statistics_of(const T* x, Index n) {
  Statistics s;
  double mean = 0, squares = 0;
  Index finite = 0;
  for (Index i = 0; i < n; ++i) {
    const auto value = static_cast<double>(x[i]);
    if (!std::isfinite(value)) continue;
    s.least = finite == 0 ? value : std::min(s.least, value);
    s.most = finite == 0 ? value : std::max(s.most, value);
    const double from_mean = value - mean;
    mean += from_mean / static_cast<double>(++finite);
    squares += from_mean * (value - mean);
  }
  s.not_finite = n - finite;
  if (finite == 0) return s;
  s.mean = mean;
  s.deviation = std::sqrt(squares / static_cast<double>(finite));
  return s;
}

Statistics statistics(const Tensor& tensor) {
  const NDArray array = dense(tensor.array());
  return core::dispatch(array.dtype(),
                        [&]<class T>() { return statistics_of(array.data<T>(), array.size()); });
}

std::string dtype_in(const io::TensorFile& file, const std::string& name, const Tensor& tensor) {
  const auto found = file.stored.find(name);
  return found == file.stored.end() ? core::name(tensor.dtype()) : found->second;
}

std::string rounded(double number) { return core::to_text(std::setprecision(3), number); }

std::string not_finite(const Statistics& s) {
  return s.not_finite > 0 ? core::to_text("  ", grouped(s.not_finite), " not finite") : "";
}

// A line each where all fit in `width` columns, else two.
std::string table(const io::TensorFile& file, int width) {
  constexpr int dtypes = 9, numbers = 10;
  std::size_t names = 4, shapes = 5;
  for (const auto& [name, tensor] : file.tensors) {
    names = std::max(names, one_line(name).size());
    shapes = std::max(shapes, core::to_text(tensor.shape()).size());
  }
  const int in_all = static_cast<int>(names + shapes) + 4 + dtypes + 4 * numbers;
  const bool fits = in_all <= width;
  core::TextStream out;
  const auto cell = [&](const std::string& text, std::size_t columns) {
    out << std::left << std::setw(fits ? static_cast<int>(columns) + 2 : 0) << text << std::right;
  };
  const char* const between = fits ? "" : "  ";
  if (fits) {
    cell("name", names), cell("shape", shapes), cell("dtype", dtypes - 2);
    for (const char* head : {"mean", "std", "min", "max"}) out << std::setw(numbers) << head;
    out << "\n";
  }
  for (const auto& [name, tensor] : file.tensors) {
    const Statistics s = statistics(tensor);
    cell(one_line(name), names);
    cell(between + core::to_text(tensor.shape()), shapes);
    cell(between + dtype_in(file, name, tensor), dtypes - 2);
    if (fits)
      for (const double number : {s.mean, s.deviation, s.least, s.most})
        out << std::setw(numbers) << rounded(number);
    else
      out << "\n    mean " << rounded(s.mean) << ", std " << rounded(s.deviation) << ", min "
          << rounded(s.least) << ", max " << rounded(s.most);
    out << not_finite(s) << "\n";
  }
  return out.str();
}

io::Json as_json(const io::TensorFile& file) {
  std::vector<io::Json> tensors;
  for (const auto& [name, tensor] : file.tensors) {
    const Statistics s = statistics(tensor);
    tensors.push_back(io::Json::object({{"name", name},
                                        {"shape", tensor.shape()},
                                        {"dtype", core::name(tensor.dtype())},
                                        {"stored", dtype_in(file, name, tensor)},
                                        {"mean", s.mean},
                                        {"std", s.deviation},
                                        {"min", s.least},
                                        {"max", s.most},
                                        {"not_finite", s.not_finite}}));
  }
  std::vector<std::pair<std::string, io::Json>> metadata;
  for (const auto& [key, text] : file.metadata) metadata.emplace_back(key, text);
  return io::Json::object({{"format", file.format},
                           {"metadata", io::Json::object(metadata)},
                           {"tensors", io::Json::list(tensors)}});
}

std::string beginning(const std::string& text) {
  constexpr std::size_t longest = 60;
  return one_line(text.substr(0, longest)) + (text.size() > longest ? " …" : "");
}

// The symbols rather than their bytes in hexadecimal, if that is what they are.
std::string alphabet(const io::Metadata& words) {
  try {
    std::string shown;
    const data::Vocabulary symbols = *symbols_in(words);
    for (Index token = 0; token < symbols.size() && shown.size() < 60; ++token)
      shown += one_line(symbols[token]);
    return core::to_text(symbols.size(), symbols.size() == 1 ? " symbol, " : " symbols, ", '"',
                         shown, '"', shown.size() < 60 ? "" : " …");
  } catch (const Error&) {
    return beginning(words.at("alphabet"));
  }
}

// A model counts a tied weight once, its file has it under both names.
std::string tied_line(const io::TensorFile& file) {
  const auto tied = file.metadata.find("tied");
  if (tied == file.metadata.end() || tied->second != "true") return "";
  const std::string of_run = file.metadata.count("batches") > 0 ? "model." : "";
  for (const auto& [head, embedding] : {std::pair{"lm_head.weight", "transformer.wte.weight"},
                                        std::pair{"output.weight", "tok_embeddings.weight"}}) {
    Index all = 0;
    int found = 0;
    for (const auto& [name, tensor] : file.tensors) {
      if (!name.starts_with(of_run)) continue;
      const bool is_head = name == of_run + head;
      found += is_head || name == of_run + embedding;
      if (!is_head) all += tensor.numel();
    }
    if (found == 2)
      return core::to_text("  (", of_run, head, " is ", of_run, embedding, ": ", grouped(all),
                           " parameters)\n");
  }
  return "";
}

void inspect(const InspectArguments& a) {
  const io::TensorFile file = io::read_tensor_file(a.file);
  if (a.json) return say(as_json(file).text() + "\n");
  Index numbers = 0;
  for (const auto& [name, tensor] : file.tensors) numbers += tensor.numel();
  say(core::to_text(one_line(a.file), ": ", file.format, ", ", grouped(std::ssize(file.tensors)),
                    file.tensors.size() == 1 ? " tensor, " : " tensors, ", grouped(numbers),
                    numbers == 1 ? " number\n" : " numbers\n"));
  for (const auto& [key, text] : file.metadata)
    say(core::to_text("  ", one_line(key), ": ",
                      key == "alphabet" ? alphabet(file.metadata) : beginning(text), "\n"));
  say(tied_line(file));
  say("\n" + table(file, screen().width));
}

}  // namespace

Command inspect_command() {
  const auto a = std::make_shared<InspectArguments>();
  return {.name = "inspect",
          .about = "Show what a file of weights holds",
          .notes =
              "Reads safetensors (checkpoints too), npy, npz, llama2.c's checkpoints and\n"
              "minGPT's JSON. Dtypes are the file's own: BF16 and F16 are read as Float32, U8,\n"
              "I32 and the like as Int64.\n\n"
              "Examples:\n"
              "  tapehead inspect model.safetensors\n"
              "  tapehead inspect runs/1/checkpoint.safetensors --json",
          .options = {required(file("FILE", a->file, "What to look into")),
                      flag("--json", a->json, "For programs")},
          .run = [a] { inspect(*a); }};
}

}  // namespace tapehead::cli
