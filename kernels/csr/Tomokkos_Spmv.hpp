// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <type_traits>

namespace Tomokkos {

/// \brief Padded copy of the matrix for the variant `spmv4gpu`; empty for other variants.
///
/// Row i begins at `begins(i)`, a multiple of `spmv4gpu_padding`, and has the length it has in the
/// matrix. It is followed by `padding_column` and 0, which products skip.
template <class Scalar, class MemorySpace>
struct AlignedRows {
  Kokkos::View<const Offset*, MemorySpace> begins;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;
};

/// \brief Choices made once per matrix: variant, launch parameters, and workspace.
///
/// For `merge_path` the plan holds the tiles, for `merge_atomic` the number of sections. Copies of
/// a plan share the workspace of `merge_path`, so a plan serves one execution-space instance at a
/// time. Use two plans for two instances.
template <class ExecutionSpace, class Matrix>
class SpmvPlan;

template <class ExecutionSpace, class Matrix, class... Options>
SpmvPlan(const ExecutionSpace&, const Matrix&, const Options&...)
    -> SpmvPlan<ExecutionSpace, Matrix>;

template <class ExecutionSpace, class Scalar>
class SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>> {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;

  SpmvPlan() = default;

  /// \brief Analyses \p A and chooses the variant and its launch parameters. The plan is complete
  /// on return.
  ///
  /// Cost: two passes over the row offsets of A and a fence. `merge_path` adds a bisection per
  /// tile, `memory_bytes()` and another fence, `spmv4gpu` a padded copy of A.
  ///
  /// \throws Error when no kernel can run the options
  /// \throws MemoryError with the bytes needed when the tiles cannot be allocated
  SpmvPlan(const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options = {});

  /// \brief Returns the options with every choice made: no `automatic`, and no 0 where a kernel
  /// needs a value.
  const SpmvOptions& options() const { return options_; }
  /// \brief Returns the options for products with a range of rows or columns, which use no tiles.
  const SpmvOptions& row_options() const { return row_options_; }
  const RowStatistics& statistics() const { return statistics_; }

  /// \brief Returns the unit of row ranges for which `spmv_rows` gives the same bits as `spmv`.
  ///
  /// The bits agree for ranges between multiples of the unit. The unit is 1, or the rows of a team
  /// for `staged` on a GPU. It is 0 if the bits never agree, because `spmv` cuts rows into pieces
  /// or reads a copy with other lanes.
  Ordinal range_unit() const;

  /// \brief Returns the bytes of the workspace.
  std::size_t memory_bytes() const;

  // Used by the kernels: tiles of `merge_path` and the number of sections of `merge_atomic`.
  // Sections find their rows themselves. Tile t covers the path from (tile_rows(t),
  // tile_nonzeros(t)) to the next tile.
  Offset num_tiles() const { return num_tiles_; }
  /// \brief True if rows are so long that most members of a team would have no piece of its tile.
  bool share_long_rows() const {
    return options_.team_size > 1 && statistics_.longest * 4 > options_.items_per_tile;
  }
  /// \brief True on a host if tiles are so much longer than any row that each tile consists of
  /// whole rows. Then there are no carries and no second launch.
  bool tiles_are_whole_rows() const {
    return Impl::is_host_space<ExecutionSpace> &&
           statistics_.longest * Impl::rows_of_whole_tile <= options_.items_per_tile;
  }
  const Kokkos::View<Ordinal*, memory_space>& tile_rows() const { return tile_rows_; }
  const Kokkos::View<double*, memory_space>& carries() const { return carries_; }
  /// \brief Returns the copy for `spmv4gpu`. Products use the values that A had when the plan was
  /// made.
  const AlignedRows<Scalar, memory_space>& aligned_rows() const { return aligned_rows_; }

