// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FormatTraits.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>
#include <Tomokkos_Spmv.hpp>
#include <concepts>

namespace Tomokkos {

// `y = alpha A x + beta y` for every format but CSR, on one pattern: a plan per matrix, then
// `spmv(exec, plan, A, alpha, x, beta, y)`. `beta == 0` overwrites y, whatever it held. Each reads
// the stored matrix once (padding of ELLPACK-R and SELL not at all beyond a pack), x once if it
// stays in cache, and writes y. Sums of a row keep the bound of the CSR products; the bits repeat
// on every run. No fence, no allocation. Throws `DimensionMismatch`.

namespace Impl {

template <class Matrix>
inline constexpr bool is_csr = false;
template <class Scalar, class MemorySpace>
inline constexpr bool is_csr<CsrMatrix<Scalar, MemorySpace>> = true;

/// Rows whose products with x a host adds to one sum, whatever the number of threads is: whole
/// chunks of SELL, and enough sums for the shares of many threads to be equal.
inline constexpr Ordinal format_dot_rows = 256;

/// \brief A plan that is nothing but its choices.
class PlanWithoutMemory {
 public:
  PlanWithoutMemory() = default;
  explicit PlanWithoutMemory(const SpmvOptions& options) : options_(options) {}
  const SpmvOptions& options() const { return options_; }
  std::size_t memory_bytes() const { return 0; }

 private:
  SpmvOptions options_;
};

/// \brief The kernels of a format, as the functions below call them. A format specialises it beside
/// its kernels, with static functions
///
///  - `multiply(exec, plan, A, target)`: `target` is x, y and the coefficients; A has rows;
///  - with `has_dot`: `dot_sums(plan, A)`, and `multiply_with_dot(exec, plan, A, target, sums)`.
template <class ExecutionSpace, class Matrix>
struct FormatKernels;

/// \brief Likewise `multiply(exec, A, pass, options)` of the formats with `several_vectors`.
template <class ExecutionSpace, class Matrix>
struct FormatSpmm;

}  // namespace Impl

/// \brief `y = alpha A x + beta y` for any matrix of these formats.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    typename Matrix::scalar_type alpha,
    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
    typename Matrix::scalar_type beta,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y);

/// \brief How many sums `spmv_dot` leaves; 0 where the format, or its kernel, has no such product:
/// COO, HYB, and on a GPU ELLPACK-R with several threads a row and BCSR in teams that were asked
/// for and are not whole warps or have more than 128 threads.
///
/// On a host the number follows from the matrix alone.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) Offset
    spmv_dot_sums(const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A);

/// \brief `y = A x` for a square A, and `sums`, `spmv_dot_sums(plan, A)` of them, which add up to
/// `x . y` in double.
///
/// y has the bits of `spmv`, the sums the same on every run and, on a host, for any number of
/// threads. One launch, no fence, no allocation. Throws `Error` where there is no such product,
/// else as `spmv`.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv_dot(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
    const OutputVector<ExecutionSpace, double>& sums);

/// \brief `Y = alpha A X + beta Y` of the formats with `FormatTraits<Matrix>::several_vectors`, X
/// and Y row-major. See `Tomokkos_Spmm.hpp` for what it costs.
template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix> && FormatTraits<Matrix>::several_vectors) void spmm(
    const ExecutionSpace& exec, const Matrix& A, typename Matrix::scalar_type alpha,
    const InputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& X,
    typename Matrix::scalar_type beta,
    const OutputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& Y,
    const SpmmOptions& options = {});

}  // namespace Tomokkos
