// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_SpmvBlockCirculant.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Product of another library with one matrix, and the memory it holds besides the matrix.
template <class Scalar>
struct CirculantRoute {
  CirculantLibrary<Scalar> product;
  std::size_t memory_bytes = 0;
};

/// \brief Block-circulant matrix in the memory of an execution space; its values may be rounded
/// (`with_rounded_values`), and those of a stored transpose then are as well.
template <class ExecutionSpace, class Scalar>
using CirculantIn = BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>;

/// \brief Options of the products with a block-circulant matrix.
template <class ExecutionSpace, class Scalar>
struct CirculantOperatorOptions {
  using matrix_type = CirculantIn<ExecutionSpace, Scalar>;

  CirculantVariant variant = CirculantVariant::automatic;
  /// `stored`, `direct` or `automatic`: `stored` if it fits into memory.
  TransposeMethod transpose = TransposeMethod::stored;
  /// Variant of the product with the stored transpose.
  CirculantVariant transpose_variant = CirculantVariant::automatic;
  /// Memory available for a stored transpose. Empty: on a host the free memory of the system,
  /// elsewhere unlimited.
  std::optional<std::uint64_t> available_bytes{};
  /// Creates the product of `CirculantVariant::library`. Empty: that variant is not available.
  std::function<CirculantRoute<Scalar>(const ExecutionSpace&, const matrix_type&)> library;
};

/// \brief Operator of a block-circulant matrix: both products, several vectors in one pass, the
/// same bits on every run.
///
/// Vectors are in the order `CirculantOrder::rotations`. The diagonal and Kaczmarz sweeps are not
/// supported; ranges of rows are by `CirculantSubsetOperator`. Copies share the arrays and the
/// workspace, so an operator serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar> {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = BlockCirculantMatrix<Scalar, memory_space>;
  using options_type = CirculantOperatorOptions<ExecutionSpace, Scalar>;

  /// \brief Builds the operator, including the transposed matrix if it is to be stored.
  ///
  /// Memory of a stored transpose: `block_circulant_bytes`, and the temporary arrays of the
  /// transposition.
  ///
  /// \throws Error for any other `TransposeMethod`, and for the errors of the plans
  /// \throws MemoryError with the bytes needed
  MatrixOperator(const ExecutionSpace& exec, matrix_type A, const options_type& options = {});

  Ordinal num_rows() const { return A_.num_rows(); }
  Ordinal num_cols() const { return A_.num_cols(); }
  const matrix_type& matrix() const { return A_; }
  /// \brief Returns C^T; an empty matrix with `direct`.
  const matrix_type& transposed_matrix() const { return transposed_; }
  /// \brief Returns the chosen variant, never `automatic`.
  CirculantVariant variant() const { return plan_.variant(); }
  TransposeMethod transpose() const { return transpose_; }
  /// \brief Returns the variant of the product with a stored transpose.
  CirculantVariant transpose_variant() const { return transposed_plan_.variant(); }

  std::size_t memory_bytes() const;
  /// \brief Returns the bytes that a product with \p vectors vectors moves: the matrix as often as
  /// it is read, X, Y, and the workspace to which the variant copies X, once written and once read.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates the workspace of products with \p vectors vectors. A product that finds less
  /// allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  /// \brief See `OperatorCapabilities::only_launches`. True for variants that need no workspace
  /// besides the matrix.
  bool only_launches() const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y) const;
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y) const;

  /// \brief Computes `sums(i) = sum_j c_ij`, or `sums(j) = sum_i c_ij`, from the first row of
  /// blocks: one pass over it, or with `direct` a product with ones. Allocates and fences.
  void row_sums(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& sums) const;
  void column_sums(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& sums) const;

 private:
  using Plan = BlockCirculantPlan<ExecutionSpace, Scalar>;
  TransposeMethod chosen_transpose(const ExecutionSpace& exec, const options_type& options) const;
  Plan make_plan(const ExecutionSpace& exec, const matrix_type& M, CirculantVariant variant,
                 const options_type& options);
  std::size_t bytes_of(const matrix_type& M, CirculantVariant variant, int vectors) const;
  void expand_row_sums(const ExecutionSpace& exec, const matrix_type& M,
                       const VectorView<Scalar, memory_space>& sums) const;

  matrix_type A_;
  matrix_type transposed_;
  TransposeMethod transpose_;
  Plan plan_;
  Plan transposed_plan_;
  CirculantTransposePlan<ExecutionSpace, Scalar> direct_plan_;
  std::size_t library_bytes_ = 0;
};

template <class ExecutionSpace, class Scalar>
using BlockCirculantOperator =
    MatrixOperator<ExecutionSpace, CirculantIn<ExecutionSpace, Scalar>, Scalar>;

/// \brief Describes a block-circulant matrix for a report: its blocks, the number of stored entries
/// and how often each value is used. Fences.
template <class ExecutionSpace, class Scalar>
Description describe_circulant(const ExecutionSpace& exec,
                               const CirculantIn<ExecutionSpace, Scalar>& A);

/// \brief Returns \p op, which multiplies with \p A by \p products, with its description for a
/// report: the chosen variants, the method of transposition, and the figures of A.
template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> with_description(
    const ExecutionSpace& exec, const CirculantIn<ExecutionSpace, Scalar>& A,
    const BlockCirculantOperator<ExecutionSpace, Scalar>& products,
    const AnyOperator<ExecutionSpace, Scalar>& op);

/// \brief Builds an operator from \p A, with its description for a report: the chosen variants, the
/// method of transposition, and its figures.
///
/// \throws Refused when the method of transposition is not supported
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CirculantIn<ExecutionSpace, Scalar>& A,
    const CirculantOperatorOptions<ExecutionSpace, Scalar>& options = {});

/// \brief Returns the bytes of a block-circulant matrix with \p stored entries in its first row of
/// blocks.
template <class Scalar>
constexpr std::uint64_t block_circulant_bytes(Ordinal block_rows, Offset stored) {
  return (static_cast<std::uint64_t>(block_rows) + 1) * sizeof(Offset) +
         static_cast<std::uint64_t>(stored) * (sizeof(std::uint32_t) + sizeof(Scalar));
}

}  // namespace Tomokkos
