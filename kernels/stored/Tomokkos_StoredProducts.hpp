// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatTraits.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>
#include <Tomokkos_Spmv.hpp>
#include <concepts>

namespace Tomokkos {

// Computes `y = alpha A x + beta y` for every format except CSR. Make a plan per matrix, then call
// `spmv(exec, plan, A, alpha, x, beta, y)`. `beta == 0` overwrites y, whatever it held. Each
// product reads the stored matrix once, reads x once if x stays in cache, and writes y. Padding of
// ELLPACK-R and SELL beyond a pack is not read. Row sums meet the error bound of the CSR products,
// and the bits repeat on every run. No fence, no allocation. Throws `DimensionMismatch`.

namespace Impl {

template <class Matrix>
inline constexpr bool is_csr = false;
template <class Scalar, class MemorySpace>
inline constexpr bool is_csr<CsrMatrix<Scalar, MemorySpace>> = true;

/// Rows whose contributions to `x . y` a host adds to one sum, for any number of threads. A block
/// holds whole chunks of SELL, and there are enough sums for many threads to receive equal shares.
inline constexpr Ordinal format_dot_rows = 256;

/// \brief Plan that consists of its options only and owns no memory.
class PlanWithoutMemory {
 public:
  PlanWithoutMemory() = default;
  explicit PlanWithoutMemory(const SpmvOptions& options) : options_(options) {}
  const SpmvOptions& options() const { return options_; }
  std::size_t memory_bytes() const { return 0; }

 private:
  SpmvOptions options_;
};

/// \brief Kernels of a format, called by the functions below. A format specialises it next to its
/// kernels with these static functions:
///
///  - `multiply(exec, plan, A, target)`: `target` holds x, y and the coefficients; A has at least
///    one row;
///  - with `has_dot`: `dot_sums(plan, A)`, and `multiply_with_dot(exec, plan, A, target, sums)`.
template <class ExecutionSpace, class Matrix>
struct FormatKernels;

/// \brief Kernels for products with several vectors. Formats with `several_vectors` specialise it
/// with `multiply(exec, A, pass, options)`.
template <class ExecutionSpace, class Matrix>
struct FormatSpmm;

}  // namespace Impl

/// \brief Computes `y = alpha A x + beta y` for a matrix in any format except CSR.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    typename Matrix::scalar_type alpha,
    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
    typename Matrix::scalar_type beta,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y);

/// \brief Returns the number of sums that `spmv_dot` writes, or 0 if it is not available.
///
/// Not available for COO and HYB. On a GPU also not available for ELLPACK-R with several threads a
/// row, and for BCSR when the requested teams are not whole warps or have more than 128 threads. On
/// a host the number depends on the matrix alone.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) Offset
    spmv_dot_sums(const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A);

/// \brief Computes `y = A x` for a square A, and partial sums of `x . y` in double.
///
/// \p sums receives `spmv_dot_sums(plan, A)` values that add up to `x . y`. y has the same bits as
/// the result of `spmv`. The sums have the same bits on every run and, on a host, for any number of
/// threads. One launch, no fence, no allocation.
///
/// \throws Error when there is no such product (`spmv_dot_sums` is 0)
/// \throws DimensionMismatch when A is not square, or a vector or \p sums has the wrong length
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv_dot(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
    const OutputVector<ExecutionSpace, double>& sums);

/// \brief Computes `Y = alpha A X + beta Y` with row-major X and Y, for formats with
/// `FormatTraits<Matrix>::several_vectors`.
///
/// `Tomokkos_SpmmCsr.hpp` describes the cost.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix> && FormatTraits<Matrix>::several_vectors) void spmm(
    const ExecutionSpace& exec, const Matrix& A, typename Matrix::scalar_type alpha,
    const InputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& X,
    typename Matrix::scalar_type beta,
    const OutputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& Y,
    const SpmmOptions& options = {});

}  // namespace Tomokkos
