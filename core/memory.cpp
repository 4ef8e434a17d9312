#include "memory.h"

#include <array>
#include <atomic>
#include <cstdlib>
#include <iomanip>
#include <new>

#include "detail/free_memory.h"
#include "error.h"

namespace tapehead::core {
namespace {

std::atomic<std::uint64_t> reserved{0}, limit{0};
constexpr std::align_val_t line{64};

std::uint64_t default_limit() {
  const char* text = std::getenv("TAPEHEAD_MEMORY_LIMIT");
  return text && *text ? parse_bytes(text) : free_memory() / 4 * 3;
}

// "1.5 GiB" reads better than 1610612736, to which rounding it down must not lie.
std::string readable(std::uint64_t bytes) {
  static constexpr std::array units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1024 && unit + 1 < units.size(); ++unit) value /= 1024;
  return to_text(std::setprecision(4), value, ' ', units.at(unit));
}

// Lives as long as the thread; made on the first slow path, so that `pool` itself stays trivial.
struct Drain {
  Drain() { detail::pool.open = true; }
  ~Drain() {
    detail::pool.open = false;
    detail::pool.ended = true;
    empty_cache();
  }
};
void open_pool() {
  static thread_local Drain drain;
  [[maybe_unused]] Drain* made = &drain;
}

void release(void* block, std::uint64_t bytes) noexcept {
  reserved -= bytes;
  ::operator delete(block, line);
}

}  // namespace

void* detail::reserve(std::uint64_t bytes) {
  if (!pool.ended) open_pool();
  check_budget(bytes, [bytes](std::ostream& out) { out << "a block of " << bytes << " bytes"; });
  void* block = ::operator new(static_cast<std::size_t>(bytes), line);
  reserved += bytes;
  ++pool.live;
  return block;
}

void detail::give_back(void* block, std::uint64_t bytes) noexcept {
  if (TAPEHEAD_POOLED && bytes <= largest_pooled && !pool.open && !pool.ended) {
    open_pool();  // a thread whose first act is to free what another made
    return deallocate(block, bytes);
  }
  --pool.live;
  release(block, bytes);
}

namespace {

// What reads "1.5" as 1.5 wherever it runs: streams and strtod differ by library and locale.
double leading_number(const char*& at) {
  double number = 0, digit = 1;
  for (; *at >= '0' && *at <= '9'; ++at) number = number * 10 + (*at - '0');
  if (*at == '.')
    for (++at; *at >= '0' && *at <= '9'; ++at) number += (digit /= 10) * (*at - '0');
  return number;
}

// Bytes of a unit, its letters in any case; 0 for what is none.
double unit_bytes(std::string unit) {
  static constexpr std::array<std::pair<const char*, double>, 14> units{{{"", 1},
                                                                         {"b", 1},
                                                                         {"k", 0x1p10},
                                                                         {"kib", 0x1p10},
                                                                         {"kb", 1e3},
                                                                         {"m", 0x1p20},
                                                                         {"mib", 0x1p20},
                                                                         {"mb", 1e6},
                                                                         {"g", 0x1p30},
                                                                         {"gib", 0x1p30},
                                                                         {"gb", 1e9},
                                                                         {"t", 0x1p40},
                                                                         {"tib", 0x1p40},
                                                                         {"tb", 1e12}}};
  for (char& c : unit) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const auto& [known, bytes] : units)
    if (unit == known) return bytes;
  return 0;
}

}  // namespace

std::uint64_t parse_bytes(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  if (begin != std::string::npos) {
    const std::string trimmed = text.substr(begin, end - begin + 1);
    const char* at = trimmed.c_str();
    const double number = leading_number(at);
    while (*at == ' ') ++at;
    const double bytes = number * unit_bytes(at);
    if (bytes >= 1 && bytes < 0x1p63) return static_cast<std::uint64_t>(bytes);
  }
  fail("TAPEHEAD_MEMORY_LIMIT: expected a size such as 8GiB, 500MB or 4096, got \"", text, "\"");
}

void check_budget(std::uint64_t bytes, const std::function<void(std::ostream&)>& what) {
  const std::uint64_t most = memory_limit();
  if (bytes <= most && reserved + bytes <= most) return;
  empty_cache();
  const std::uint64_t held = reserved;
  if (bytes <= most && held + bytes <= most) return;
  TextStream wanted;
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
