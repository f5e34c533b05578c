// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

namespace Impl {
template <class MemorySpace>
struct TwoWayPattern;
}

/// \brief Normal matrix `A^T A` of a sparse A. The pattern is found once; the values can be
/// recomputed whenever those of A change.
///
/// Entry (i, j) is the sum over the rows of A that contain both columns, in double and in the order
/// of the rows. The result is symmetric bit by bit and has the same bits for any number of threads.
/// No atomics on values and no list of contributions are needed. Entries whose products cancel are
/// stored.
///
/// Memory: the matrix, and the transposed pattern of A (4 bytes an entry of A, 8 a column). The
/// pattern of A is shared. Copies share everything.
template <class ExecutionSpace, class Scalar>
class NormalMatrix {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;

  /// \brief Finds the pattern and computes the values. The matrix is complete on return.
  ///
  /// Time: two passes for the pattern and one for the values. In each, the thread of a column
  /// visits the rows of A that contain it. A column of A with more than `Impl::long_column_rows`
  /// entries costs two more passes over all columns, and a launch for the values; other columns do
  /// not wait for it.
  ///
  /// \pre the rows of \p A are sorted and contain no column twice
  /// \throws MemoryError with the bytes needed
  NormalMatrix(const ExecutionSpace& exec, const matrix_type& A);

  /// \brief Recomputes the values for an A with the same pattern. Allocates nothing; complete on
  /// return.
  ///
  /// \throws DimensionMismatch for an A with another number of entries, rows or columns
  void refill(const ExecutionSpace& exec, const matrix_type& A);

  /// \brief Computes `B = A^T T` for the current A, with `T` rows of A x s and `B` columns of A x
  /// s. Sums are in double in the order of the rows. One launch, no fence.
  ///
  /// \throws DimensionMismatch
  void multiply_transposed(const ExecutionSpace& exec,
                           const MultiVectorView<const Scalar, memory_space>& T,
                           const MultiVectorView<Scalar, memory_space>& B) const;

  /// \brief Returns the first row of the result whose diagonal entry is not a positive finite
  /// number: its column of A has only zeros, or its square is out of range. Empty if all diagonal
  /// entries are positive and finite. Fences.
  std::optional<Ordinal> first_bad_diagonal(const ExecutionSpace& exec) const;

  /// \brief Normal matrix, rows sorted.
  matrix_type matrix() const { return result_.matrix(A_.num_cols, A_.num_cols); }

  /// \brief Bytes of device memory in addition to A.
  std::size_t memory_bytes() const;

 private:
  void find_pattern(const ExecutionSpace& exec);
  Impl::TwoWayPattern<memory_space> pattern() const;

  matrix_type A_;
  Kokkos::View<const Offset*, memory_space> column_offsets_;
  Kokkos::View<const Ordinal*, memory_space> column_rows_;  // rows of the entries of each column of
                                                            // A
  Impl::CsrArrays<Scalar, memory_space> result_;
  struct LongRow {
    Ordinal row;
    Offset begin, length;
  };
  std::vector<LongRow> long_rows_;  // of the result
};

}  // namespace Tomokkos
