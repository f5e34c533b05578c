// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ComplexCsrMatrix.hpp>
#include <Tomokkos_SharedCsrMatrix.hpp>
#include <Tomokkos_Views.hpp>
#include <type_traits>

namespace Tomokkos {

namespace Impl {

/// Number of unknowns that a row of the pattern represents.
template <class Matrix>
inline constexpr int components_of = 1;
template <class Matrix>
requires requires { Matrix::components; }
inline constexpr int components_of<Matrix> = Matrix::components;

template <class Matrix>
inline constexpr bool is_two_component_operand = false;
template <class Value, class MemorySpace>
inline constexpr bool is_two_component_operand<CsrMatrix<Value, MemorySpace>> = true;
template <class Value, class MemorySpace>
inline constexpr bool is_two_component_operand<ComplexCsrMatrix<Value, MemorySpace>> = true;
template <class Value, class MemorySpace>
inline constexpr bool is_two_component_operand<SharedCsrMatrix<Value, MemorySpace>> = true;

template <class ExecutionSpace, class Scalar, class Matrix>
void spmv_two_component(
    const ExecutionSpace& exec, const Matrix& A, Scalar alpha,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X, Scalar beta,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y);
template <class ExecutionSpace, class Scalar, class Matrix>
void spmv_two_component_dot(
    const ExecutionSpace& exec, const Matrix& A,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& y,
    const VectorView<double, typename ExecutionSpace::memory_space>& sums);
template <class ExecutionSpace, class Scalar, class Matrix>
void two_component_diagonal(const ExecutionSpace& exec, const Matrix& A,
                            const VectorView<Scalar, typename ExecutionSpace::memory_space>& d);
template <class Value, class ExecutionSpace, class Scalar, class MatrixValue>
CsrMatrix<Value, typename ExecutionSpace::memory_space> two_component_scaled(
    const ExecutionSpace& exec,
    const CsrMatrix<MatrixValue, typename ExecutionSpace::memory_space>& A,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& scale);
template <class Value, class ExecutionSpace, class Scalar, class MatrixValue>
ComplexCsrMatrix<Value, typename ExecutionSpace::memory_space> two_component_scaled(
    const ExecutionSpace& exec,
    const ComplexCsrMatrix<MatrixValue, typename ExecutionSpace::memory_space>& A,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& scale);
template <class Value, class ExecutionSpace, class Scalar, class MatrixValue>
SharedCsrMatrix<Value, typename ExecutionSpace::memory_space> two_component_scaled(
    const ExecutionSpace& exec,
    const SharedCsrMatrix<MatrixValue, typename ExecutionSpace::memory_space>& A,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& scale);

}  // namespace Impl

// Products with square matrices whose stored form has fewer bytes than their CSR: complex blocks, a
// matrix that two components share, and a CSR whose values have less precision than the vectors
// (`Matrix` is `ComplexCsrMatrix<Value>`, `SharedCsrMatrix<Value>` or `CsrMatrix<Value>`). A GPU
// stages the entries of 128 rows in scratch memory and assigns a thread to each row; a host assigns
// blocks of rows to each thread. Sums use the precision of the vectors. The bits are the same on
// every run and for any number of threads. No fence, no allocation. All throw `DimensionMismatch`,
// and `Error` for a View that is not contiguous.

/// \brief Computes `Y = alpha A X + beta Y` for vectors or row-major n x s arrays; `beta == 0`
/// overwrites Y. One vector with alpha = 1, beta = 0 is the fast case.
template <class ExecutionSpace, class Matrix, class XView, class YView>
requires Impl::is_two_component_operand<Matrix>
void spmv_two_component(const ExecutionSpace& exec, const Matrix& A,
                        typename YView::non_const_value_type alpha, const XView& X,
                        typename YView::non_const_value_type beta, const YView& Y) {
  Impl::spmv_two_component<ExecutionSpace, typename YView::non_const_value_type, Matrix>(
      exec, A, alpha, as_multivector(X), beta, as_multivector(Y));
}

/// \brief Returns the number of sums that `spmv_two_component_dot` writes for a pattern of this
/// many rows.
template <class ExecutionSpace>
Offset spmv_two_component_dot_sums(Ordinal pattern_rows);

/// \brief Computes `y = A x`, and partial sums in double whose total is `x . y`.
template <class ExecutionSpace, class Matrix, class XView, class YView, class SumsView>
requires Impl::is_two_component_operand<Matrix>
void spmv_two_component_dot(const ExecutionSpace& exec, const Matrix& A, const XView& x,
                            const YView& y, const SumsView& sums) {
  Impl::spmv_two_component_dot<ExecutionSpace, typename YView::non_const_value_type, Matrix>(
      exec, A, x, y, sums);
}

/// \brief Computes the diagonal `d_i = A(i, i)`, 0 if the entry is not stored.
template <class ExecutionSpace, class Matrix, class View>
requires Impl::is_two_component_operand<Matrix>
void two_component_diagonal(const ExecutionSpace& exec, const Matrix& A, const View& d) {
  Impl::two_component_diagonal<ExecutionSpace, typename View::non_const_value_type, Matrix>(exec, A,
                                                                                            d);
}

/// \brief Computes `diag(scale) A diag(scale)` with values of type \p Value. The values are new,
/// the pattern is shared. Products are rounded once. The result is complete on return.
///
/// \throws Error naming the first two rows with different scales, for matrices of two components
template <class Value, class ExecutionSpace, class Matrix, class View>
requires Impl::is_two_component_operand<Matrix>
auto two_component_scaled(const ExecutionSpace& exec, const Matrix& A, const View& scale) {
  return Impl::two_component_scaled<Value, ExecutionSpace, typename View::non_const_value_type,
                                    typename Matrix::scalar_type>(exec, A, scale);
}

}  // namespace Tomokkos
