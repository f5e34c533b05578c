// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of DIA from and to CSR, conditions under which it is worth a conversion, and
// operations on every entry.
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_DiaFormat.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <impl/Tomokkos_CheckStorage.hpp>
#include <impl/Tomokkos_FormatOps_impl.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// Marks the diagonals that hold an entry. Diagonals are numbered from the lowest left one on;
/// `marks(number + 1)` becomes 1. Concurrent writes are harmless because all write the same value.
template <class MemorySpace>
struct MarkDiagonals {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Ordinal num_rows;
  Kokkos::View<Ordinal*, MemorySpace> marks;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    for (Offset k = row_offsets(row); k < row_offsets(row + 1); ++k) {
      Ordinal* const mark = &marks(static_cast<Offset>(columns(k)) - row + num_rows);
      // Nearly every entry finds its diagonal already marked; a plain load avoids the atomic
      // operation.
      if (*static_cast<const volatile Ordinal*>(mark) == 0) Kokkos::atomic_exchange(mark, 1);
    }
  }
};

/// Computes the position of each marked diagonal.
template <class MemorySpace>
struct ScanDiagonals {
  Kokkos::View<Ordinal*, MemorySpace> marks;

  KOKKOS_FUNCTION void operator()(const Offset at, Ordinal& sum, const bool last) const {
    sum += marks(at);
    if (last) marks(at) = sum;
  }
};

/// Lists the `offsets` of the diagonals with entries; the scan increases at their numbers.
template <class MemorySpace>
struct ListDiagonals {
  Kokkos::View<const Ordinal*, MemorySpace> places;
  Ordinal num_rows;
  Kokkos::View<Ordinal*, MemorySpace> offsets;

  KOKKOS_FUNCTION void operator()(const Offset number) const {
    const Ordinal place = places(number);
    if (places(number + 1) > place)
      offsets(place) = static_cast<Ordinal>(number - (num_rows - Offset{1}));
  }
};

template <class Scalar, class MemorySpace>
struct FillDiagonals {
  CsrMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const Ordinal*, MemorySpace> places;
  DiaMatrix<Scalar, MemorySpace> target;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      const Offset number = static_cast<Offset>(A.columns(k)) - row + A.num_rows - 1;
      values(target.position(places(number), row)) = A.values(k);
    }
  }
};

template <class Scalar, class MemorySpace>
struct CountDiagonalRow {
  DiaMatrix<Scalar, MemorySpace> A;
  Kokkos::View<Offset*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset count = 0;
    for (Offset d = 0; d < static_cast<Offset>(A.offsets.extent(0)); ++d)
      if (A.values(A.position(d, row)) != Scalar(0)) ++count;
    counts(row) = count;
  }
};

template <class Scalar, class MemorySpace>
struct CopyDiagonalRow {
  DiaMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset to = row_offsets(row);
    for (Offset d = 0; d < static_cast<Offset>(A.offsets.extent(0)); ++d) {
      const Scalar value = A.values(A.position(d, row));
      if (value == Scalar(0)) continue;
      columns(to) = row + A.offsets(d);
      values(to) = value;
      ++to;
    }
  }
};

/// Returns the positions of the diagonals of A, as a scan over all possible diagonals. The last
/// element is the number of diagonals.
template <class ExecutionSpace, class Scalar>
Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space> diagonal_places(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  // An empty matrix has one diagonal number, which is not marked.
  const Offset numbers = std::max<Offset>(static_cast<Offset>(A.num_rows) + A.num_cols - 1, 1);
  const auto places = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::convert::diagonals", numbers + 1);
  Kokkos::deep_copy(exec, places, Ordinal(0));
  Kokkos::parallel_for("Tomokkos::convert::mark_diagonals",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                       MarkDiagonals<MemorySpace>{A.row_offsets, A.columns, A.num_rows, places});
  Kokkos::parallel_scan("Tomokkos::convert::scan_diagonals",
                        Kokkos::RangePolicy<ExecutionSpace>(exec, 0, numbers + 1),
                        ScanDiagonals<MemorySpace>{places});
  return places;
}

template <class Scalar, class MemorySpace, class Visitor>
struct VisitDiagonals {
  DiaMatrix<Scalar, MemorySpace> A;
  Visitor visit;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset piece = at / A.chunk;
    const Offset diagonals = static_cast<Offset>(A.offsets.extent(0));
    const Offset row = piece / diagonals * A.chunk + at % A.chunk;
    const Offset column = row + A.offsets(piece % diagonals);
    if (row < A.num_rows && column >= 0 && column < A.num_cols && A.values(at) != Scalar(0))
      visit(static_cast<Ordinal>(row), static_cast<Ordinal>(column), at);
  }
};

template <class Scalar, class MemorySpace>
struct FormatEntries<DiaMatrix<Scalar, MemorySpace>> {
  template <class ExecutionSpace, class Visitor>
  static void visit(const ExecutionSpace& exec, const std::string& label,
                    const DiaMatrix<Scalar, MemorySpace>& A, const Visitor& visitor) {
    Kokkos::parallel_for(label, element_range(exec, A.values.extent(0)),
                         VisitDiagonals<Scalar, MemorySpace, Visitor>{A, visitor});
  }
};

