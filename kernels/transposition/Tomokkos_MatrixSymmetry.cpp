// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_Transpose.hpp>
#include <cmath>
#include <cstdio>
#include <type_traits>

namespace Tomokkos {

namespace {

/// Counts the elements in which two arrays differ.
template <class View>
struct CountDifferences {
  View a, b;
  KOKKOS_FUNCTION void operator()(const Offset i, Offset& count) const {
    if (!(a(i) == b(i))) ++count;
  }
};

template <class ExecutionSpace, class View>
bool equal(const ExecutionSpace& exec, const View& a, const View& b) {
  Offset differences = 0;
  Kokkos::parallel_reduce("Tomokkos::matrix_symmetry::compare",
                          Impl::element_range(exec, a.extent(0)), CountDifferences<View>{a, b},
                          differences);
  return differences == 0;
}

/// Visits the union of the columns in a row of A and of its transpose, both sorted.
template <class Scalar, class MemorySpace>
struct ComparedRow {
  CsrMatrix<Scalar, MemorySpace> A, T;
  Vector<Scalar, MemorySpace> diagonal;

  /// Calls `take(column, a_ij, a_ji, relative difference)`.
  template <class Take>
  KOKKOS_FUNCTION void operator()(const Offset row, const Take& take) const {
    Offset k = A.row_offsets(row), l = T.row_offsets(row);
    const Offset a_end = A.row_offsets(row + 1), t_end = T.row_offsets(row + 1);
    while (k < a_end || l < t_end) {
      const bool has_a = k < a_end && (l >= t_end || A.columns(k) <= T.columns(l));
      const bool has_t = l < t_end && (k >= a_end || T.columns(l) <= A.columns(k));
      const Ordinal column = has_a ? A.columns(k) : T.columns(l);
      const double a = has_a ? static_cast<double>(A.values(k++)) : 0.0;
      const double t = has_t ? static_cast<double>(T.values(l++)) : 0.0;
      const double difference = a < t ? t - a : a - t;
      double size = (a < 0 ? -a : a) > (t < 0 ? -t : t) ? (a < 0 ? -a : a) : (t < 0 ? -t : t);
      const double diagonals = root(diagonal(row)) * root(diagonal(column));
      if (diagonals > size) size = diagonals;
      take(column, a, t, difference > 0 ? difference / size : 0.0);
    }
  }
  KOKKOS_FUNCTION static double root(const Scalar value) {
    const double d = static_cast<double>(value);
    return sqrt(d < 0 ? -d : d);
  }
};

template <class Scalar, class MemorySpace>
struct TakeDiagonal {
  CsrMatrix<Scalar, MemorySpace> A;
  Vector<Scalar, MemorySpace> diagonal;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    Scalar value = 0;
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
      if (A.columns(k) == i) value = A.values(k);
    diagonal(i) = value;
  }
};

/// Keeps the largest difference.
struct LargestOfRow {
  double* largest;
  KOKKOS_FUNCTION void operator()(Ordinal, double, double, double difference) const {
    if (difference > *largest) *largest = difference;
  }
};

using Largest = Kokkos::MaxLoc<double, Offset>;

template <class Scalar, class MemorySpace>
struct FindLargest {
  ComparedRow<Scalar, MemorySpace> compared;
  KOKKOS_FUNCTION void operator()(const Offset row, Largest::value_type& found) const {
    double largest = 0;
    compared(row, LargestOfRow{&largest});
    if (largest > found.val) {
      found.val = largest;
      found.loc = row;
    }
  }
};

/// Stores the entries with the largest difference in a row.
struct WriteLargest {
  double* told;  // difference, column, both entries
  KOKKOS_FUNCTION void operator()(Ordinal column, double a, double t, double difference) const {
    if (!(difference > told[0])) return;
    told[0] = difference;
    told[1] = column;
    told[2] = a;
    told[3] = t;
  }
};

template <class Scalar, class MemorySpace>
struct ReportLargest {
  ComparedRow<Scalar, MemorySpace> compared;
  Vector<double, MemorySpace> told;
  Offset row;
  KOKKOS_FUNCTION void operator()(const Offset) const {
    for (int i = 0; i < 4; ++i) told(i) = 0;
    compared(row, WriteLargest{told.data()});
  }
};

/// Finds the largest difference of a matrix that does not equal its transpose.
template <class ExecutionSpace, class Scalar>
void find_largest(const ExecutionSpace& exec,
                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& T,
                  MatrixSymmetry& result) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const ComparedRow<Scalar, MemorySpace> compared{
      A, T,
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::matrix_symmetry::diagonal",
                                            A.num_rows)};
  const auto rows = Impl::element_range(exec, static_cast<std::size_t>(A.num_rows));
  Kokkos::parallel_for("Tomokkos::matrix_symmetry::diagonal", rows,
                       TakeDiagonal<Scalar, MemorySpace>{A, compared.diagonal});
  Largest::value_type found;
  Kokkos::parallel_reduce("Tomokkos::matrix_symmetry::largest", rows,
                          FindLargest<Scalar, MemorySpace>{compared}, Largest(found));
  Impl::fence(exec, "Tomokkos::matrix_symmetry: the host needs the row");
  result.up_to_rounding = !(found.val > (std::is_same_v<Scalar, double> ? 1e-12 : 1e-5));
  if (!(found.val > 0)) return;
  const auto told =
      allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::matrix_symmetry::told", 4);
  Kokkos::parallel_for("Tomokkos::matrix_symmetry::tell", Impl::element_range(exec, 1),
                       ReportLargest<Scalar, MemorySpace>{compared, told, found.loc});
  const auto host = Kokkos::create_mirror_view(told);
  Kokkos::deep_copy(exec, host, told);
  Impl::fence(exec, "Tomokkos::matrix_symmetry: the host needs the entries");
  result.largest = MatrixSymmetry::Difference{static_cast<Ordinal>(found.loc),
                                              static_cast<Ordinal>(host(1)), host(2), host(3)};
}

}  // namespace

template <class ExecutionSpace, class Scalar>
MatrixSymmetry matrix_symmetry(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  MatrixSymmetry result;
  result.num_rows = A.num_rows;
  result.num_cols = A.num_cols;
  if (A.num_rows != A.num_cols) return result;
  const auto T = transpose<ExecutionSpace, Scalar>(exec, A);
  result.pattern = equal(exec, A.row_offsets, T.row_offsets) && equal(exec, A.columns, T.columns);
  result.numeric = result.pattern && equal(exec, A.values, T.values);
  result.up_to_rounding = result.numeric;
  if (!result.numeric) find_largest<ExecutionSpace, Scalar>(exec, A, T, result);
  return result;
}

std::string describe_asymmetry(const MatrixSymmetry& symmetry) {
  std::string text = "the matrix is not symmetric";
  if (symmetry.num_rows != symmetry.num_cols)
    return text + ": it has " + std::to_string(symmetry.num_rows) + " rows and " +
           std::to_string(symmetry.num_cols) + " columns";
  if (!symmetry.largest) return text;
  const auto& [row, column, value, mirrored] = *symmetry.largest;
  char entries[160];
  std::snprintf(entries, sizeof entries,
                ": row %d, column %d (the first is 1) holds %.17g, row %d, column %d holds %.17g",
                row + 1, column + 1, value, column + 1, row + 1, mirrored);
  return text + entries + ", the largest difference";
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)               \
  template MatrixSymmetry matrix_symmetry<ExecutionSpace, Scalar>( \
      const ExecutionSpace&, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
