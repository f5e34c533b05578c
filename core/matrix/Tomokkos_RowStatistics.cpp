// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {
namespace Impl {

/// Passes the length of each row to a reducer through one of the nested functors.
template <class MemorySpace>
struct RowLengths {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;

  KOKKOS_FUNCTION Offset length(const Ordinal row) const {
    return row_offsets(row + 1) - row_offsets(row);
  }
};

template <class MemorySpace>
struct ShortestAndLongestRow : RowLengths<MemorySpace> {
  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& shortest, Offset& longest) const {
    const Offset length = this->length(row);
    if (length < shortest) shortest = length;
    if (length > longest) longest = length;
  }
};

/// Sums of integers, independent of the order of addition.
template <class MemorySpace>
struct EmptyRowsAndSquares : RowLengths<MemorySpace> {
  Offset centre;

  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& empty_rows, Offset& squares) const {
    const Offset length = this->length(row);
    const Offset deviation = length - centre;
    if (length == 0) ++empty_rows;
    squares += deviation * deviation;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
RowStatistics row_statistics(const ExecutionSpace& exec,
                             const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  RowStatistics result;
  result.rows = A.num_rows;
  result.columns = A.num_cols;
  result.nonzeros = A.num_nonzeros();
  if (A.num_rows == 0) return result;

  const Kokkos::RangePolicy<ExecutionSpace> rows(exec, 0, A.num_rows);
  Kokkos::parallel_reduce("Tomokkos::row_statistics::extremes", rows,
                          Impl::ShortestAndLongestRow<MemorySpace>{{A.row_offsets}},
                          Kokkos::Min<Offset>(result.shortest),
                          Kokkos::Max<Offset>(result.longest));
  result.mean = static_cast<double>(result.nonzeros) / A.num_rows;
  // Squares of distances from an integer near the mean are small and exact in any order. The shift
  // is removed afterwards.
  const auto centre = static_cast<Offset>(result.mean);
  Offset empty_rows = 0;
  Offset squares = 0;
  Kokkos::parallel_reduce("Tomokkos::row_statistics::sums", rows,
                          Impl::EmptyRowsAndSquares<MemorySpace>{{A.row_offsets}, centre},
                          Kokkos::Sum<Offset>(empty_rows), Kokkos::Sum<Offset>(squares));
  Impl::fence(exec, "row_statistics: the sums must have arrived");
  const double shift = result.mean - static_cast<double>(centre);
  const double variance = static_cast<double>(squares) / A.num_rows - shift * shift;
  result.sigma = variance > 0 ? std::sqrt(variance) : 0;
  result.empty_rows = static_cast<Ordinal>(empty_rows);
  return result;
}

RowStatistics statistics_of_parts(const std::vector<RowStatistics>& parts) {
  RowStatistics all;
  double squares = 0;  // of the lengths of all rows
  for (const RowStatistics& part : parts) {
    all.columns = part.columns;
    all.is_estimate = all.is_estimate || part.is_estimate;
    if (part.rows == 0) continue;
    all.shortest = all.rows == 0 ? part.shortest : std::min(all.shortest, part.shortest);
    all.longest = std::max(all.longest, part.longest);
    all.rows += part.rows;
    all.nonzeros += part.nonzeros;
    all.empty_rows += part.empty_rows;
    squares += part.rows * (part.sigma * part.sigma + part.mean * part.mean);
  }
  if (all.rows == 0) return all;
  all.mean = static_cast<double>(all.nonzeros) / all.rows;
  all.sigma = std::sqrt(std::max(0.0, squares / all.rows - all.mean * all.mean));
  return all;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)             \
  template RowStatistics row_statistics<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