/// Returns the number of rows in a chunk. On a GPU all rows form one chunk, rounded up to align the
/// diagonals for the loads of a warp. On a host a chunk has four to eight cache lines of a
/// diagonal, whose sums stay in registers. Two threads of an AMD Rome, 27 points 100^3: chunks of
/// 64 rows reach 0.8 of the read bandwidth, chunks of 1024 rows half.
template <class ExecutionSpace>
Ordinal dia_chunk(Ordinal num_rows) {
  if (is_host_space<ExecutionSpace>) return dia_host_chunk;
  return num_rows > 0 ? (num_rows - 1) / warp_lanes * warp_lanes + warp_lanes : warp_lanes;
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
DiaMatrix<Scalar, typename ExecutionSpace::memory_space> dia_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const DiaOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  DiaMatrix<Scalar, MemorySpace> target;
  target.num_rows = A.num_rows;
  target.num_cols = A.num_cols;
  target.nonzeros = A.num_nonzeros();
  target.chunk = Impl::dia_chunk<ExecutionSpace>(A.num_rows);
  const auto places = Impl::diagonal_places(exec, A);
  const auto numbers = static_cast<Offset>(places.extent(0)) - 1;
  const Offset diagonals =
      Impl::read_entry(exec, places, numbers, "convert: the number of diagonals");
  Impl::check_storage<ExecutionSpace>("dia", diagonals * A.num_rows, A.num_nonzeros(),
                                      options.limit, sizeof(Scalar));
  const auto offsets = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::DiaMatrix::offsets", diagonals);
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::DiaMatrix::values", diagonals * target.num_chunks() * target.chunk);
  Kokkos::deep_copy(exec, values, Scalar(0));
  target.offsets = offsets;
  Kokkos::parallel_for("Tomokkos::convert::list_diagonals", Impl::element_range(exec, numbers),
                       Impl::ListDiagonals<MemorySpace>{places, A.num_rows, offsets});
  Kokkos::parallel_for("Tomokkos::convert::fill_diagonals",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                       Impl::FillDiagonals<Scalar, MemorySpace>{A, places, target, values});
  Impl::fence(exec, "convert: the diagonals are filled");
  target.values = values;
  return target;
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const DiaMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, A.num_rows);
  const auto offsets = Impl::allocate_row_offsets<MemorySpace>(exec, A.num_rows);
  Kokkos::parallel_for("Tomokkos::convert::count_diagonal_row", all,
                       Impl::CountDiagonalRow<Scalar, MemorySpace>{A, offsets});
  Impl::exclusive_scan(exec, "Tomokkos::convert::offsets", offsets);
  const Offset nonzeros =
      Impl::read_entry(exec, offsets, A.num_rows, "convert: the number of nonzeros");
  const auto csr = Impl::allocate_entries<Scalar>(exec, offsets, nonzeros);
  Kokkos::parallel_for(
      "Tomokkos::convert::copy_diagonal_row", all,
      Impl::CopyDiagonalRow<Scalar, MemorySpace>{A, offsets, csr.columns, csr.values});
  Impl::fence(exec, "convert: the matrix is complete");
  return csr.matrix(A.num_rows, A.num_cols);
}

template <class ExecutionSpace, class Scalar>
DiaFormat::Statistics DiaFormat::statistics(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowStatistics&) {
  const auto places = Impl::diagonal_places(exec, A);
  return {Impl::read_entry(exec, places, places.extent(0) - 1,
                           "format_statistics: the number of diagonals")};
}

namespace {

// GPU: shares of the copy bandwidth on an H100, 27 points 160^3 in float 1.00, in double 1.02; 7
// points 200^3 1.02 and 1.05. Hosts: two threads of an AMD Rome, time relative to CSR on the same
// matrix. 27 points 100^3: 2.2 times faster in float (2.07 expected from the bytes), 1.3 in double
// (1.54 expected); 7 points more. docs/library/formats.md has the command.
constexpr double gpu_dia = 1.0;
constexpr double host_dia_float = 1.05;
constexpr double host_dia_double = 0.88;

}  // namespace

std::vector<Offer<DiaOptions>> DiaFormat::offers(const FormatChoiceInput& matrix,
                                                 const Statistics& statistics) {
  // Matrices in the cache of a GPU and products with several vectors were not measured.
  if (matrix.is_cached() || matrix.several_vectors || statistics.diagonals == 0) return {};
  const double stored = statistics.diagonals * matrix.num_rows();
  if (stored > matrix.most_entries()) return {};
  const double bytes = stored * static_cast<double>(matrix.scalar_bytes);
  const double host = matrix.scalar_bytes > 4 ? host_dia_double : host_dia_float;
  return {{bytes / (matrix.device.gpu ? gpu_dia : host), {}}};
}

void DiaFormat::count_sizes(const HostPattern& A, std::vector<FormatSize>& sizes) {
  std::vector<bool> marks(
      static_cast<std::size_t>(std::max<Offset>(Offset{A.num_rows} + A.num_cols, 1)));
  Offset diagonals = 0;
  for (Ordinal row = 0; row < A.num_rows; ++row)
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      const auto number = static_cast<std::size_t>(Offset{A.columns(k)} - row + A.num_rows - 1);
      if (marks[number]) continue;
      marks[number] = true;
      ++diagonals;
    }
  // Report no size for a matrix that is not banded.
  if (static_cast<double>(diagonals) * A.num_rows >
      PaddingLimit{}.largest_fill * static_cast<double>(A.num_nonzeros()))
    return;
  // Count rows as on a GPU, in whole warps.
  const Offset stored = diagonals * ((A.num_rows + Offset{31}) / 32 * 32);
  sizes.push_back({"dia", stored, static_cast<std::size_t>(diagonals) * sizeof(Ordinal)});
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                               \
  template DiaMatrix<SCALAR, SPACE::memory_space> dia_from_csr<SPACE, SCALAR>(            \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const DiaOptions&);    \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR>(                  \
      const SPACE&, const DiaMatrix<SCALAR, SPACE::memory_space>&);                       \
  template DiaFormat::Statistics DiaFormat::statistics<SPACE, SCALAR>(                    \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const RowStatistics&); \
  TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, DiaMatrix<SCALAR, SPACE::memory_space>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
