// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ComplexCsrMatrix.hpp>
#include <Tomokkos_SharedCsrMatrix.hpp>
#include <Tomokkos_Views.hpp>
#include <type_traits>

namespace Tomokkos {

namespace Impl {

/// How many unknowns a row of the pattern of a form stands for.
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

// Products of square matrices whose stored form has fewer bytes than their CSR: complex blocks, a
// matrix that two components share, and a CSR whose values have less precision than the vectors
// (`Matrix` is `ComplexCsrMatrix<Value>`, `SharedCsrMatrix<Value>` or `CsrMatrix<Value>`). A GPU
// stages the entries of 128 rows in scratch memory and gives each row a thread; a host gives each
// thread blocks of rows. Sums are formed in the precision of the vectors; the bits repeat on every
// run and for any number of threads. No fence, no allocation. Throw `DimensionMismatch`, and
// `Error` for a View that is not contiguous.

/// \brief `Y = alpha A X + beta Y` for vectors, or row-major n x s arrays; `beta == 0` overwrites.
/// One vector with alpha = 1, beta = 0 is the fast case.
template <class ExecutionSpace, class Matrix, class XView, class YView>
requires Impl::is_two_component_operand<Matrix>
void spmv_two_component(const ExecutionSpace& exec, const Matrix& A,
                        typename YView::non_const_value_type alpha, const XView& X,
                        typename YView::non_const_value_type beta, const YView& Y) {
  Impl::spmv_two_component<ExecutionSpace, typename YView::non_const_value_type, Matrix>(
      exec, A, alpha, as_multivector(X), beta, as_multivector(Y));
}

/// \brief How many sums `spmv_two_component_dot` leaves for a pattern of so many rows.
template <class ExecutionSpace>
Offset spmv_two_component_dot_sums(Ordinal pattern_rows);

/// \brief `y = A x`, and sums that add up to `x . y` in double.
template <class ExecutionSpace, class Matrix, class XView, class YView, class SumsView>
requires Impl::is_two_component_operand<Matrix>
void spmv_two_component_dot(const ExecutionSpace& exec, const Matrix& A, const XView& x,
                            const YView& y, const SumsView& sums) {
  Impl::spmv_two_component_dot<ExecutionSpace, typename YView::non_const_value_type, Matrix>(
      exec, A, x, y, sums);
}

/// \brief `d_i = A(i, i)`, 0 where it is not stored.
template <class ExecutionSpace, class Matrix, class View>
requires Impl::is_two_component_operand<Matrix>
void two_component_diagonal(const ExecutionSpace& exec, const Matrix& A, const View& d) {
  Impl::two_component_diagonal<ExecutionSpace, typename View::non_const_value_type, Matrix>(exec, A,
                                                                                            d);
}

/// \brief `diag(scale) A diag(scale)` with values of \p Value: new values, the pattern shared.
/// Products are rounded once. Complete on return.
///
/// Matrices of two components are scaled alike: throws `Error` naming the first row of \p scale
/// where the two differ.
template <class Value, class ExecutionSpace, class Matrix, class View>
requires Impl::is_two_component_operand<Matrix>
auto two_component_scaled(const ExecutionSpace& exec, const Matrix& A, const View& scale) {
  return Impl::two_component_scaled<Value, ExecutionSpace, typename View::non_const_value_type,
                                    typename Matrix::scalar_type>(exec, A, scale);
}

}  // namespace Tomokkos
