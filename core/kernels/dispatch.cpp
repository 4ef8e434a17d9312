#include "dispatch.h"

#include <cstdlib>
#include <string>

#include "../error.h"

namespace tapehead::core::kernels {
namespace {

bool supported(Isa isa) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return isa == Isa::baseline || (isa == Isa::v3 && v3) || (isa == Isa::v4 && v4);
#else
  return isa == Isa::baseline;
#endif
}

std::string listed() {
  std::string names;
  for (const Isa isa : supported_isas())
    names += (names.empty() ? "" : ", ") + std::string(name(isa));
  return names;
}

}  // namespace

const char* name(Isa isa) {
  switch (isa) {
    case Isa::baseline:
      return "baseline";
    case Isa::v3:
      return "v3";
    case Isa::v4:
      return "v4";
  }
  return "an unknown one";
}

std::vector<Isa> supported_isas() {
  std::vector<Isa> result;
  for (const Isa isa : {Isa::baseline, Isa::v3, Isa::v4})
    if (supported(isa)) result.push_back(isa);
  return result;
}

void use_isa(Isa isa) {
  if (!supported(isa))
    fail("use_isa: expected an instruction set of this CPU, got ", name(isa),
         "; these work: ", listed());
  detail::chosen = isa;
}

Isa detail::choose() {
  const char* wanted = std::getenv("TAPEHEAD_ISA");
  const std::vector<Isa> isas = supported_isas();
  Isa choice = isas.back();
  if (wanted && *wanted) {
    choice = Isa{-1};
    for (const Isa isa : isas)
      if (std::string(wanted) == name(isa)) choice = isa;
    if (choice == Isa{-1})
      fail("TAPEHEAD_ISA: expected an instruction set of this CPU, got \"", wanted,
           "\"; these work: ", listed());
  }
  detail::chosen = choice;
  return choice;
}

}  // namespace tapehead::core::kernels
