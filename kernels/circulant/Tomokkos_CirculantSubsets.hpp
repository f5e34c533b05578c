// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered subsets of the rows of blocks (the views of a scan) of a block-circulant matrix, and
// masks of its rows and columns.
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Rows and columns of a block-circulant matrix with k blocks that a product uses, and the
/// order of the rows.
///
/// Subset c of S has the block rows c, c + S, c + 2 S, ..., where S divides k. Rows follow each
/// other subset by subset. Within a subset they are a row-major m_B x k / S array: row i of block
/// row c + q S is at `i k / S + q`. Columns are in the order `CirculantOrder::rotations`.
template <class MemorySpace>
struct CirculantSelection {
  int subsets = 1;
  /// The subsets in the order of their rows; empty: 0, 1, ...
  std::vector<Ordinal> order;
  /// Kept rows, which ascend, out of all rows in the order above; empty: all.
  std::optional<IndexMap<MemorySpace>> rows;
  /// Kept columns out of all columns; empty: all.
  std::optional<IndexMap<MemorySpace>> columns;

  /// \brief True if all rows and columns are used in the order `CirculantOrder::rotations`.
  bool is_whole() const { return subsets == 1 && !rows && !columns; }
};

/// \brief Lists the rows of C, numbered as `CirculantOrder::rotations`, in the order of a
/// `CirculantSelection` that keeps all of them.
///
/// \throws Error unless \p subsets divides \p blocks and \p order has each subset once
std::vector<Ordinal> circulant_subset_rows(Ordinal block_rows, Ordinal blocks, int subsets,
                                           const std::vector<Ordinal>& order);

/// \brief Returns the matrix with the block rows 0, S, 2 S, ... of C. It is block circulant with
/// k / S blocks of m_B x S n_B.
///
/// Its column `(l S + r) k / S + t` is column `l k + r + t S` of C. The block rows c, c + S, ... of
/// C have the same matrix, with columns `l k + (c + r + t S) mod k` of C: see `take_columns`.
///
/// Cost: one pass and a sort of each row. Memory: `block_circulant_bytes` of A; of
/// rounded values 4 nnz bytes more until it returns.
///
/// \throws Error unless \p subsets divides the number of blocks, and as `check_circulant_shape`
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> circulant_of_subset(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A, int subsets);

/// \brief Returns the row offsets of the selected rows with the selected columns, as a CSR matrix
/// would have them. One pass over the entries of the selected rows. Fences.
template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> circulant_row_offsets(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const CirculantSelection<typename ExecutionSpace::memory_space>& selection);

/// \brief Columns of C as columns of the matrix of subset \p subset.
template <class MemorySpace>
struct CirculantSubsetColumns {
  Ordinal blocks;   ///< k
  Ordinal subsets;  ///< S
  Ordinal subset;   ///< c
  std::optional<IndexMap<MemorySpace>> kept;
};

/// \brief Copies X, which has the kept columns, to \p to, which has all columns of the matrix of a
/// subset. Columns that are not kept are set to 0.
template <class ExecutionSpace, class Scalar>
void take_columns(const ExecutionSpace& exec,
                  const CirculantSubsetColumns<typename ExecutionSpace::memory_space>& columns,
                  const InputMultiVector<ExecutionSpace, Scalar>& X,
                  const OutputMultiVector<ExecutionSpace, Scalar>& to);

/// \brief Computes `X = alpha from + beta X` for the kept columns: the reverse of `take_columns`.
/// `beta == 0` overwrites X.
template <class ExecutionSpace, class Scalar>
void put_columns(const ExecutionSpace& exec,
                 const CirculantSubsetColumns<typename ExecutionSpace::memory_space>& columns,
                 Coefficient<Scalar> alpha, const InputMultiVector<ExecutionSpace, Scalar>& from,
                 Coefficient<Scalar> beta, const OutputMultiVector<ExecutionSpace, Scalar>& X);

/// \brief Copies Y, which has the rows of \p range of a selection, to \p to, which has the rows of
/// a subset from \p first on, in the order of the selection that keeps all rows. Other rows are set
/// to 0.
template <class ExecutionSpace, class Scalar>
void take_rows(const ExecutionSpace& exec,
               const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& kept,
               RowRange range, Ordinal first, const InputMultiVector<ExecutionSpace, Scalar>& Y,
               const OutputMultiVector<ExecutionSpace, Scalar>& to);

/// \brief Computes `Y = alpha from + beta Y` for the rows of \p range, which belong to the subset:
/// the reverse of `take_rows`. `beta == 0` overwrites Y.
template <class ExecutionSpace, class Scalar>
void put_rows(const ExecutionSpace& exec,
              const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& kept,
              RowRange range, Ordinal first, Coefficient<Scalar> alpha,
              const InputMultiVector<ExecutionSpace, Scalar>& from, Coefficient<Scalar> beta,
              const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
