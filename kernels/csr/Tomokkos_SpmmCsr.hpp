// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>
#include <Tomokkos_Views.hpp>
#include <type_traits>

namespace Tomokkos {

// Products with several vectors at once, row-major: X is `num_cols x s`, Y `num_rows x s`, and A is
// read once for all of them (for every `spmm_widest` of them on a GPU). Bytes: those of A once, of
// X and Y once if X stays in cache. With s vectors an entry costs 2 s operations for the bytes of
// one: from s = 8 on not the memory bounds the product but the loads of X.
//
// `beta == 0` overwrites Y, whatever it held. The same bits on every run, and on a host for any s
// and number of threads; on a GPU a vector's bits depend on the width of the pass that serves it.
// Rows of X that A does not touch are not read. No fence, no allocation. Throws
// `DimensionMismatch`, and `Error` for options that no kernel can run.

/// \brief `Y = alpha A(rows, :) X + beta Y` with Y `rows.size() x s`. Throws `Error` for a range
/// that does not lie within the rows.
template <class ExecutionSpace, class Scalar>
void spmm(const ExecutionSpace& exec,
          const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y,
          const SpmmOptions& options = {});

/// \brief `Y = alpha A(:, columns) X + beta Y` with X `columns.size() x s` and Y `A.num_rows x s`.
///
/// For a true range a thread per element of Y passes over all nonzeros of its row, in any order,
/// and skips those outside. Throws `Error` for a range that does not lie within the columns.
template <class ExecutionSpace, class Scalar>
void spmm_columns(const ExecutionSpace& exec,
                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                  RowRange columns, Coefficient<Scalar> alpha,
                  const InputMultiVector<ExecutionSpace, Scalar>& X, Coefficient<Scalar> beta,
                  const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
