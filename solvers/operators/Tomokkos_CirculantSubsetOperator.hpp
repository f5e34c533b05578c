// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantOperator.hpp>
#include <Tomokkos_CirculantSubsets.hpp>
#include <Tomokkos_ForEach.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Operator of a block-circulant matrix with ordered subsets of its block rows, and with
/// masks of its rows and columns (`CirculantSelection`).
///
/// The block rows c, c + S, c + 2 S, ... of C are a block-circulant matrix, too, with k / S blocks.
/// Except for a rotation of the columns it is the same for all c, and only this one is stored: as
/// much memory as the first row of blocks of C. A product with a subset reads it once. Its
/// additional cost is a pass over x that puts the columns into the order of the subset; and for
/// masks, and for ranges that are not whole subsets, a pass over the rows of the subset.
///
/// A range of rows costs the products of all subsets that it touches. The product with all rows
/// reads the matrix S times.
///
/// Products have the same bits in every run. Copies share the arrays and the workspace, so an
/// operator serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class CirculantSubsetOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = BlockCirculantMatrix<Scalar, memory_space>;
  using options_type = CirculantOperatorOptions<ExecutionSpace, Scalar>;
  using selection_type = CirculantSelection<memory_space>;
  using SubsetOperator = BlockCirculantOperator<ExecutionSpace, Scalar>;

  /// \brief Builds the operator. Memory in addition to \p A: see `circulant_of_subset` if there are
  /// several subsets, and `BlockCirculantOperator`.
  ///
  /// \throws Error if the subsets do not divide the blocks, or the kept rows and columns are not
  ///   those of a matrix of this shape; for the errors of `BlockCirculantOperator`
  /// \throws MemoryError with the bytes needed
  CirculantSubsetOperator(const ExecutionSpace& exec, const matrix_type& A,
                          const options_type& options, selection_type selection);

  Ordinal num_rows() const { return begins_.back(); }
  Ordinal num_cols() const;
  /// \brief Returns the operator of the matrix that all subsets share.
  const SubsetOperator& of_subset() const { return A_; }

  std::size_t memory_bytes() const;
  /// \brief Returns the bytes that the products with all rows move.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates the workspace of products with \p vectors vectors. A product that finds less
  /// allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;
  /// \brief See `OperatorCapabilities::only_launches`.
  bool only_launches() const { return false; }

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const;

 private:
  using Input = MultiVectorView<const Scalar, memory_space>;
  using Output = MultiVectorView<Scalar, memory_space>;

  /// Part of a range of rows in one subset.
  struct Piece {
    int place;  // of the subset in the order of the rows
    RowRange rows;
    bool is_whole;  // all rows of the subset in the order of its matrix
  };
  std::vector<Piece> pieces_of(RowRange range) const;
  static bool has_parts(const std::vector<Piece>& pieces);
  bool reorders_columns() const { return selection_.subsets > 1 || selection_.columns; }
  CirculantSubsetColumns<memory_space> columns_of(int place) const;
  Output column_work(int vectors) const;
  Output row_work(int vectors) const;
  std::size_t work_bytes(int vectors) const;
  void reserve_work(const ExecutionSpace& exec, int vectors, bool with_rows) const;

  selection_type selection_;
  Ordinal blocks_;
  SubsetOperator A_;
  std::vector<Ordinal> begins_;  // of the kept rows of each subset, and their number
  mutable Vector<Scalar, memory_space> column_work_, row_work_;
};

TOMOKKOS_EXTERN_CLASS(CirculantSubsetOperator)

/// \brief Builds an operator with the rows and columns of \p selection, with its description for a
/// report. Without subsets and masks it is a `BlockCirculantOperator`.
///
/// \throws as `CirculantSubsetOperator`
template <class ExecutionSpace, class Scalar>
BuiltOperator<ExecutionSpace, Scalar> make_operator(
    const ExecutionSpace& exec, const CirculantIn<ExecutionSpace, Scalar>& A,
    const CirculantOperatorOptions<ExecutionSpace, Scalar>& options,
    const CirculantSelection<typename ExecutionSpace::memory_space>& selection);

}  // namespace Tomokkos
