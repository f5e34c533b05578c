// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCirculantReference.hpp"

#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos::Bench {
namespace {

template <class MemorySpace>
using CirculantDoubles = Kokkos::View<double*, MemorySpace>;

constexpr double circulant_bound_factor = 2.0;  // K of the bound; see ProductReference

template <class Scalar>
constexpr double circulant_bound_unit() {
  return circulant_bound_factor * 0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
}

/// Computes entry i k + p of C x, one thread per row of C.
template <class Scalar, class MemorySpace>
struct CirculantRow {
  BlockCirculantMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const double*, MemorySpace> x;
  CirculantDoubles<MemorySpace> value, bound;
  double unit;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Ordinal i = row / A.blocks, p = row % A.blocks;
    const auto pitch = static_cast<std::uint32_t>(A.pitch);
    double sum = 0, size = 0;
    for (Offset e = A.row_offsets(i); e < A.row_offsets(i + 1); ++e) {
      const Offset column = A.positions(e) / pitch, block = A.positions(e) % pitch;
      const double term =
          static_cast<double>(A.values(e)) * x(column * A.blocks + (block + p) % A.blocks);
      sum += term;
      size += term < 0 ? -term : term;
    }
    value(row) = sum;
    bound(row) = unit * static_cast<double>(A.row_offsets(i + 1) - A.row_offsets(i) + 2) * size;
  }
};

/// Counts the entries of each in-sector column.
template <class Scalar, class MemorySpace>
struct CountInColumns {
  BlockCirculantMatrix<Scalar, MemorySpace> A;
  CirculantDoubles<MemorySpace> entries;

  KOKKOS_FUNCTION void operator()(const Offset e) const {
    Kokkos::atomic_add(&entries(A.positions(e) / static_cast<std::uint32_t>(A.pitch)), 1.0);
  }
};

/// Adds every entry into the k rotations of its column. `size` receives the sums of magnitudes.
template <class Scalar, class MemorySpace>
struct CirculantColumns {
  BlockCirculantMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const double*, MemorySpace> y;
  CirculantDoubles<MemorySpace> value, size;

  /// Term that entry e of row i contributes to rotation j of its column.
  KOKKOS_FUNCTION double term(Ordinal i, Offset e, Offset block, Offset j) const {
    const Offset p = (j - block + A.blocks) % A.blocks;
    return static_cast<double>(A.values(e)) * y(Offset{i} * A.blocks + p);
  }

  /// Adds the entries of one row to one rotation; on a GPU one thread for each row and rotation.
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Ordinal i = row / A.blocks;
    const Offset j = row % A.blocks;
    const auto pitch = static_cast<std::uint32_t>(A.pitch);
    for (Offset e = A.row_offsets(i); e < A.row_offsets(i + 1); ++e) {
      const Offset column = A.positions(e) / pitch, block = A.positions(e) % pitch;
      const double added = term(i, e, block, j);
      Kokkos::atomic_add(&value(column * A.blocks + j), added);
      Kokkos::atomic_add(&size(column * A.blocks + j), added < 0 ? -added : added);
    }
  }
};

/// Number of rotations that one thread owns, in all columns: a cache line.
constexpr Ordinal owned_rotations = 8;

template <class Scalar, class MemorySpace>
struct OwnedColumns {
  CirculantColumns<Scalar, MemorySpace> columns;

  void operator()(const Ordinal owner) const {
    const auto& A = columns.A;
    const auto pitch = static_cast<std::uint32_t>(A.pitch);
    const Offset begin = Offset{owner} * owned_rotations;
    const Offset end = std::min<Offset>(begin + owned_rotations, A.blocks);
    for (Ordinal i = 0; i < A.block_rows; ++i)
      for (Offset e = A.row_offsets(i); e < A.row_offsets(i + 1); ++e) {
        const Offset column = A.positions(e) / pitch, block = A.positions(e) % pitch;
        for (Offset j = begin; j < end; ++j) {
          const double added = columns.term(i, e, block, j);
          columns.value(column * A.blocks + j) += added;
          columns.size(column * A.blocks + j) += added < 0 ? -added : added;
        }
      }
  }
};

/// Computes the bound from the sum of magnitudes at l k + j.
template <class MemorySpace>
struct ScaleBound {
  Kokkos::View<const double*, MemorySpace> size, entries;
  Ordinal blocks;
  double unit;
  CirculantDoubles<MemorySpace> bound;
  KOKKOS_FUNCTION void operator()(const Ordinal c) const {
    bound(c) = unit * (entries(c / blocks) + 2) * size(c);
  }
};

