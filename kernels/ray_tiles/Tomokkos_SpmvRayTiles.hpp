// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTiles.hpp>
#include <impl/Tomokkos_BlockOrders.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief What products with a matrix in ray tiles need beside it.
///
/// On a GPU sums of several teams meet in whole numbers of a unit, a power of two that the largest
/// entry of the vector and the largest sum of a row or a column of |A| decide: integers add to the
/// same bits in any order. The error of that is absolute, for every entry of the result
///  - of A x: at most (segments of the row) 2^-61 max|x| max_i sum_j |a_ij|, beside the rounding of
///    sums within a segment in the precision of x;
///  - of A^T y in float: at most (entries of the column) 2^-30 max|y| max_j sum_i |a_ij|, beyond
///    four million rows 2^-29, in double 2^-60 instead; an entry a million times below the bound
///    keeps three digits in float.
/// No unit is below 2^-1022: what is smaller than that in double is lost.
/// On hosts a thread owns some rows of a group, or a share of the entries of a tile, of which there
/// are as many as the matrix says: no integers, the same bits for any number of threads.
///
/// Serves one execution-space instance at a time.
template <class ExecutionSpace, class Matrix>
class RayTilesPlan {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename ExecutionSpace::memory_space;
  /// Of the sums of a column.
  using integer_type = std::conditional_t<std::is_same_v<scalar_type, float>, int, long long>;

  RayTilesPlan() = default;
  /// \brief On a GPU allocates 9 bytes a row, 5 (in double 9) a column and 4 a block, and reads A
  /// twice to bound its sums; the first products with some rows or columns add 4 bytes for each of
  /// their blocks, up to 128 a block of A, as far as there is memory. On hosts a window of sums for
  /// each share, 8 bytes a column of a tile, where some tile has several: up to 64 shares more than
  /// tiles, in the ratio of their entries.
  /// Throws `Error` for sums of columns of |A| that are not between 2^-90 and 2^90 (in double
  /// 2^-900 and 2^900), `MemoryError`.
  RayTilesPlan(const ExecutionSpace& exec, const Matrix& A);

  std::size_t memory_bytes() const {
    return row_sums_.extent(0) * sizeof(long long) + column_sums_.extent(0) * sizeof(integer_type) +
           row_faults_.extent(0) + column_faults_.extent(0) +
           (bound_.extent(0) + windows_.extent(0)) * sizeof(double) +
           largest_first_.extent(0) * sizeof(Ordinal) +
           (shared_ ? shared_->of_rows.memory_bytes() + shared_->of_columns.memory_bytes() : 0);
  }

  /// \brief For the products: zero between them.
  const Vector<long long, memory_space>& row_sums() const { return row_sums_; }
  const Vector<integer_type, memory_space>& column_sums() const { return column_sums_; }
  /// \brief For the products: 1 where a sum is no finite number; zero between them.
  const Vector<unsigned char, memory_space>& row_faults() const { return row_faults_; }
  const Vector<unsigned char, memory_space>& column_faults() const { return column_faults_; }
  /// \brief For the products: the largest entry of the vector.
  const Vector<double, memory_space>& bound() const { return bound_; }
  /// \brief For the products: the vector of which slabs may be formed, as
  /// `prepare_transpose_columns` has left it; of no other product.
  const scalar_type* slabs_of() const { return shared_ ? shared_->slabs_of : nullptr; }
  void set_slabs_of(const scalar_type* y) const {
    if (shared_) shared_->slabs_of = y;
  }
  /// \brief Largest sum of absolute values of a row, and of a column; on hosts 0.
  double row_bound() const { return row_bound_; }
  double column_bound() const { return column_bound_; }
  /// \brief Of a GPU: all blocks, those with most entries first: a kernel that comes to the small
  /// ones last ends on all multiprocessors at nearly the same time.
  const Vector<Ordinal, memory_space>& largest_first() const { return largest_first_; }
  /// \brief Of a GPU: the same of the blocks that have entries in \p rows, by what they have there,
  /// and of those of the tiles that \p columns are. Kept from the first time on, which waits for
  /// \p exec; none where no room is left for them, and on hosts.
  const Vector<Ordinal, memory_space>* largest_of_rows(const ExecutionSpace& exec, const Matrix& A,
                                                       RowRange rows) const;
  const Vector<Ordinal, memory_space>* largest_of_columns(const ExecutionSpace& exec,
                                                          const Matrix& A, RowRange columns) const;
  /// \brief Of a GPU: where the blocks of each group are listed, here on the host.
  const std::vector<Offset>& group_offsets() const { return group_offsets_; }
  /// \brief Of a GPU: the first block of each tile, here on the host.
  const std::vector<Offset>& tile_blocks() const { return tile_blocks_; }
  /// \brief Of a host: the first share of each tile, and a window for each share.
  const std::vector<Ordinal>& share_begins() const { return share_begins_; }
  const Vector<double, memory_space>& windows() const { return windows_; }

