// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_FormatOps.hpp>
#include <Tomokkos_PackedCsrTransposed.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <Tomokkos_SpmvPackedCsr.hpp>
#include <optional>

namespace Tomokkos {

/// \brief How packed rows are transposed.
template <class Matrix>
struct PackedTranspose {
  /// `stored`, `atomic` or, on hosts, `private_images`; nothing: not at all.
  std::optional<TransposeMethod> method;
  /// Of `stored`: A^T with the values that A holds, so that the products are adjoint.
  std::optional<Matrix> copy;
  /// Of `private_images`: how many, see `private_image_count`.
  int images = 0;
};

/// \brief A matrix in packed rows as an operator. No ranges of rows, no Kaczmarz sweep.
///
/// Several vectors are multiplied one after the other, through two contiguous ones; atomic
/// additions and private images take them at once. The diagonal and the scaled matrix are of plain
/// values. Copies share the arrays and the workspace, so an operator serves one execution-space
/// instance at a time.
template <class ExecutionSpace, class Matrix>
class PackedCsrOperator {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename ExecutionSpace::memory_space;
  static constexpr bool is_plain = Matrix::tile_values == TileValues::plain;

  /// \brief Allocates the images of one vector, where there are any. Throws `Error` for a method
  /// that packed rows do not have, a copy that is missing, images on a GPU; `DimensionMismatch`.
  PackedCsrOperator(const ExecutionSpace& exec, Matrix A, PackedTranspose<Matrix> transpose = {});

  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  bool has_transpose() const { return transpose_.method.has_value(); }
  const Matrix& matrix() const { return A_; }
  /// \brief The stored transpose, where there is one.
  const std::optional<Matrix>& transposed_matrix() const { return transpose_.copy; }

  std::size_t memory_bytes() const;
  /// \brief Of the arrays that `scaled` shares.
  std::size_t pattern_bytes() const;
  /// \brief Of a product with \p vectors vectors: the matrix as often as it is read.
  std::size_t apply_bytes(int vectors = 1) const { return bytes_of(A_, vectors); }
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates what products with \p vectors vectors need: two of them, from two on, and
  /// private images. A product that finds less allocates what it needs itself: A x and the stored
  /// transpose the vectors, private images themselves, atomic additions nothing.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, scalar_type alpha,
             const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
             const MultiVectorView<scalar_type, memory_space>& Y) const;
  /// Throws `Error` for an operator without it.
  void apply_transpose(const ExecutionSpace& exec, scalar_type alpha,
                       const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
                       const MultiVectorView<scalar_type, memory_space>& Y) const;

  /// \brief `sums(i) = sum_j a_ij`, and `sums(j) = sum_i a_ij`, of the values as they are held:
  /// products with ones, which are allocated.
  void row_sums(const ExecutionSpace& exec,
                const VectorView<scalar_type, memory_space>& sums) const;
  void column_sums(const ExecutionSpace& exec,
                   const VectorView<scalar_type, memory_space>& sums) const;

  /// \brief `d_i = A(i, i)`, 0 where it is not stored.
  void diagonal(const ExecutionSpace& exec,
                const VectorView<scalar_type, memory_space>& d) const requires is_plain {
    format_diagonal(exec, A_, d);
  }
  /// \brief See `format_diagonal_blocks`.
  void diagonal_blocks(
      const ExecutionSpace& exec, int size,
      const VectorView<scalar_type, memory_space>& blocks) const requires is_plain {
    format_diagonal_blocks(exec, A_, size, blocks);
  }
  /// \brief The operator of `diag(scale) A diag(scale)`: copies of the values, the patterns shared.
  PackedCsrOperator scaled(
      const ExecutionSpace& exec,
      const VectorView<const scalar_type, memory_space>& scale) const requires is_plain {
    PackedTranspose<Matrix> transpose = transpose_;
    if (transpose.copy) transpose.copy = format_scaled(exec, *transpose.copy, scale, scale);
    return {exec, format_scaled(exec, A_, scale, scale), std::move(transpose)};
  }

 private:
  using Input = MultiVectorView<const scalar_type, memory_space>;
  using Output = MultiVectorView<scalar_type, memory_space>;
  std::size_t bytes_of(const Matrix& M, int vectors) const;
  void reserve_images(const ExecutionSpace& exec, int vectors) const;
  void reserve_work(const ExecutionSpace& exec, int vectors) const;
  void multiply(const ExecutionSpace& exec, const Matrix& M, scalar_type alpha, const Input& X,
                scalar_type beta, const Output& Y) const;
  Vector<scalar_type, memory_space> ones(const ExecutionSpace& exec, Ordinal n) const;

  Matrix A_;
  PackedTranspose<Matrix> transpose_;
  mutable PrivateImages<ExecutionSpace, scalar_type> images_;
  mutable Vector<scalar_type, memory_space> work_;
};

}  // namespace Tomokkos