 private:
  SpmvOptions options_, row_options_;
  RowStatistics statistics_;
  Offset num_tiles_ = 0;
  Kokkos::View<Ordinal*, memory_space> tile_rows_;
  Kokkos::View<double*, memory_space> carries_;
  AlignedRows<Scalar, memory_space> aligned_rows_;
};

/// \brief Computes `y = alpha A x + beta y`, with x of length `A.num_cols` and y of length
/// `A.num_rows`.
///
/// `beta == 0` overwrites y, whatever it held. Reads `(4 + sizeof(Scalar)) nnz + 8 rows` bytes of
/// A, reads x once if it stays in cache, and writes y. Row sums are formed in the precision of the
/// matrix with several running sums; the error of a row is below
/// `(nnz_i + 2) u (|alpha| sum |a_ij x_j| + |beta y_i|)`. Every variant except `merge_atomic` gives
/// the same bits on every run. No fence, no allocation.
///
/// \throws DimensionMismatch when x or y has the wrong length, or \p plan was made for a matrix
/// with another number of rows or nonzeros
template <class ExecutionSpace, class Scalar>
void spmv(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief Returns the number of sums that `spmv_dot` writes, or 0 if the variant of \p plan has no
/// such product.
template <class ExecutionSpace, class Scalar>
Offset spmv_dot_sums(
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan);

/// \brief Computes `y = A x` for a square A, and partial sums of `x . y` in double.
///
/// \p sums receives `spmv_dot_sums(plan)` values that add up to `x . y`. Conjugate gradients thus
/// need not read x and y again. The bits of the sums repeat on every run. Available on a GPU for
/// `staged`, `scalar` and `team_vector` entry by entry, on a host for `merge_path` with tiles of
/// whole rows. One launch, no fence, no allocation.
///
/// \throws Error when there is no such product (`spmv_dot_sums` is 0)
/// \throws DimensionMismatch as `spmv` does, and when A is not square or \p sums has the wrong
/// length
template <class ExecutionSpace, class Scalar>
void spmv_dot(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Scalar>& x, const OutputVector<ExecutionSpace, Scalar>& y,
    const OutputVector<ExecutionSpace, double>& sums);

/// \brief Computes `y = alpha A^T x + beta y` with the sections of a `merge_atomic` plan.
///
/// x has length `A.num_rows`, y length `A.num_cols`. Each thread adds the products of its section
/// to y by atomic additions, so no long row keeps one thread busy. Reads A once and y once more to
/// scale it. The last bits vary from run to run. Two launches, no fence, no allocation.
///
/// \throws Error when \p plan has another variant
/// \throws DimensionMismatch as `spmv` does
template <class ExecutionSpace, class Scalar>
void spmv_transpose_sections(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief Computes `y = alpha A(rows, :) x + beta y`, with x of length `A.num_cols` and y of length
/// `rows.size()`.
///
/// Uses no tiles, but a thread or a team member per row. Reads only the nonzeros of these rows. No
/// fence, no allocation.
///
/// \throws Error when the range is not within the rows of A
/// \throws DimensionMismatch as `spmv` does
template <class ExecutionSpace, class Scalar>
void spmv_rows(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief Computes `y = alpha A(:, columns) x + beta y`, with x of length `columns.size()`, for a
/// matrix with sorted rows.
///
/// On a stored transpose this is the transposed product of a range of rows. y has length
/// `A.num_rows`. Finds the range in each row by two bisections and reads the nonzeros in it.
/// Unsorted rows give a wrong result, not an error. No fence, no allocation.
///
/// \throws Error when the range is not within the columns of A
/// \throws DimensionMismatch as `spmv` does
template <class ExecutionSpace, class Scalar>
void spmv_columns(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange columns,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief Computes `Y = alpha A(rows, :)^T X + beta Y` with one atomic addition per nonzero and
/// column of X.
///
/// X is `rows.size() x s`, Y `A.num_cols x s`; `beta == 0` overwrites Y. Reads the nonzeros of the
/// rows once and Y once more to scale it. The order of additions, and so the last bits, vary from
/// run to run. Two launches, no fence, no allocation.
///
/// \throws Error when the range is not within the rows of A
/// \throws DimensionMismatch when X or Y has the wrong shape
template <class ExecutionSpace, class Scalar>
void spmv_transpose_atomic(const ExecutionSpace& exec,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                           RowRange rows, Coefficient<Scalar> alpha,
                           const InputMultiVector<ExecutionSpace, Scalar>& X,
                           Coefficient<Scalar> beta,
                           const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
