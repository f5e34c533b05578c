// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory checks before a matrix is built.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <cstdint>
#include <optional>

namespace Tomokkos {

/// \brief Memory that a run needs in addition to one copy of the matrix.
enum class MatrixUse {
  products,  ///< the vectors, and a copy or windows for the transposed products of the solver
  matrix,    ///< nothing else
  tiles      ///< the vectors; the matrix is in ray tiles, with one block of rows in CSR
};

/// \brief Estimated bytes of the vectors of a run with a matrix of this size, and of the maps of
/// its order. With several ranks: the bytes of a rank with \p rows rows, with a split image unless
/// `run.ranks.image` is `replicated`.
template <class ExecutionSpace, class Scalar>
double vector_bytes(const SystemTask& task, const OperatorWish& wish, double rows, double columns,
                    MatrixUse use);

template <class ExecutionSpace, class Scalar>
double vector_bytes(const SystemTask& task, double rows, double columns, MatrixUse use) {
  return vector_bytes<ExecutionSpace, Scalar>(task, task.wish, rows, columns, use);
}

/// \brief Bytes of the largest block of rows for building ray tiles of a matrix with \p nonzeros in
/// \p available bytes.
template <class Scalar>
constexpr double tile_block_bytes(double nonzeros, double available) {
  constexpr double entry = sizeof(Ordinal) + sizeof(Scalar);
  const double part = nonzeros * entry < available / 16 ? nonzeros * entry : available / 16;
  return part < 2147483648.0 * entry ? part : 2147483648.0 * entry;
}

/// \brief Estimated bytes of a run whose matrix is built from a geometry, at the time when it needs
/// most of them. The arrays of formats whose size depends on the pattern are not included
/// (`FormatTraits::entry_bytes`).
///
/// \param nonzeros number of nonzeros of the whole matrix
template <class ExecutionSpace, class Scalar>
double estimated_run_bytes(const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
                           double nonzeros);

/// \brief True if products of a scan with computed entries may use its symmetry: the images of the
/// slices (`ComputedOrbits`) fit besides everything else that the run needs.
template <class ExecutionSpace, class Scalar>
bool images_fit(const ExecutionSpace& exec, const SystemTask& task);

/// \brief Checks that a matrix built from a geometry fits in the available memory. Uses its rows
/// and columns, an estimate of the nonzeros, or \p counted. A single process counts the nonzeros of
/// a scan here if necessary.
///
/// \throws MemoryError with the bytes and alternatives that need less
///
/// \param counted nonzeros of all rows and columns, including those that masks exclude
/// \param available bytes; empty: the available memory
template <class ExecutionSpace, class Scalar>
void require_memory_to_build(const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
                             std::optional<Offset> counted = {},
                             std::optional<std::uint64_t> available = {});

/// \brief Row offsets of such a matrix in natural order. The rows are counted once, for the memory
/// check and for the positions of the entries.
///
/// \throws MemoryError as `require_memory_to_build`
template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> counted_offsets(
    const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
    std::optional<std::uint64_t> available = {});

/// \brief Checks that the run fits in memory together with a matrix that has been read.
///
/// \throws MemoryError as `require_memory_to_build`
template <class ExecutionSpace, class Scalar>
void require_read_memory(const ExecutionSpace& exec, const SystemTask& task,
                         const HostCsrMatrix<Scalar>& A, MatrixUse use,
                         std::optional<std::uint64_t> available = {});

}  // namespace Tomokkos
