#include "reduce.h"

#include "lanes.h"

namespace tapehead::core::kernels {
namespace TAPEHEAD_ISA {
namespace {

// Floats are added up in 32 lanes of their own precision, 16 to a lane; lanes in double.
constexpr Index chunk = 512, chunk_lanes = 32;

template <class T>
void add_chunk(Index n, const T* x, double* wide) {
  constexpr int groups = chunk_lanes / lanes<T>;
  Lanes<T> sums[groups];
  for (Lanes<T>& s : sums) s = all(T(0));
  Index i = 0;
  for (; i + chunk_lanes <= n; i += chunk_lanes)
    for (int k = 0; k < groups; ++k) add(sums[k], load_lanes(x + i + k * lanes<T>));
  T row[chunk_lanes];
  for (int k = 0; k < groups; ++k) store_lanes(row + k * lanes<T>, sums[k]);
  for (Index k = 0; i < n; ++i, ++k) row[k] += x[i];
  for (Index k = 0; k < chunk_lanes; ++k) wide[k] += static_cast<double>(row[k]);
}

// f(n, x) for chunks of a row, which are gathered first where its elements are apart.
template <class T, class F>
void for_chunks(Index n, const T* x, Index step, F f) {
  T gathered[chunk];
  for (Index start = 0; start < n; start += chunk) {
    const Index m = n - start < chunk ? n - start : chunk;
    if (step != 1)
      for (Index i = 0; i < m; ++i) gathered[i] = x[(start + i) * step];
    f(m, step == 1 ? x + start : gathered);
  }
}

// So few that halving lanes would cost more than adding does.
constexpr Index short_row = 16;
template <class T>
void sum_short_row(Index n, const T* x, Index step, double* total) {
  double sum = 0;
  for (Index i = 0; i < n; ++i) sum += static_cast<double>(x[i * step]);
  *total += sum;
}

template <class T>
void sum_row(Index n, const T* x, Index step, typename Total<T>::type* total) {
  if constexpr (is_real<T>) {
    if (n <= short_row) return sum_short_row(n, x, step, total);
    double wide[chunk_lanes] = {};
    for_chunks(n, x, step, [&](Index m, const T* y) { add_chunk(m, y, wide); });
    for (Index half = chunk_lanes / 2; half > 0; half /= 2)
      for (Index k = 0; k < half; ++k) wide[k] += wide[k + half];
    *total += wide[0];
  } else {
    auto sum = static_cast<std::uint64_t>(*total);  // wraps around
    for (Index i = 0; i < n; ++i) sum += static_cast<std::uint64_t>(x[i * step]);
    *total = static_cast<Index>(sum);
  }
}

// sums[j] = x[j] + x[row + j] + …, `rows` of them.
template <class T>
void add_rows(Index rows, Index row, Index n, const T* x, T* sums) {
  Index j = 0;
  for (; j + width<T> <= n; j += width<T>) {
    Vec<T> v = load(x + j);
    for (Index r = 1; r < rows; ++r) v += load(x + r * row + j);
    store(sums + j, v);
  }
  for (; j < n; ++j) {
    T v = x[j];
    for (Index r = 1; r < rows; ++r) v += x[r * row + j];
    sums[j] = v;
  }
}

template <class T>
void sum_columns(Index rows, Index row, Index n, const T* x, Index step,
                 typename Total<T>::type* totals) {
  if constexpr (is_real<T>) {
    T sums[Reduction<T, double>::most_columns];
    if (step == 1) {
      add_rows(rows, row, n, x, sums);
    } else {
      for (Index j = 0; j < n; ++j) sums[j] = x[j * step];
      for (Index r = 1; r < rows; ++r)
        for (Index j = 0; j < n; ++j) sums[j] += x[r * row + j * step];
    }
    for (Index j = 0; j < n; ++j) totals[j] += static_cast<double>(sums[j]);
  } else {
    for (Index r = 0; r < rows; ++r)
      for (Index j = 0; j < n; ++j)
        totals[j] = static_cast<Index>(static_cast<std::uint64_t>(totals[j]) +
                                       static_cast<std::uint64_t>(x[r * row + j * step]));
  }
}

template <class T>
void multiply(typename Total<T>::type* product, T x) {
  if constexpr (is_real<T>)
    *product *= static_cast<double>(x);
  else
    *product = static_cast<Index>(static_cast<std::uint64_t>(*product) *
                                  static_cast<std::uint64_t>(x));  // wraps around
}

template <class T>
void multiply_row(Index n, const T* x, Index step, typename Total<T>::type* product) {
  for (Index i = 0; i < n; ++i) multiply(product, x[i * step]);
}

template <class T>
void multiply_columns(Index rows, Index row, Index n, const T* x, Index step,
                      typename Total<T>::type* products) {
  for (Index r = 0; r < rows; ++r)
    for (Index j = 0; j < n; ++j) multiply(products + j, x[r * row + j * step]);
}

// The better of what is best so far and x; NaN is better than anything.
struct Larger {
  template <class V>
  static V of(V best, V x) {
    return best >= x || best != best ? best : x;
  }
  template <class V>
  static V of_vectors(V best, V x) {
    return ((best >= x) | (best != best)) ? best : x;
  }
};
struct Smaller {
  template <class V>
  static V of(V best, V x) {
    return best <= x || best != best ? best : x;
  }
  template <class V>
  static V of_vectors(V best, V x) {
    return ((best <= x) | (best != best)) ? best : x;
  }
};

template <class Better, class T>
T best_of(Index n, const T* x) {
  T best = x[0];
  Index i = 0;
  if constexpr (is_real<T>) {
    constexpr int count = 4;
    if (n >= count * width<T>) {
      Vec<T> bests[count];
      for (int k = 0; k < count; ++k) bests[k] = load(x + k * width<T>);
      for (i = count * width<T>; i + count * width<T> <= n; i += count * width<T>)
        for (int k = 0; k < count; ++k)
          bests[k] = Better::of_vectors(bests[k], load(x + i + k * width<T>));
      for (int k = 1; k < count; ++k) bests[0] = Better::of_vectors(bests[0], bests[k]);
      for (int k = 0; k < width<T>; ++k) best = Better::of(best, bests[0][k]);
    }
  }
  for (; i < n; ++i) best = Better::of(best, x[i]);
  return best;
}

template <class Better, class T>
void best_row(Index n, const T* x, Index step, T* best) {
  for_chunks(n, x, step,
             [&](Index m, const T* y) { *best = Better::of(*best, best_of<Better>(m, y)); });
}

template <class Better, class T>
void best_columns(Index rows, Index row, Index n, const T* x, Index step, T* best) {
  Index done = 0;
  if constexpr (is_real<T>)
    for (; step == 1 && done + width<T> <= n; done += width<T>) {
      Vec<T> v = load(best + done);
      for (Index r = 0; r < rows; ++r) v = Better::of_vectors(v, load(x + r * row + done));
      store(best + done, v);
    }
  for (Index r = 0; r < rows; ++r)
    for (Index j = done; j < n; ++j) best[j] = Better::of(best[j], x[r * row + j * step]);
}

}  // namespace
}  // namespace TAPEHEAD_ISA

template <class T>
template <Isa>
const ReduceKernels<T>& ReduceKernels<T>::of() {
  namespace here = TAPEHEAD_ISA;
  static constexpr ReduceKernels table{
      {here::sum_row<T>, here::sum_columns<T>},
      {here::multiply_row<T>, here::multiply_columns<T>},
      {here::best_row<here::Larger, T>, here::best_columns<here::Larger, T>},
      {here::best_row<here::Smaller, T>, here::best_columns<here::Smaller, T>}};
  return table;
}
template const ReduceKernels<float>& ReduceKernels<float>::of<Isa::TAPEHEAD_ISA>();
template const ReduceKernels<double>& ReduceKernels<double>::of<Isa::TAPEHEAD_ISA>();
template const ReduceKernels<Index>& ReduceKernels<Index>::of<Isa::TAPEHEAD_ISA>();
template const ReduceKernels<bool>& ReduceKernels<bool>::of<Isa::TAPEHEAD_ISA>();

}  // namespace tapehead::core::kernels
