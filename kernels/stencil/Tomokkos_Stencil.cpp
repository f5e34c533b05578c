// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Stencil.hpp>
#include <limits>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Box of points, and the neighbours of each point within it.
struct StencilBox {
  int points;  // 7 or 27
  Ordinal nx, ny, nz;

  /// Calls `visit(dx, dy, dz)` for the point itself and every neighbour inside the box, in
  /// ascending order of columns.
  template <class Visit>
  KOKKOS_INLINE_FUNCTION void for_each_neighbour(Ordinal row, const Visit& visit) const {
    const Ordinal ix = row % nx;
    const Ordinal iy = row / nx % ny;
    const Ordinal iz = row / nx / ny;
    for (int dz = -1; dz <= 1; ++dz) {
      if (iz + dz < 0 || iz + dz >= nz) continue;
      for (int dy = -1; dy <= 1; ++dy) {
        if (iy + dy < 0 || iy + dy >= ny) continue;
        for (int dx = -1; dx <= 1; ++dx) {
          if (ix + dx < 0 || ix + dx >= nx) continue;
          if (points == 7 && dx * dx + dy * dy + dz * dz > 1) continue;
          visit(dx, dy, dz);
        }
      }
    }
  }
};

struct CountVisits {
  int& count;
  KOKKOS_INLINE_FUNCTION void operator()(int, int, int) const { ++count; }
};

template <class MemorySpace>
struct StencilLengths {
  StencilBox box;
  Ordinal first;  // row of the box that is row 0 of the matrix
  Kokkos::View<Offset*, MemorySpace> lengths;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    int count = 0;
    box.for_each_neighbour(first + row, CountVisits{count});
    lengths(row) = count;
  }
};

template <class Scalar, class MemorySpace>
struct StencilEntries {
  StencilBox box;
  Ordinal first;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  struct Write {
    const StencilEntries& self;
    Ordinal row;
    Offset& position;
    KOKKOS_INLINE_FUNCTION void operator()(int dx, int dy, int dz) const {
      const StencilBox& box = self.box;
      const Ordinal column = row + dx + box.nx * (dy + box.ny * dz);
      self.columns(position) = column;
      self.values(position) = column == row ? Scalar(box.points - 1) : Scalar(-1);
      ++position;
    }
  };

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset position = row_offsets(row);
    box.for_each_neighbour(first + row, Write{*this, first + row, position});
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_stencil_matrix(
    const ExecutionSpace& exec, int points, Ordinal nx, Ordinal ny, Ordinal nz, RowRange range) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(points == 7 || points == 27,
          Impl::text("a stencil must have 7 or 27 points, not {}", points));
  const std::string shape = Impl::text("{} x {} x {}", nx, ny, nz);
  require(nx >= 1 && ny >= 1 && nz >= 1,
          "a box of " + shape + " points must not have a side below 1");
  // The product of two factors below 2^31 fits 63 bits; the third factor is checked by division.
  constexpr Offset limit = std::numeric_limits<Ordinal>::max();
  require(static_cast<Offset>(nx) * ny <= limit / nz,
          "a box of " + shape + " points has more rows than a 32-bit index can count");

  const Impl::StencilBox box{points, nx, ny, nz};
  const Ordinal columns = nx * ny * nz;
  range = range.resolved(columns);
  require(0 <= range.begin && range.begin <= range.end && range.end <= columns,
          Impl::text("rows {} to {} are not within the {} rows of the stencil", range.begin,
                     range.end, columns));
  const Ordinal rows = range.end - range.begin;
  const auto row_offsets = Impl::allocate_row_offsets<MemorySpace>(exec, rows);
  const Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>> all(exec, 0, rows);
  Kokkos::parallel_for("Tomokkos::stencil::count", all,
                       Impl::StencilLengths<MemorySpace>{box, range.begin, row_offsets});
  Impl::exclusive_scan(exec, "Tomokkos::stencil::offsets", row_offsets);
  const Offset nonzeros = Impl::read_entry(exec, row_offsets, static_cast<std::size_t>(rows),
                                           "stencil: number of nonzeros");
  const auto arrays = Impl::allocate_entries<Scalar, MemorySpace>(exec, row_offsets, nonzeros);
  Kokkos::parallel_for("Tomokkos::stencil::entries", all,
                       Impl::StencilEntries<Scalar, MemorySpace>{box, range.begin, row_offsets,
                                                                 arrays.columns, arrays.values});
  Impl::fence(exec, "stencil: the matrix is complete");
  return arrays.matrix(rows, columns);
}

namespace Impl {

template <class Scalar, class MemorySpace>
struct CoupledRow {
  CsrMatrix<Scalar, MemorySpace> A;
  int unknowns;
  Kokkos::View<Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Ordinal point = row / unknowns;
    const int unknown = row % unknowns;
    const Offset begin = A.row_offsets(point);
    const Offset length = A.row_offsets(point + 1) - begin;
    Offset at = begin * unknowns * unknowns + unknown * length * unknowns;
    row_offsets(row) = at;
    if (row == A.num_rows * unknowns - 1) row_offsets(row + 1) = at + length * unknowns;
    for (Offset k = begin; k < begin + length; ++k)
      for (int other = 0; other < unknowns; ++other, ++at) {
        columns(at) = A.columns(k) * unknowns + other;
        values(at) = A.values(k) * Scalar(other == unknown ? 2 : 1) / Scalar(unknowns + 1);
      }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> couple_unknowns(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    int unknowns) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(unknowns >= 1, "a point must have at least one unknown");
  constexpr Offset limit = std::numeric_limits<Ordinal>::max();
  require(A.num_rows <= limit / unknowns && A.num_cols <= limit / unknowns,
          "the coupled matrix would have more rows or columns than a 32-bit index can count");
  const Ordinal rows = A.num_rows * unknowns;
  const auto arrays =
      Impl::allocate_csr<Scalar, MemorySpace>(exec, rows, A.num_nonzeros() * unknowns * unknowns);
  if (rows == 0) Kokkos::deep_copy(exec, arrays.row_offsets, Offset(0));
  Kokkos::parallel_for("Tomokkos::stencil::couple",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, rows),
                       Impl::CoupledRow<Scalar, MemorySpace>{A, unknowns, arrays.row_offsets,
                                                             arrays.columns, arrays.values});
  Impl::fence(exec, "stencil: the coupled matrix is complete");
  return arrays.matrix(rows, A.num_cols * unknowns);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                            \
  template CsrMatrix<SCALAR, SPACE::memory_space> build_stencil_matrix<SPACE, SCALAR>( \
      const SPACE&, int, Ordinal, Ordinal, Ordinal, RowRange);                         \
  template CsrMatrix<SCALAR, SPACE::memory_space> couple_unknowns<SPACE, SCALAR>(      \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, int);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