template <class MemorySpace>
struct AddToBound {
  Kokkos::View<const double*, MemorySpace> bound, entries;
  Ordinal blocks;
  double step;
  CirculantDoubles<MemorySpace> widened;
  KOKKOS_FUNCTION void operator()(const Ordinal c) const {
    widened(c) = bound(c) + step * entries(c / blocks);
  }
};

template <class ExecutionSpace, class Scalar>
CirculantDoubles<typename ExecutionSpace::memory_space> entries_of_columns(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto entries =
      allocate<CirculantDoubles<MemorySpace>>(exec, "Tomokkos::Bench::entries", A.block_cols);
  Kokkos::deep_copy(exec, entries, 0.0);
  Kokkos::parallel_for("Tomokkos::bench::count_in_columns",
                       Impl::element_range(exec, A.values.extent(0)),
                       CountInColumns<Scalar, MemorySpace>{A, entries});
  return entries;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> circulant_reference(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& x) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto value =
      allocate<CirculantDoubles<MemorySpace>>(exec, "Tomokkos::Bench::reference", A.num_rows());
  const auto bound =
      allocate<CirculantDoubles<MemorySpace>>(exec, "Tomokkos::Bench::bound", A.num_rows());
  Kokkos::parallel_for(
      "Tomokkos::bench::circulant_reference",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows()),
      CirculantRow<Scalar, MemorySpace>{A, x, value, bound, circulant_bound_unit<Scalar>()});
  exec.fence();
  return {value, bound};
}

template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> circulant_transposed_reference(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const Kokkos::View<const double*, typename ExecutionSpace::memory_space>& y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Columns = CirculantColumns<Scalar, MemorySpace>;
  using Range = Kokkos::RangePolicy<ExecutionSpace>;
  const auto made = [&](const char* label) {
    const auto view = allocate<CirculantDoubles<MemorySpace>>(exec, label, A.num_cols());
    Kokkos::deep_copy(exec, view, 0.0);
    return view;
  };
  const Columns columns{A, y, made("Tomokkos::Bench::reference"), made("Tomokkos::Bench::bound")};
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    Kokkos::parallel_for("Tomokkos::bench::circulant_reference_transposed",
                         Range(exec, 0, (A.blocks + owned_rotations - 1) / owned_rotations),
                         OwnedColumns<Scalar, MemorySpace>{columns});
  else
    Kokkos::parallel_for("Tomokkos::bench::circulant_reference_transposed",
                         Range(exec, 0, A.num_rows()), columns);
  const auto bound = made("Tomokkos::Bench::bound");
  Kokkos::parallel_for("Tomokkos::bench::bound", Range(exec, 0, A.num_cols()),
                       ScaleBound<MemorySpace>{columns.size, entries_of_columns(exec, A), A.blocks,
                                               circulant_bound_unit<Scalar>(), bound});
  exec.fence();
  return {columns.value, bound};
}

template <class ExecutionSpace, class Scalar>
ProductReference<typename ExecutionSpace::memory_space> with_circulant_whole_numbers(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    double column_bound, ProductReference<typename ExecutionSpace::memory_space> reference) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (!(column_bound > 0)) return reference;
  const double unit = std::is_same_v<Scalar, float> ? 0x1p-30 : 0x1p-60;
  const auto widened =
      allocate<CirculantDoubles<MemorySpace>>(exec, "Tomokkos::Bench::bound", A.num_cols());
  Kokkos::parallel_for("Tomokkos::bench::widen_bound",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_cols()),
                       AddToBound<MemorySpace>{reference.bound, entries_of_columns(exec, A),
                                               A.blocks, unit * column_bound, widened});
  exec.fence();
  return {reference.value, widened};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                     \
  template ProductReference<SPACE::memory_space> circulant_reference<SPACE, SCALAR>(            \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&,                   \
      const Kokkos::View<const double*, SPACE::memory_space>&);                                 \
  template ProductReference<SPACE::memory_space> circulant_transposed_reference<SPACE, SCALAR>( \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&,                   \
      const Kokkos::View<const double*, SPACE::memory_space>&);                                 \
  template ProductReference<SPACE::memory_space> with_circulant_whole_numbers<SPACE, SCALAR>(   \
      const SPACE&, const BlockCirculantMatrix<SCALAR, SPACE::memory_space>&, double,           \
      ProductReference<SPACE::memory_space>);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
