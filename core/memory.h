// Memory: every block the library uses comes from one caching pool, so a training step that has
// run once never reaches malloc again. Also the intrusive pointer `Ref`, which owns such blocks.
//
// Free lists are per thread; a block may be freed on another thread and then serves that thread.
// Sizes are 64 bits wide even where pointers are not, so that an absurd one is seen as such.
// Under AddressSanitizer the pool passes straight through, so that every block is watched.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <utility>

#if defined(__SANITIZE_ADDRESS__)
#define TAPEHEAD_POOLED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAPEHEAD_POOLED 0
#endif
#endif
#ifndef TAPEHEAD_POOLED
#define TAPEHEAD_POOLED 1
#endif

namespace tapehead::core {

namespace detail {

// Classes are 1..8 lines of 64 bytes, then four steps a doubling: at most 25 % is wasted.
struct SizeClass {
  std::size_t index;
  std::uint64_t bytes;
};
constexpr SizeClass size_class(std::uint64_t bytes) {
  const std::uint64_t lines = (bytes ? bytes - 1 : 0) / 64;  // one less than are needed
  const auto width = static_cast<std::uint64_t>(std::bit_width(lines));
  const std::uint64_t shift = width > 3 ? width - 3 : 0, step = lines >> shift;
  return {static_cast<std::size_t>(shift * 4 + step), (step + 1) << (shift + 6)};
}
}  // namespace detail

/// Blocks larger than this, in bytes, go to the system and back each time.
inline constexpr std::uint64_t largest_pooled = std::uint64_t{256} << 20;

namespace detail {

inline constexpr std::size_t class_count = size_class(largest_pooled).index + 1;

// Trivially constructed and destroyed, so reaching it needs no guard; draining is set up apart.
struct Pool {
  std::array<void*, class_count> free{};
  std::int64_t live = 0;
  bool open = false;   // not before its end is set up, nor after: blocks then take the slow path
  bool ended = false;  // the thread is ending: give blocks back at once
};
inline constinit thread_local Pool pool;

void* reserve(std::uint64_t bytes);
void give_back(void* block, std::uint64_t bytes) noexcept;

}  // namespace detail

/// At least `bytes` uninitialised bytes, 64-byte aligned. Throws MemoryError beyond the limit.
inline void* allocate(std::uint64_t bytes) {
  if (bytes > largest_pooled) [[unlikely]]
    return detail::reserve(bytes);
  const auto [index, size] = detail::size_class(bytes);
  void*& head = detail::pool.free[index];
  if (head == nullptr) [[unlikely]]
    return detail::reserve(size);
  ++detail::pool.live;
  return std::exchange(head, *static_cast<void**>(head));
}

/// Returns a block of `allocate(bytes)`.
inline void deallocate(void* block, std::uint64_t bytes) noexcept {
  const auto [index, size] = detail::size_class(bytes);
  if (!TAPEHEAD_POOLED || bytes > largest_pooled || !detail::pool.open) [[unlikely]]
    return detail::give_back(block, bytes > largest_pooled ? bytes : size);
  --detail::pool.live;
  *static_cast<void**>(block) = std::exchange(detail::pool.free[index], block);
}

/// Blocks this thread has allocated and not yet freed.
inline std::int64_t live_blocks() { return detail::pool.live; }

/// Bytes held from the system, in use or cached.
std::uint64_t reserved_bytes();

/// The most bytes that may be held: TAPEHEAD_MEMORY_LIMIT (bytes, or with a unit: "8GiB", "500MB"),
/// else 75 % of what the machine, or its control group, has free when first asked.
std::uint64_t memory_limit();
/// 0 restores the default.
void set_memory_limit(std::uint64_t bytes);

/// The number of bytes in "4096", "8GiB", "1.5 GB", "64k"; Error for anything else.
std::uint64_t parse_bytes(const std::string& text);

/// MemoryError naming `what` if `bytes` more would pass the limit. Nothing is allocated.
void check_budget(std::uint64_t bytes, const std::function<void(std::ostream&)>& what);

/// Gives this thread's cached blocks back to the system.
void empty_cache() noexcept;

/// For standard containers.
template <class T>
struct PoolAllocator {
  using value_type = T;
  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(core::allocate(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) { core::deallocate(p, n * sizeof(T)); }
  bool operator==(const PoolAllocator&) const { return true; }
};

/// A count of owners. Atomic, so that threads may share what they only read.
class RefCount {
 public:
  void add() { count_.fetch_add(1, std::memory_order_relaxed); }
  bool drop() { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  std::uint32_t value() const { return count_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint32_t> count_{1};
};

/// An owning pointer to a T that carries its own count `refs`; the last one calls destroy(T*).
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* fresh) : p_(fresh) {}  // takes over the first count
  static Ref share(T* p) { return p->refs.add(), Ref(p); }
  Ref(const Ref& other) : p_(other.p_) {
    if (p_) p_->refs.add();
  }
  Ref(Ref&& other) noexcept : p_(std::exchange(other.p_, nullptr)) {}
  Ref& operator=(Ref other) noexcept { return std::swap(p_, other.p_), *this; }
  ~Ref() {
    if (p_ && p_->refs.drop()) destroy(p_);
  }

  T* operator->() const { return p_; }
  T& operator*() const { return *p_; }
  T* raw() const { return p_; }
  explicit operator bool() const { return p_ != nullptr; }
  bool unique() const { return p_->refs.value() == 1; }

 private:
  T* p_ = nullptr;
};

}  // namespace tapehead::core
