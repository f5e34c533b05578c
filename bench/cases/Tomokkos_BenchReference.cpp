// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchReference.hpp"

#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos::Bench {
namespace {

template <class MemorySpace>
using Doubles = Kokkos::View<double*, MemorySpace>;

/// Factor K of the bound, see `ProductReference`.
constexpr double bound_factor = 2.0;

template <class Scalar>
constexpr double unit_round_off() {
  return 0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
}

/// Computes one row of the reference per thread.
template <class Scalar, class MemorySpace>
struct RowReference {
  CsrMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const double*, MemorySpace> x;
  Doubles<MemorySpace> value, bound;
  double unit;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    double sum = 0, size = 0;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      const double term = static_cast<double>(A.values(k)) * x(A.columns(k));
      sum += term;
      size += term < 0 ? -term : term;
    }
    const auto length = static_cast<double>(A.row_offsets(row + 1) - A.row_offsets(row));
    value(row) = sum;
    bound(row) = unit * (length + 2) * size;
  }
};

/// Adds every entry into its column, one thread per row. `bound` first receives the sums of
/// magnitudes.
template <class Scalar, class MemorySpace>
struct ColumnReference {
  CsrMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const double*, MemorySpace> x;
  Doubles<MemorySpace> value, bound, length;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      const double term = static_cast<double>(A.values(k)) * x(row);
      const Ordinal column = A.columns(k);
      Kokkos::atomic_add(&value(column), term);
      Kokkos::atomic_add(&bound(column), term < 0 ? -term : term);
      Kokkos::atomic_add(&length(column), 1.0);
    }
  }
};

template <class MemorySpace>
struct FinishBound {
  Doubles<MemorySpace> bound, length;
  double unit;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const { bound(i) *= unit * (length(i) + 2); }
};

template <class Scalar, class MemorySpace>
struct ErrorOverBound {
  ProductReference<MemorySpace> reference;
  Kokkos::View<const Scalar*, MemorySpace> y;
  static constexpr double wrong = std::numeric_limits<double>::max();

  KOKKOS_FUNCTION void operator()(const Ordinal i, double& largest) const {
    const double difference = static_cast<double>(y(i)) - reference.value(i);
    const double distance = difference < 0 ? -difference : difference;
    double error = 0;
    if (distance > 0) error = distance / reference.bound(i);
    // The value is NaN, or it is wrong where only the exact value is right.
    if (!(distance >= 0) || !(error <= wrong)) error = wrong;
    if (error > largest) largest = error;
  }
};

/// Marks the entries of A that B contains at their transposed positions.
template <class Scalar, class MemorySpace>
struct FindEntries {
  CsrMatrix<Scalar, MemorySpace> A, B;
  Kokkos::View<char*, MemorySpace> found;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset begin = B.row_offsets(row);
    const Offset end = B.row_offsets(row + 1);
    if (begin < 0 || end > static_cast<Offset>(B.values.extent(0))) return;
    for (Offset k = begin; k < end; ++k) {
      const Ordinal i = B.columns(k);
      if (i < 0 || i >= A.num_rows) continue;
      // bisection in row i of A, which is sorted
      Offset low = A.row_offsets(i);
      Offset high = A.row_offsets(i + 1);
      while (low < high) {
        const Offset middle = low + (high - low) / 2;
        if (A.columns(middle) < row)
          low = middle + 1;
        else
          high = middle;
      }
      if (low < A.row_offsets(i + 1) && A.columns(low) == row && A.values(low) == B.values(k))
        found(low) = 1;
    }
  }
};

template <class Scalar, class MemorySpace>
struct CountUnsorted {
  CsrMatrix<Scalar, MemorySpace> B;
  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& unsorted) const {
    for (Offset k = B.row_offsets(row) + 1; k < B.row_offsets(row + 1); ++k)
      if (B.columns(k - 1) >= B.columns(k)) ++unsorted;
  }
};

template <class MemorySpace>
struct CountMissing {
  Kokkos::View<const char*, MemorySpace> found;
  KOKKOS_FUNCTION void operator()(const Offset k, Offset& missing) const {
    if (!found(k)) ++missing;
  }
};

}  // namespace

template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> reference_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Doubles<MemorySpace> value("Tomokkos::Bench::reference", A.num_rows);
  const Doubles<MemorySpace> bound("Tomokkos::Bench::bound", A.num_rows);
  const RowReference<Scalar, MemorySpace> of_row{A, x, value, bound,
                                                 bound_factor * unit_round_off<Scalar>()};
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    for (Ordinal row = 0; row < A.num_rows; ++row) of_row(row);
  } else {
    Kokkos::parallel_for("Tomokkos::bench::reference",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows), of_row);
    exec.fence();
  }
  return {value, bound};
}

