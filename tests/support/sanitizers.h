// Whether a sanitizer watches this program: by GCC's macros, or by Clang's features.
#pragma once

#include <tapehead/core/memory.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TAPEHEAD_THREADS_WATCHED 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define TAPEHEAD_THREADS_WATCHED 1
#endif
#ifndef TAPEHEAD_THREADS_WATCHED
#define TAPEHEAD_THREADS_WATCHED 0
#endif

namespace tapehead::testing {

inline constexpr bool memory_watched = !TAPEHEAD_POOLED;
inline constexpr bool sanitized = memory_watched || TAPEHEAD_THREADS_WATCHED;

}  // namespace tapehead::testing
