// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>

namespace Tomokkos {

/// \brief The matrix of a stencil, or some of its rows. Throws `MemoryError` before anything is
/// made.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_stencil(const ExecutionSpace& exec,
                                                                      const StencilRows& stencil,
                                                                      RowRange rows = all_rows);

/// \brief The system matrix of \p config in memory of \p exec, in natural order: built from the
/// geometry or a stencil, or read from a file. Without the rows and columns that `input.masks`
/// leave out.
///
/// \throw MemoryError when it is known beforehand that the matrix does not fit into the memory that
/// is left (with the bytes); InputError for the file.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_matrix(const ExecutionSpace& exec,
                                                                     const RunConfig& config,
                                                                     const RunInput& input,
                                                                     MatrixUse use);

/// \brief The matrix of a scan or a scanner in \p order, which may leave rows and columns out.
///
/// \param natural_offsets of `counted_offsets`, where they are known; then nothing is counted
/// again, and the memory has been looked at
/// \throw MemoryError as `make_matrix`.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_in_order(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order, MatrixUse use,
    Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> natural_offsets = {});

/// \brief The order of a matrix that is built in it. Throws ConfigError with the place in the file
/// where the geometry does not allow it.
template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> built_order(const ExecutionSpace& exec,
                                                               const RunConfig& config,
                                                               const RunInput& input);

/// \brief The same of a matrix from a file, of which no more is known than that it has \p num_rows
/// rows: they take the place of views that are not known in `rows: subsets`, as in `order_matrix`.
template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> file_order(const ExecutionSpace& exec,
                                                              const RunConfig& config,
                                                              const RunInput& input,
                                                              Ordinal num_rows);

/// \brief The matrix in the order of \p config, for products. Pixels and rays in an order of their
/// grids, and pairs of crystals in subsets, are built in it, any other order is made from the
/// natural matrix, which is there beside it for a moment.
///
/// \throw as `make_matrix`; ConfigError where the matrix does not allow the order.
template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix(const ExecutionSpace& exec,
                                                          const RunConfig& config,
                                                          const RunInput& input);

}  // namespace Tomokkos
