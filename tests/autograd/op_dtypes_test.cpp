// What every op makes of each dtype, by the rows of the table: Float32 stays Float32; of Int64 and
// Bool it makes what PyTorch makes of them, or refuses them in an op's name. Nothing in between.
#include <set>

#include "../support/cases.h"
#include "op_table.h"

using namespace tapehead;
using namespace tapehead::testing;

namespace {

const Json& goldens() {
  static const Json all =
      Json::parse(std::ifstream(TAPEHEAD_TESTS_DIR "/goldens/autograd/whole.json"));
  return all;
}

// Small whole numbers of either sign, or whether they are positive.
Tensors whole_inputs(const OpRow& row, const OpRow::Shapes& shapes, DType dtype) {
  Tensors result;
  for (const Tensor& input : example_inputs(row, shapes)) {
    const Tensor number = (input * 2).to(Int64) + Index{row.positive};
    result.push_back(dtype == Int64 ? number : number > 0);
  }
  return result;
}

// "" if the message begins with a name, of the op or of what it computes with, and names a dtype.
std::string flaw(const std::string& message) {
  const std::string op = message.substr(0, message.find(": "));
  const bool named =
      !op.empty() && op.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789") == op.npos;
  if (!named) return "names no op: " + message;
  for (const char* dtype : {"Int64", "Bool", "Float32", "Float64"})
    if (message.find(dtype) != std::string::npos) return "";
  return "names no dtype: " + message;
}

}  // namespace

TEST_CASE("every op gives Float32 of Float32 where it gives Float64 of Float64") {
  each_example([](const OpRow& row, const OpRow::Shapes& shapes) {
    const Outputs fine = row.f(leaves(row, shapes)), coarse = row.f(leaves(row, shapes, Float32));
    REQUIRE(fine.size() == coarse.size());
    for (std::size_t i = 0; i < fine.size(); ++i) {
      CHECK(coarse[i].shape() == fine[i].shape());
      if (fine[i].dtype() == Float64 && row.op != "to")
        CHECK(coarse[i].dtype() == Float32);
      else
        CHECK(coarse[i].dtype() == fine[i].dtype());
    }
  });
}

TEST_CASE("of whole numbers and truth values every op makes what PyTorch does, or refuses them") {
  std::set<std::string> taking;
  for (const DType dtype : {Int64, Bool}) {
    each_example([&](const OpRow& row, const OpRow::Shapes& shapes) {
      CAPTURE(std::string(name(dtype)));
      Tensors got;
      try {
        got = row.f(whole_inputs(row, shapes, dtype));
      } catch (const DTypeError& error) {
        CHECK(flaw(error.what()) == "");
        return;
      }
      taking.insert(row.op);
      const Json want = goldens().at(title(row, shapes)).at(std::string(name(dtype)));
      REQUIRE_MESSAGE(want.is_array(), "PyTorch refuses these");
      REQUIRE(got.size() == want.size());
      // PyTorch leaves open which of equal elements topk chooses.
      const std::size_t settled = row.op == "topk" ? 1 : got.size();
      for (std::size_t i = 0; i < settled; ++i) CHECK(difference(got[i], to_tensor(want[i])) == "");
    });
  }
  for (const char* op : {"add", "mul", "sum", "eq", "where", "cat", "index_select", "amax"})
    CHECK_MESSAGE(taking.count(op) == 1, op);
}

TEST_CASE("two dtypes that meet are refused in an op's name, which says what to convert") {
  // These convert, look before they compute, or never let the two meet.
  const std::set<std::string> allowed{"copy_",       "equal",        "logical_and", "logical_or",
                                      "logical_xor", "logical_and_", "logical_or_", "logical_xor_"};
  for (const OpRow& row : op_table()) {
    if (row.inputs[0].size() < 2) continue;
    CAPTURE(row.call);
    Tensors mixed = example_inputs(row, row.inputs[0]);
    mixed[1] = mixed[1].to(Float32);
    try {
      row.f(mixed);
      CHECK(allowed.count(row.op) == 1);
    } catch (const DTypeError& error) {
      CHECK(flaw(error.what()) == "");
    }
  }
}
