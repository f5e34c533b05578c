// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchSpread.hpp"

#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos::Bench {
namespace {

/// Entries of `a - b` in double, or of a if b is empty.
template <class Scalar, class MemorySpace>
struct Difference {
  Vector<Scalar, MemorySpace> a, b;

  KOKKOS_FUNCTION double at(Offset i) const {
    const auto value = static_cast<double>(a(i));
    return b.extent(0) == 0 ? value : value - static_cast<double>(b(i));
  }
};

template <class Scalar, class MemorySpace>
struct LargestDifference {
  Difference<Scalar, MemorySpace> difference;
  double unbounded;

  KOKKOS_FUNCTION void operator()(const Offset i, double& largest) const {
    double size = difference.at(i);
    if (size < 0) size = -size;
    if (!(size <= unbounded)) size = unbounded;  // NaN
    if (size > largest) largest = size;
  }
};

template <class Scalar, class MemorySpace>
struct SquaredDifference {
  Difference<Scalar, MemorySpace> difference;

  KOKKOS_FUNCTION void operator()(const Offset i, double& sum) const {
    sum += difference.at(i) * difference.at(i);
  }
};

struct Size {
  double largest = 0, squares = 0;
};

template <class ExecutionSpace, class Scalar>
Size size_of(const ExecutionSpace& exec,
             const Difference<Scalar, typename ExecutionSpace::memory_space>& difference) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto range = Impl::element_range(exec, difference.a.extent(0));
  Size size;
  Kokkos::parallel_reduce(
      "Tomokkos::bench::spread::largest", range,
      LargestDifference<Scalar, MemorySpace>{difference, std::numeric_limits<double>::infinity()},
      Kokkos::Max<double>(size.largest));
  Kokkos::parallel_reduce("Tomokkos::bench::spread::squares", range,
                          SquaredDifference<Scalar, MemorySpace>{difference}, size.squares);
  size.largest = std::max(size.largest, 0.0);  // for empty vectors
  return size;
}

/// Ratio of a difference to a size. It is 0 if the difference is 0, even if the size is, too.
double over_size(double difference, double size) { return difference == 0 ? 0 : difference / size; }

}  // namespace

template <class ExecutionSpace, class Scalar>
SpreadFigures spread_of(const ExecutionSpace& exec, const std::function<void()>& launch,
                        const Vector<Scalar, typename ExecutionSpace::memory_space>& y, int runs) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto first =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::first", y.extent(0));
  SpreadFigures figures;
  figures.runs = runs;
  double squares = 0;
  for (int run = 0; run < runs; ++run) {
    launch();
    exec.fence();
    if (run == 0) {
      Kokkos::deep_copy(exec, first, y);
      exec.fence();
      continue;
    }
    const Size apart = size_of<ExecutionSpace, Scalar>(exec, {y, first});
    figures.largest = std::max(figures.largest, apart.largest);
    squares += apart.squares;
  }
  const Size whole = size_of<ExecutionSpace, Scalar>(exec, {first, {}});
  figures.largest = over_size(figures.largest, whole.largest);
  figures.rms = over_size(std::sqrt(squares / std::max(1, runs - 1)), std::sqrt(whole.squares));
  return figures;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                   \
  template SpreadFigures spread_of<SPACE, SCALAR>(const SPACE&, const std::function<void()>&, \
                                                  const Vector<SCALAR, SPACE::memory_space>&, \
                                                  int);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
