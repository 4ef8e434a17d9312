// Functions of every dtype: comparisons, choices and conversions.
#include "elementwise.h"
#include "rows.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

struct Eq {
  template <class T>
  static bool of(T x, T y) {
    return x == y;
  }
};
struct Ne {
  template <class T>
  static bool of(T x, T y) {
    return x != y;
  }
};
struct Lt {
  template <class T>
  static bool of(T x, T y) {
    return x < y;
  }
};
struct Le {
  template <class T>
  static bool of(T x, T y) {
    return x <= y;
  }
};
struct Gt {
  template <class T>
  static bool of(T x, T y) {
    return x > y;
  }
};
struct Ge {
  template <class T>
  static bool of(T x, T y) {
    return x >= y;
  }
};
struct Where {
  template <class C, class T>
  static T of(C condition, T x, T y) {
    return condition ? x : y;
  }
};

// From reals to whole numbers as x86 converts: what does not fit becomes the smallest.
template <class To>
struct As {
  template <class From>
  static To of(From x) {
    return static_cast<To>(x);
  }
};
template <>
struct As<bool> {
  template <class From>
  static bool of(From x) {
    return x != 0;
  }
};
template <>
struct As<Index> {
  static Index of(Index x) { return x; }
  static Index of(bool x) { return x; }
  template <class From>
  static Index of(From x) {
    constexpr From limit = 0x1p63f;
    return x >= -limit && x < limit ? static_cast<Index>(x) : Index{-0x7fffffffffffffff} - 1;
  }
};

template <class F, class T>
constexpr RowKernel comparison = zip<Simply<F>, bool, T, T>;
template <class To, class From>
constexpr RowKernel conversion = map<Simply<As<To>>, To, From>;

template <class T>
constexpr AnyKernels<T> any{comparison<Eq, T>,
                            comparison<Ne, T>,
                            comparison<Lt, T>,
                            comparison<Le, T>,
                            comparison<Gt, T>,
                            comparison<Ge, T>,
                            zip3<Mostly<Where>, T, bool, T, T>,
                            conversion<T, float>,
                            conversion<T, double>,
                            conversion<T, Index>,
                            conversion<T, bool>};

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const AnyKernels<T>& AnyKernels<T>::of() {
  return TAPEHEAD_ISA::any<T>;
}
template const AnyKernels<float>& AnyKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const AnyKernels<double>& AnyKernels<double>::of<Isa::TAPEHEAD_ISA>();
template const AnyKernels<Index>& AnyKernels<Index>::of<Isa::TAPEHEAD_ISA>();
template const AnyKernels<bool>& AnyKernels<bool>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
