#include "backtrace.h"

#if defined(__linux__) && defined(__GLIBC__)

#include <cxxabi.h>
#include <elf.h>
#include <execinfo.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

namespace tapehead {
namespace {

std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

struct Symbol {
  ElfW(Addr) begin, end;
  std::string name;
};

// What an ELF file says at `offset`, as an array of T; empty where the file is too short for it.
template <class T>
std::vector<T> table(std::ifstream& file, std::uint64_t offset, std::uint64_t bytes) {
  file.clear();
  file.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(file.tellg());
  if (!file || offset > size || bytes > size - offset) return {};
  std::vector<T> result(bytes / sizeof(T));
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(reinterpret_cast<char*>(result.data()),
            static_cast<std::streamsize>(result.size() * sizeof(T)));
  return file ? result : std::vector<T>();
}

// The functions in .symtab, by address: static ones and lambdas too, which the dynamic loader does
// not know.
std::vector<Symbol> functions_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const auto header = table<ElfW(Ehdr)>(file, 0, sizeof(ElfW(Ehdr)));
  if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0) return {};
  const auto sections = table<ElfW(Shdr)>(file, header[0].e_shoff,
                                          header[0].e_shnum * std::uint64_t{sizeof(ElfW(Shdr))});
  std::vector<Symbol> result;
  for (const ElfW(Shdr) & section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const ElfW(Shdr)& strings = sections[section.sh_link];
    std::vector<char> names = table<char>(file, strings.sh_offset, strings.sh_size);
    names.push_back('\0');
    for (const ElfW(Sym) & s : table<ElfW(Sym)>(file, section.sh_offset, section.sh_size))
      if ((s.st_info & 0xf) == STT_FUNC && s.st_size > 0 && s.st_name < names.size())
        result.push_back({s.st_value, s.st_value + s.st_size, names.data() + s.st_name});
  }
  std::sort(result.begin(), result.end(),
            [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
  return result;
}

// Where the program itself was loaded, as its symbols count.
ElfW(Addr) program_base() {
  ElfW(Addr) base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        *static_cast<ElfW(Addr)*>(found) = info->dlpi_addr;
        return 1;  // the first is the program
      },
      &base);
  return base;
}

std::string in_program(ElfW(Addr) address) {
  static const std::vector<Symbol> functions = functions_of("/proc/self/exe");
  static const ElfW(Addr) base = program_base();
  const ElfW(Addr) at = address - base;
  const auto after = std::upper_bound(functions.begin(), functions.end(), at,
                                      [](ElfW(Addr) a, const Symbol& s) { return a < s.begin; });
  if (after == functions.begin() || std::prev(after)->end <= at) return {};
  return demangled(std::prev(after)->name.c_str());
}

// What the loader knows of a frame: "libc.so.6(mangled+0x1d) [0x7f…]", without a name
// "file(+0x1d)".
std::string in_library(void* frame) {
  const std::unique_ptr<char*, decltype(&std::free)> text(backtrace_symbols(&frame, 1), &std::free);
  if (text == nullptr) return "?";
  const std::string line = *text;
  const std::size_t open = line.rfind('('), plus = line.rfind('+'), close = line.rfind(')');
  if (open == std::string::npos || plus == std::string::npos || close == std::string::npos)
    return line;
  if (plus > open + 1) return demangled(line.substr(open + 1, plus - open - 1).c_str());
  const std::size_t slash = line.rfind('/', open);
  const std::size_t file = slash == std::string::npos ? 0 : slash + 1;
  return line.substr(file, open - file) + line.substr(plus, close - plus);
}

// A return address names the instruction behind the call, which may be the next function's first.
std::string name_of(void* frame) {
  const std::string name = in_program(reinterpret_cast<ElfW(Addr)>(frame) - 1);
  return name.empty() ? in_library(frame) : name;
}

}  // namespace

[[gnu::noinline]] std::vector<std::string> backtrace_lines(int skip) {
  std::array<void*, 64> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  // A sanitizer's backtrace() has a frame of its own ahead of ours.
  const auto end = frames.begin() + count;
  auto frame = std::find(frames.begin(), end, __builtin_return_address(0));
  std::vector<std::string> lines;
  for (frame += std::min<std::ptrdiff_t>(skip + 1, end - frame); frame != end; ++frame) {
    lines.push_back(name_of(*frame));
    if (lines.back() == "main") break;
  }
  return lines;
}

}  // namespace tapehead

#else

namespace tapehead {
std::vector<std::string> backtrace_lines(int) { return {}; }
}  // namespace tapehead

#endif
