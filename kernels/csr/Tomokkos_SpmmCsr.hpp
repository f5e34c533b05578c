// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>
#include <Tomokkos_Views.hpp>
#include <type_traits>

namespace Tomokkos {

// Products with several vectors at once. X is `num_cols x s` and Y `num_rows x s`, both row-major.
// A is read once for all vectors (on a GPU once for every `spmm_widest` vectors). A product moves A
// once, and X and Y once if X stays in cache. With s vectors an entry costs 2 s operations for the
// bytes of one entry: from s = 8 on, the loads of X rather than the memory bound the product.
//
// `beta == 0` overwrites Y, whatever it held. The bits repeat on every run. On a host they are also
// the same for any s and any number of threads; on a GPU the bits of a vector depend on the width
// of the pass that processes it. Rows of X that A does not touch are not read. No fence, no
// allocation. Throws `DimensionMismatch`, and `Error` for options that no kernel can run.

/// \brief Computes `Y = alpha A(rows, :) X + beta Y` with Y of shape `rows.size() x s`.
///
/// \throws Error when the range is not within the rows of A
template <class ExecutionSpace, class Scalar>
void spmm(const ExecutionSpace& exec,
          const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
          Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& X,
          Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& Y,
          const SpmmOptions& options = {});

/// \brief Computes `Y = alpha A(:, columns) X + beta Y` with X of shape `columns.size() x s` and Y
/// of shape `A.num_rows x s`.
///
/// If the range leaves out columns, one thread per element of Y visits all nonzeros of its row, in
/// any order, and skips those outside the range.
///
/// \throws Error when the range is not within the columns of A
template <class ExecutionSpace, class Scalar>
void spmm_columns(const ExecutionSpace& exec,
                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                  RowRange columns, Coefficient<Scalar> alpha,
                  const InputMultiVector<ExecutionSpace, Scalar>& X, Coefficient<Scalar> beta,
                  const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
