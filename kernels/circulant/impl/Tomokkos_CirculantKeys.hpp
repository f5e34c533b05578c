// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices from keys, which ascend like positions.
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_Views.hpp>
#include <impl/Tomokkos_CirculantNumbering.hpp>
#include <impl/Tomokkos_SortEntries_impl.hpp>

namespace Tomokkos::Impl {

template <class MemorySpace, class ExecutionSpace>
Kokkos::View<std::uint32_t*, MemorySpace> allocate_positions(const ExecutionSpace& exec,
                                                             Offset nonzeros) {
  return allocate<Kokkos::View<std::uint32_t*, MemorySpace>>(
      exec, "Tomokkos::BlockCirculantMatrix::positions", nonzeros);
}

template <class Scalar, class MemorySpace, class ExecutionSpace>
CirculantArrays<Scalar, MemorySpace> allocate_circulant(const ExecutionSpace& exec,
                                                        Ordinal block_rows, Offset nonzeros) {
  return {allocate<Kokkos::View<Offset*, MemorySpace>>(
              exec, "Tomokkos::BlockCirculantMatrix::row_offsets", Offset{block_rows} + 1),
          allocate_positions<MemorySpace>(exec, nonzeros),
          allocate<Kokkos::View<Scalar*, MemorySpace>>(
              exec, "Tomokkos::BlockCirculantMatrix::values", nonzeros)};
}

/// Makes the matrix from arrays whose keys are in any order within a row. Fences.
template <class ExecutionSpace, class Scalar, class MemorySpace>
BlockCirculantMatrix<Scalar, MemorySpace> circulant_of_keys(
    const ExecutionSpace& exec, const CirculantArrays<Scalar, MemorySpace>& arrays,
    Ordinal block_rows, Ordinal block_cols, Ordinal blocks) {
  const auto pitch = static_cast<Ordinal>(circulant_pitch(blocks));
  sort_entries(exec,
               CsrArrays<Scalar, MemorySpace>{arrays.row_offsets, arrays.keys(), arrays.values},
               block_rows);
  Kokkos::parallel_for("Tomokkos::block_circulant::positions",
                       element_range(exec, arrays.positions.extent(0)),
                       PositionsOfKeys{arrays.keys().data(), arrays.positions.data(),
                                       DivideBy(static_cast<std::uint32_t>(blocks)),
                                       static_cast<std::uint32_t>(pitch)});
  fence(exec, "block_circulant: the matrix is complete");
  return {block_rows,         block_cols,       blocks,       pitch,
          arrays.row_offsets, arrays.positions, arrays.values};
}

}  // namespace Tomokkos::Impl
