// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <Tomokkos_SpmvOptions.hpp>
#include <type_traits>

namespace Tomokkos {

/// \brief The copy that `spmv4gpu` reads: row i begins at `begins(i)`, a multiple of
/// `spmv4gpu_padding`, and is as long as in the matrix. Behind it stand `padding_column` and 0,
/// which are passed over. Empty for other variants.
template <class Scalar, class MemorySpace>
struct AlignedRows {
  Kokkos::View<const Offset*, MemorySpace> begins;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;
};

/// \brief What is decided once per matrix: the concrete variant, its launch numbers, and for
/// `merge_path` the tiles, for `merge_atomic` the number of sections.
///
/// Holds the workspace of `merge_path`, which copies share, so one plan serves one execution-space
/// instance at a time. Whoever works on two makes two plans.
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

  /// \brief Looks at \p A and decides. Complete on return. Throws `Error` for impossible options,
  /// `MemoryError` with the bytes when the tiles cannot be allocated.
  ///
  /// Cost: two passes over the offsets of A and a fence; `merge_path` adds a bisection per tile,
  /// `memory_bytes()` and another fence, `spmv4gpu` a copy of A with its padding.
  SpmvPlan(const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options = {});

  /// \brief The options with every choice made: no `automatic`, no 0 that matters.
  const SpmvOptions& options() const { return options_; }
  /// \brief Those of products with a part of the rows or columns, which have no tiles.
  const SpmvOptions& row_options() const { return row_options_; }
  const RowStatistics& statistics() const { return statistics_; }

  /// \brief Ranges of rows between multiples of this have the bits of `spmv` in `spmv_rows`: 1, of
  /// `staged` on a GPU the rows of a team; 0 where they have not, since `spmv` cuts rows into
  /// pieces or reads a copy by other lanes.
  Ordinal range_unit() const;

  /// \brief Bytes of the workspace.
  std::size_t memory_bytes() const;

  // Used by the kernels: merge_path's tiles, merge_atomic's sections, which find their rows by
  // themselves. Tile t owns the path from (tile_rows(t),
  // tile_nonzeros(t)) to the next.
  Offset num_tiles() const { return num_tiles_; }
  /// \brief True when rows are long enough to leave most members of a team without a piece of its
  /// tile.
  bool share_long_rows() const {
    return options_.team_size > 1 && statistics_.longest * 4 > options_.items_per_tile;
  }
  /// \brief True on a host whose tiles are so much longer than any row that each takes whole rows:
  /// there are no carries then, and no second launch.
  bool tiles_are_whole_rows() const {
    return Impl::is_host_space<ExecutionSpace> &&
           statistics_.longest * Impl::rows_of_whole_tile <= options_.items_per_tile;
  }
  const Kokkos::View<Ordinal*, memory_space>& tile_rows() const { return tile_rows_; }
  const Kokkos::View<double*, memory_space>& carries() const { return carries_; }
  /// \brief The copy of `spmv4gpu`: products are those of the values that A had when the plan was
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

/// \brief `y = alpha A x + beta y`, x of length `A.num_cols`, y of length `A.num_rows`; `beta == 0`
/// overwrites y, whatever it held.
///
/// Reads `(4 + sizeof(Scalar)) nnz + 8 rows` bytes of A, x once if it stays in cache, writes y.
/// Sums of a row are formed in the precision of the matrix by several running sums; the error of a
/// row is below `(nnz_i + 2) u (|alpha| sum |a_ij x_j| + |beta y_i|)`. Every variant but
/// `merge_atomic` gives the same bits on every run. No fence, no allocation. Throws
/// `DimensionMismatch`, also when \p plan was made for a matrix of another number of rows or
/// nonzeros.
template <class ExecutionSpace, class Scalar>
void spmv(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief How many sums `spmv_dot` leaves; 0 where the variant of \p plan has no such product.
template <class ExecutionSpace, class Scalar>
Offset spmv_dot_sums(
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan);

/// \brief `y = A x` for a square A, and `sums`, `spmv_dot_sums(plan)` of them, which add up to
/// `x . y` in double: what conjugate gradients need, without reading x and y again.
///
/// The sums are the same bits on every run. On a GPU `staged`, `scalar` and `team_vector` entry by
/// entry, on a host `merge_path` whose tiles take whole rows. One launch, no fence, no allocation.
/// Throws `Error` where there is no such product, else as `spmv`.
template <class ExecutionSpace, class Scalar>
void spmv_dot(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Scalar>& x, const OutputVector<ExecutionSpace, Scalar>& y,
    const OutputVector<ExecutionSpace, double>& sums);

/// \brief `y = alpha A^T x + beta y`, x of length `A.num_rows`, y of length `A.num_cols`, by the
/// sections of a plan of `merge_atomic`: a thread adds the products of its section to y, each by an
/// atomic addition, so that no row, however long, keeps one thread busy.
///
/// Reads A once and y once more to scale it; the last bits vary from run to run. Two launches, no
/// fence, no allocation. Throws `Error` for a plan of another variant, else as `spmv`.
template <class ExecutionSpace, class Scalar>
void spmv_transpose_sections(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Coefficient<Scalar> alpha,
    const InputVector<ExecutionSpace, Scalar>& x, Coefficient<Scalar> beta,
    const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief `y = alpha A(rows, :) x + beta y` with x of length `A.num_cols` and y of length
/// `rows.size()`; without tiles, by a thread or a team member per row.
///
/// Reads the nonzeros of these rows alone. No fence, no allocation. Throws `Error` for a range that
/// does not lie within the rows, else as `spmv`.
template <class ExecutionSpace, class Scalar>
void spmv_rows(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief `y = alpha A(:, columns) x + beta y` with x of length `columns.size()`, for a matrix with
/// sorted rows: on a stored transpose this is the transposed product of a range of rows.
///
/// y has length `A.num_rows`. Finds the range in each row by two bisections and reads the nonzeros
/// in it. Rows in no order give a wrong result, not an error. No fence, no allocation. Throws
/// `Error` for a range that does not lie within the columns, else as `spmv`.
template <class ExecutionSpace, class Scalar>
void spmv_columns(
    const ExecutionSpace& exec,
    const SpmvPlan<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>& plan,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange columns,
    Coefficient<Scalar> alpha, const InputVector<ExecutionSpace, Scalar>& x,
    Coefficient<Scalar> beta, const OutputVector<ExecutionSpace, Scalar>& y);

/// \brief `Y = alpha A(rows, :)^T X + beta Y` by one atomic addition per nonzero and column of X. X
/// is `rows.size() x s`, Y `A.num_cols x s`; `beta == 0` overwrites Y.
///
/// Reads the nonzeros of the rows once and Y once more to scale it. The order of additions, and so
/// the last bits, vary from run to run. Two launches, no fence, no allocation. Throws `Error` for a
/// range that does not lie within the rows, `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void spmv_transpose_atomic(const ExecutionSpace& exec,
                           const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                           RowRange rows, Coefficient<Scalar> alpha,
                           const InputMultiVector<ExecutionSpace, Scalar>& X,
                           Coefficient<Scalar> beta,
                           const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
