// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_SpmvPairBlocked.hpp>
#include <optional>

namespace Tomokkos {

/// \brief A matrix in pairs of rows (`PairBlockedMatrix`) as an operator: both products from the
/// one copy. No ranges of rows, no diagonal, no Kaczmarz sweep.
///
/// Several vectors are multiplied one after the other, through two contiguous ones. Copies share
/// the arrays and the workspace, so an operator serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class PairBlockedOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = PairBlockedMatrix<Scalar, memory_space>;

  /// \param transpose how A^T x is added up; nothing: not at all. See `PairBlockedPlan` for what it
  /// costs and throws.
  PairBlockedOperator(const ExecutionSpace& exec, matrix_type A,
                      std::optional<PairTranspose> transpose = PairTranspose::fixed_point);

  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  bool has_transpose() const { return transpose_.has_value(); }
  const matrix_type& matrix() const { return A_; }
  std::optional<PairTranspose> transpose() const { return transpose_; }
  const PairBlockedPlan<ExecutionSpace, Scalar>& plan() const { return plan_; }

  std::size_t memory_bytes() const {
    return A_.memory_bytes() + plan_.memory_bytes() + work_.extent(0) * sizeof(Scalar);
  }
  /// \brief Of a product with \p vectors vectors, each of which reads the matrix once.
  std::size_t apply_bytes(int vectors = 1) const;
  /// \brief The same, and of `fixed_point` the sums, which are read and set to zero again;
  /// additions meet in the caches, at best. 0 without a transpose.
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates what products with \p vectors vectors need: two of them, from two on. A
  /// product that finds less allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  /// \brief Throw `DimensionMismatch`.
  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) const;
  /// Throws `Error` for an operator without it.
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y) const;

  /// \brief `sums(i) = sum_j a_ij`, and `sums(j) = sum_i a_ij`: products with ones, which are
  /// allocated.
  void row_sums(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& sums) const;
  void column_sums(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& sums) const;

 private:
  using Input = MultiVectorView<const Scalar, memory_space>;
  using Output = MultiVectorView<Scalar, memory_space>;
  template <class Product>
  void for_columns(const ExecutionSpace& exec, const Input& X, Ordinal length_of_x, Scalar beta,
                   const Output& Y, Ordinal length_of_y, const Product& product) const;
  Vector<Scalar, memory_space> ones(const ExecutionSpace& exec, Ordinal n) const;

  matrix_type A_;
  std::optional<PairTranspose> transpose_;
  PairBlockedPlan<ExecutionSpace, Scalar> plan_;
  mutable Vector<Scalar, memory_space> work_;
};

}  // namespace Tomokkos
