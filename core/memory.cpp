#include "memory.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <locale>
#include <new>
#include <sstream>

#include "error.h"
#if defined(__unix__)
#include <unistd.h>
#endif

namespace tapehead::core {
namespace {

std::atomic<std::uint64_t> reserved{0}, limit{0};
constexpr std::align_val_t line{64};

std::uint64_t free_bytes() {
#if defined(_SC_AVPHYS_PAGES)
  std::ifstream info("/proc/meminfo");
  for (std::string key, rest; info >> key; std::getline(info, rest))
    if (std::uint64_t kib = 0; key == "MemAvailable:" && info >> kib) return kib * 1024;
  const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0)
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page);
#endif
  return std::uint64_t{4} << 30;
}

std::uint64_t default_limit() {
  const char* text = std::getenv("TAPEHEAD_MEMORY_LIMIT");
  return text && *text ? parse_bytes(text) : free_bytes() / 4 * 3;
}

// "1.5 GiB" reads better than 1610612736, to which rounding it down must not lie.
std::string readable(std::uint64_t bytes) {
  static constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  std::ostringstream out;
  out << std::setprecision(4) << value << ' ' << units.at(unit);
  return out.str();
}

// Lives as long as the thread; made on the first slow path, so that `pool` itself stays trivial.
struct Drain {
  ~Drain() {
    detail::pool.closed = true;
    empty_cache();
  }
};

void release(void* block, std::uint64_t bytes) noexcept {
  reserved -= bytes;
  ::operator delete(block, line);
}

}  // namespace

void* detail::reserve(std::uint64_t bytes) {
  static thread_local Drain drain;
  [[maybe_unused]] Drain* made = &drain;
  check_budget(bytes, [bytes](std::ostream& out) { out << "a block of " << bytes << " bytes"; });
  void* block = ::operator new(static_cast<std::size_t>(bytes), line);
  reserved += bytes;
  ++pool.live;
  return block;
}

void detail::give_back(void* block, std::uint64_t bytes) noexcept {
  --pool.live;
  release(block, bytes);
}

std::uint64_t parse_bytes(const std::string& text) {
  static constexpr std::array<std::pair<const char*, double>, 13> units{{{"", 1},
                                                                         {"b", 1},
                                                                         {"k", 1024},
                                                                         {"kib", 1024},
                                                                         {"kb", 1e3},
                                                                         {"m", 1 << 20},
                                                                         {"mib", 1 << 20},
                                                                         {"mb", 1e6},
                                                                         {"g", 1 << 30},
                                                                         {"gib", 1 << 30},
                                                                         {"gb", 1e9},
                                                                         {"t", 0x1p40},
                                                                         {"tib", 0x1p40}}};
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  double number = -1;
  std::string unit, rest;
  in >> number;
  const bool read = !in.fail();
  in.clear();
  in >> unit >> rest;
  for (char& c : unit) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const auto& [known, factor] : units)
    if (read && number > 0 && rest.empty() && unit == known && number * factor < 0x1p63)
      return static_cast<std::uint64_t>(number * factor);
  fail<Error>("TAPEHEAD_MEMORY_LIMIT: expected a size such as 8GiB, 500MB or 4096, got \"", text,
              "\"");
}

void check_budget(std::uint64_t bytes, const std::function<void(std::ostream&)>& what) {
  const std::uint64_t most = memory_limit();
  if (bytes <= most && reserved + bytes <= most) return;
  empty_cache();
  const std::uint64_t held = reserved;
  if (bytes <= most && held + bytes <= most) return;
  std::ostringstream wanted;
  what(wanted);
  fail<MemoryError>("allocate: ", wanted.str(), " needs ", readable(bytes), ", with ",
                    readable(held), " held and a limit of ", readable(most),
                    "; use smaller tensors or raise TAPEHEAD_MEMORY_LIMIT");
}

std::uint64_t reserved_bytes() { return reserved; }
std::uint64_t memory_limit() {
  if (limit == 0) limit = default_limit();
  return limit;
}
void set_memory_limit(std::uint64_t bytes) { limit = bytes; }

void empty_cache() noexcept {
  for (std::size_t index = 0; index < detail::class_count; ++index) {
    const std::size_t shift = index < 8 ? 0 : index / 4 - 1, step = index - shift * 4;
    while (void* block = detail::pool.free[index]) {
      detail::pool.free[index] = *static_cast<void**>(block);
      release(block, std::uint64_t{step + 1} << (shift + 6));
    }
  }
}

}  // namespace tapehead::core