 private:
  Vector<long long, memory_space> row_sums_;
  Vector<integer_type, memory_space> column_sums_;
  Vector<unsigned char, memory_space> row_faults_, column_faults_;
  Vector<double, memory_space> bound_, windows_;
  Vector<Ordinal, memory_space> largest_first_;
  // Copies share what is prepared, and the lists that products have made.
  struct Shared {
    const scalar_type* slabs_of = nullptr;
    Impl::BlockOrders<memory_space> of_rows, of_columns;
  };
  std::shared_ptr<Shared> shared_;
  double row_bound_ = 0, column_bound_ = 0;
  std::vector<Offset> group_offsets_, tile_blocks_;
  std::vector<Ordinal> share_begins_;
};

/// \brief `y = alpha A(rows, :) x + beta y` with `rows.size()` entries of y; `beta == 0`
/// overwrites. The same bits on every run, and of a row in any range that holds it. An infinity or
/// a NaN in x makes the rows that touch it NaN or infinite (on a GPU NaN).
///
/// Cost: the entries of the rows once, rows that share a group with others in chunks of 128; on a
/// GPU three launches, after a list that the first product with the range makes, waiting for it.
/// Throws `Error` for a range that does not lie within the rows, `DimensionMismatch`.
template <class ExecutionSpace, class Matrix>
void spmv(const ExecutionSpace& exec, const RayTilesPlan<ExecutionSpace, Matrix>& plan,
          const Matrix& A, typename Matrix::scalar_type alpha,
          const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
          typename Matrix::scalar_type beta,
          const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
          RowRange rows = all_rows);

/// \brief `x = alpha A(rows, :)^T y + beta x` with `rows.size()` entries of y, the same way: all of
/// x is written. The unit of a GPU follows from this y.
template <class ExecutionSpace, class Matrix>
void spmv_transpose(const ExecutionSpace& exec, const RayTilesPlan<ExecutionSpace, Matrix>& plan,
                    const Matrix& A, typename Matrix::scalar_type alpha,
                    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
                    typename Matrix::scalar_type beta,
                    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
                    RowRange rows = all_rows);

/// \brief What the slabs of `A^T y` have in common, and needs to be launched before the first of
/// them: on a GPU the largest entry of y. Another product with the plan ends it, on hosts, too.
/// Throws `DimensionMismatch`.
template <class ExecutionSpace, class Matrix>
void prepare_transpose_columns(const ExecutionSpace& exec,
                               const RayTilesPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
                               const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y);

/// \brief `x = alpha A(:, columns)^T y + beta x` with `columns.size()` entries of x, the columns of
/// whole tiles: they begin at a multiple of `A.tile`, and end at one or with A. The bits of these
/// columns of the whole product: the unit of a GPU follows from all of y, by
/// `prepare_transpose_columns`. After that slabs without common columns may be formed at the same
/// time, on an instance each, launched by one thread.
///
/// Cost: the entries of the tiles once; on a GPU two launches, after a list as of rows. Throws
/// `Error` for columns that do not lie within A or cut a tile, and for a y that is not prepared;
/// `DimensionMismatch`.
template <class ExecutionSpace, class Matrix>
void spmv_transpose_columns(const ExecutionSpace& exec,
                            const RayTilesPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
                            RowRange columns, typename Matrix::scalar_type alpha,
                            const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
                            typename Matrix::scalar_type beta,
                            const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& x);

}  // namespace Tomokkos
