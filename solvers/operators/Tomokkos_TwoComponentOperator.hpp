// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Operator.hpp>
#include <Tomokkos_SpmvTwoComponent.hpp>

namespace Tomokkos {

namespace Impl {

template <class Matrix, class Scalar>
concept MatrixOfFewBytes = is_two_component_operand<Matrix> &&
    (components_of<Matrix> > 1 || !std::is_same_v<typename Matrix::scalar_type, Scalar>);

}  // namespace Impl

/// \brief Square operator of a matrix in a compact form: `ComplexCsrMatrix`, `SharedCsrMatrix`, or
/// a `CsrMatrix` in float for vectors in double.
///
/// It supports products, the product with a dot, the diagonal and symmetric scaling. It supports
/// neither the transpose nor ranges of rows.
template <class ExecutionSpace, class Matrix, class Scalar>
requires Impl::MatrixOfFewBytes<Matrix, Scalar>
class MatrixOperator<ExecutionSpace, Matrix, Scalar> {
 public:
  using scalar_type = Scalar;
  using matrix_type = Matrix;
  using memory_space = typename ExecutionSpace::memory_space;
  static constexpr int components = Impl::components_of<Matrix>;

  /// \throws DimensionMismatch unless the matrix is square
  MatrixOperator(const ExecutionSpace&, Matrix A) : A_(std::move(A)) {
    if constexpr (components == 1)
      require_equal("number of rows", A_.num_rows, "the number of columns", A_.num_cols);
  }

  const Matrix& matrix() const { return A_; }
  Ordinal num_rows() const {
    if constexpr (components == 1)
      return A_.num_rows;
    else
      return A_.num_rows();
  }
  Ordinal num_cols() const { return num_rows(); }
  std::size_t memory_bytes() const { return A_.memory_bytes(); }
  /// \brief Returns the bytes of the arrays that the result of `scaled` shares with this operator.
  std::size_t pattern_bytes() const {
    if constexpr (requires { A_.couplings; })
      return A_.memory_bytes() -
             (A_.shared.values.extent(0) + A_.couplings.extent(0)) * sizeof(Value);
    else
      return A_.memory_bytes() - A_.values.extent(0) * sizeof(Value);
  }
  /// \brief Returns the bytes that a product with \p vectors vectors moves: the matrix once per
  /// vector, because the vectors do not share a pass over it.
  std::size_t apply_bytes(int vectors = 1) const {
    return vectors *
           (A_.memory_bytes() + 2 * sizeof(Scalar) * static_cast<std::size_t>(num_rows()));
  }

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) const {
    spmv_two_component(exec, A_, alpha, X, beta, Y);
  }

  /// \brief See `OperatorCapabilities::only_launches`.
  bool only_launches() const { return true; }
  Offset dot_sums() const {
    return spmv_two_component_dot_sums<ExecutionSpace>(num_rows() / components);
  }
  void apply_dot(const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& x,
                 const VectorView<Scalar, memory_space>& y,
                 const VectorView<double, memory_space>& sums) const {
    spmv_two_component_dot(exec, A_, x, y, sums);
  }

  void diagonal(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& d) const {
    two_component_diagonal(exec, A_, d);
  }

  /// \brief Returns the operator of `diag(scale) A diag(scale)`; see `two_component_scaled`.
  MatrixOperator scaled(const ExecutionSpace& exec,
                        const VectorView<const Scalar, memory_space>& scale) const {
    return {exec, two_component_scaled<Value>(exec, A_, scale)};
  }
  /// \brief Returns the scaled operator with values in float.
  auto scaled_in_float(const ExecutionSpace& exec,
                       const VectorView<const Scalar, memory_space>& scale) const {
    auto scaled = two_component_scaled<float>(exec, A_, scale);
    return MatrixOperator<ExecutionSpace, decltype(scaled), Scalar>(exec, std::move(scaled));
  }

 private:
  using Value = typename Matrix::scalar_type;

  Matrix A_;
};

}  // namespace Tomokkos
