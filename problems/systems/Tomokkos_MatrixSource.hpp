// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <string>

namespace Tomokkos {

/// \brief Calls \p work, which makes an order, and reports its errors with their key.
template <class Work>
auto in_order(const Work& work) {
  try {
    return work();
  } catch (const ConfigError& error) {
    throw ConfigError(std::string("operator.") + error.what());
  }
}

/// \brief Brings a square matrix without a grid into the order \p ordering.
///
/// \throws ConfigError with the position of `operator.ordering`
template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> order_square(
    const ExecutionSpace& exec, const OrderingOptions& ordering,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  return in_order(
      [&] { return order_matrix<ExecutionSpace, Scalar>(exec, ordering, MatrixGrids{}, A); });
}

/// \brief Builds the matrix of a stencil, or some of its rows.
///
/// \throws MemoryError before anything is allocated
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_stencil(const ExecutionSpace& exec,
                                                                      const StencilRows& stencil,
                                                                      RowRange rows = all_rows);

/// \brief Builds the system matrix of \p task in memory of \p exec, in natural order, from the
/// geometry, a stencil or a file. Leaves out the rows and columns that `task.masks` exclude.
///
/// \throws MemoryError with the bytes if an estimate shows that the matrix does not fit; InputError
/// for the file
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_matrix(const ExecutionSpace& exec,
                                                                     const SystemTask& task,
                                                                     MatrixUse use);

/// \brief Builds the matrix of a scan or a scanner in \p order, which may leave out rows and
/// columns.
///
/// \param natural_offsets row offsets from `counted_offsets`, which has also checked the memory;
/// empty: the rows are counted here
/// \throws MemoryError as `make_matrix`
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_in_order(
    const ExecutionSpace& exec, const SystemTask& task,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order, MatrixUse use,
    Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> natural_offsets = {});

/// \brief Order of a matrix that is built directly in it.
///
/// \throws ConfigError with the position in the file if the geometry does not allow it
template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> built_order(const ExecutionSpace& exec,
                                                               const SystemTask& task);

/// \brief Order of a matrix from a file with \p num_rows rows. If its views are not known, single
/// rows replace them in `rows: subsets`, as in `order_matrix`.
template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> file_order(const ExecutionSpace& exec,
                                                              const SystemTask& task,
                                                              Ordinal num_rows);

/// \brief Builds the matrix in the order of \p task, for products. Orders of grids of pixels and
/// rays, and pairs of crystals in subsets, are built directly. Any other order is made from the
/// natural matrix, which then exists at the same time for a moment.
///
/// \throws the errors of `make_matrix`; ConfigError if the matrix does not allow the order
template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix(const ExecutionSpace& exec,
                                                          const SystemTask& task);

}  // namespace Tomokkos
