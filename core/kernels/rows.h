// From a function of elements, or of vectors of them, to a row kernel.
#pragma once

#include "elementwise.h"
#include "isa.h"

namespace tapehead::core::kernels::TAPEHEAD_ISA {

/// One element at a time: F::of(a, b, …). The compiler makes vectors of it.
template <class F>
struct Simply {
  template <class Out, class... In>
  static void run(Index n, Out* out, const In*... in) {
    for (Index i = 0; i < n; ++i) out[i] = F::of(in[i]...);
  }
};

/// Bool as what a comparison of T gives: all bits or none.
template <class T>
inline auto load_mask(const bool* p) {
  typedef signed char Bytes __attribute__((vector_size(width<T>)));
  Bytes bytes;
  __builtin_memcpy(&bytes, p, sizeof bytes);
  return __builtin_convertvector(bytes != 0, decltype(Vec<T>{} == Vec<T>{}));
}

/// F::of(vectors), and of what is left over one by one, where T is real; else as Simply.
template <class F>
struct Mostly {
  template <class T, class... In>
  static void run(Index n, T* out, const In*... in) {
    Index i = 0;
    if constexpr (is_real<T>)
      for (; i + width<T> <= n; i += width<T>) store(out + i, F::of(load_as<T>(in + i)...));
    for (; i < n; ++i) out[i] = F::of(in[i]...);
  }

 private:
  template <class T>
  static Vec<T> load_as(const T* p) {
    return load(p);
  }
  template <class T>
  static auto load_as(const bool* p) {
    return load_mask<T>(p);
  }
};

/// F::of(vectors), the last one filled up with ones: for what is too long to be done one by one.
template <class F>
struct InVectors {
  template <class T, class... In>
  static void run(Index n, T* out, const In*... in) {
    Index i = 0;
    for (; i + width<T> <= n; i += width<T>) store(out + i, F::of(load(in + i)...));
    if (i < n) store_first(n - i, out + i, F::of(load_first(n - i, in + i)...));
  }

 private:
  template <class T>
  static Vec<T> load_first(Index n, const T* p) {
    T row[width<T>];
    for (int i = 0; i < width<T>; ++i) row[i] = i < n ? p[i] : T(1);
    return load(row);
  }
  template <class T>
  static void store_first(Index n, T* p, Vec<T> v) {
    T row[width<T>];
    store(row, v);
    for (Index i = 0; i < n; ++i) p[i] = row[i];
  }
};

template <class Run, class Out, class A>
void map(Index n, std::byte* const* data) {
  Run::run(n, reinterpret_cast<Out*>(data[0]), reinterpret_cast<const A*>(data[1]));
}

template <class Run, class Out, class A, class B>
void zip(Index n, std::byte* const* data) {
  Run::run(n, reinterpret_cast<Out*>(data[0]), reinterpret_cast<const A*>(data[1]),
           reinterpret_cast<const B*>(data[2]));
}

template <class Run, class Out, class A, class B, class C>
void zip3(Index n, std::byte* const* data) {
  Run::run(n, reinterpret_cast<Out*>(data[0]), reinterpret_cast<const A*>(data[1]),
           reinterpret_cast<const B*>(data[2]), reinterpret_cast<const C*>(data[3]));
}

}  // namespace tapehead::core::kernels::TAPEHEAD_ISA