template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> reference_transposed_product(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Doubles<MemorySpace> value("Tomokkos::Bench::reference", A.num_cols);
  const Doubles<MemorySpace> bound("Tomokkos::Bench::bound", A.num_cols);
  const Doubles<MemorySpace> length("Tomokkos::Bench::length", A.num_cols);
  const FinishBound<MemorySpace> finish{bound, length, bound_factor * unit_round_off<Scalar>()};
  if constexpr (Impl::is_host_space<ExecutionSpace>) {
    for (Ordinal row = 0; row < A.num_rows; ++row) {
      for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
        const double term = static_cast<double>(A.values(k)) * x(row);
        value(A.columns(k)) += term;
        bound(A.columns(k)) += std::abs(term);
        length(A.columns(k)) += 1;
      }
    }
    for (Ordinal i = 0; i < A.num_cols; ++i) finish(i);
  } else {
    exec.fence();
    Kokkos::parallel_for("Tomokkos::bench::reference_transposed",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                         ColumnReference<Scalar, MemorySpace>{A, x, value, bound, length});
    Kokkos::parallel_for("Tomokkos::bench::bound",
                         Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_cols), finish);
    exec.fence();
  }
  return {value, bound};
}

template <class ExecutionSpace, class Scalar>
double largest_error(const ExecutionSpace& exec,
                     const ProductReference<typename ExecutionSpace::memory_space>& reference,
                     const Kokkos::View<const Scalar*, typename ExecutionSpace::memory_space>& y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (y.extent(0) != reference.value.extent(0)) return std::numeric_limits<double>::max();
  double largest = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::bench::error",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, static_cast<Ordinal>(y.extent(0))),
      ErrorOverBound<Scalar, MemorySpace>{reference, y}, Kokkos::Max<double>(largest));
  exec.fence();
  return std::max(largest, 0.0);
}

template <class ExecutionSpace, class Scalar>
double transposition_error(const ExecutionSpace& exec,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& B) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Offset nonzeros = A.num_nonzeros();
  if (B.num_rows != A.num_cols || B.num_cols != A.num_rows || B.num_nonzeros() != nonzeros ||
      B.columns.extent(0) != B.values.extent(0) ||
      B.row_offsets.extent(0) != static_cast<std::size_t>(B.num_rows) + 1)
    return 1 + static_cast<double>(std::max<Offset>(nonzeros, 1));

  // If B has as many entries as A, and every entry of A is found in B, then B is the transpose.
  const Kokkos::View<char*, MemorySpace> found("Tomokkos::Bench::found", nonzeros);
  exec.fence();
  Kokkos::parallel_for("Tomokkos::bench::find_entries",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, B.num_rows),
                       FindEntries<Scalar, MemorySpace>{A, B, found});
  Offset missing = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::bench::count_missing",
      Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>>(exec, 0, nonzeros),
      CountMissing<MemorySpace>{found}, missing);
  exec.fence();
  return missing == 0 ? 0.0 : 1 + static_cast<double>(missing);
}

template <class ExecutionSpace, class Scalar>
bool has_sorted_rows(const ExecutionSpace& exec,
                     const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& B) {
  Offset unsorted = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::bench::count_unsorted", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, B.num_rows),
      CountUnsorted<Scalar, typename ExecutionSpace::memory_space>{B}, unsorted);
  exec.fence();
  return unsorted == 0;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                   \
  template ProductReference<SPACE::memory_space> reference_product<SPACE, SCALAR>(            \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                            \
      const Kokkos::View<const double*, SPACE::memory_space>&);                               \
  template ProductReference<SPACE::memory_space> reference_transposed_product<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                            \
      const Kokkos::View<const double*, SPACE::memory_space>&);                               \
  template double largest_error<SPACE, SCALAR>(                                               \
      const SPACE&, const ProductReference<SPACE::memory_space>&,                             \
      const Kokkos::View<const SCALAR*, SPACE::memory_space>&);                               \
  template double transposition_error<SPACE, SCALAR>(                                         \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                            \
      const CsrMatrix<SCALAR, SPACE::memory_space>&);                                         \
  template bool has_sorted_rows<SPACE, SCALAR>(const SPACE&,                                  \
                                               const CsrMatrix<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
