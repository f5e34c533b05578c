// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTiles.hpp>
#include <impl/Tomokkos_BlockOrders.hpp>
#include <memory>
#include <vector>

namespace Tomokkos {

/// \brief Workspace and bounds for products with a matrix in ray tiles.
///
/// On a GPU several teams add to one sum. They add whole multiples of a unit, because integers give
/// the same bits in any order. The unit is a power of two; it follows from the largest entry of the
/// vector and the largest row or column sum of |A|. The resulting error is absolute and holds for
/// every entry of the result:
///  - A x: at most (segments of the row) 2^-61 max|x| max_i sum_j |a_ij|, in addition to the
///    rounding of sums within a segment in the precision of x;
///  - A^T y in float: at most (entries of the column) 2^-30 max|y| max_j sum_i |a_ij|, with 2^-29
///    beyond four million rows; in double 2^-60 instead. An entry a million times below the bound
///    keeps three digits in float.
/// No unit is below 2^-1022: in double, smaller contributions are lost.
///
/// On hosts a thread owns some rows of a group or a share of the entries of a tile. The number of
/// shares depends only on the matrix. No integers are needed, and the bits are the same for any
/// number of threads.
///
/// A plan serves one execution-space instance at a time.
template <class ExecutionSpace, class Matrix>
class RayTilesPlan {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename ExecutionSpace::memory_space;
  /// Type of the column sums.
  using integer_type = std::conditional_t<std::is_same_v<scalar_type, float>, int, long long>;

  RayTilesPlan() = default;
  /// \brief Allocates the workspace for A and bounds its sums.
  ///
  /// On a GPU: allocates 9 bytes a row, 5 (in double 9) a column and 4 a block, and reads A twice
  /// to bound its sums. The first product with a range of rows or columns adds a list of 4 bytes
  /// for each block in the range, up to 128 a block of A in total, as far as memory allows.
  ///
  /// On hosts: allocates a window of sums (8 bytes a column of a tile) for each share if some tile
  /// has several shares. There are up to 64 more shares than tiles, distributed in proportion to
  /// the entries.
  ///
  /// \throws Error if the largest column sum of |A| is not between 2^-90 and 2^90 (in double 2^-900
  ///   and 2^900)
  /// \throws MemoryError
  RayTilesPlan(const ExecutionSpace& exec, const Matrix& A);

  std::size_t memory_bytes() const {
    return row_sums_.extent(0) * sizeof(long long) + column_sums_.extent(0) * sizeof(integer_type) +
           row_faults_.extent(0) + column_faults_.extent(0) +
           (bound_.extent(0) + windows_.extent(0)) * sizeof(double) +
           largest_first_.extent(0) * sizeof(Ordinal) +
           (shared_ ? shared_->of_rows.memory_bytes() + shared_->of_columns.memory_bytes() : 0);
  }

  /// \brief Sums of the rows and columns in progress. Used by the products; zero between them.
  const Vector<long long, memory_space>& row_sums() const { return row_sums_; }
  const Vector<integer_type, memory_space>& column_sums() const { return column_sums_; }
  /// \brief Flags of rows and columns: 1 if a sum is not finite. Used by the products; zero between
  /// them.
  const Vector<unsigned char, memory_space>& row_faults() const { return row_faults_; }
  const Vector<unsigned char, memory_space>& column_faults() const { return column_faults_; }
  /// \brief Largest entry of the vector. Used by the products.
  const Vector<double, memory_space>& bound() const { return bound_; }
  /// \brief Vector passed to the last `prepare_transpose_columns`, whose slabs may be computed;
  /// null after any other product.
  const scalar_type* slabs_of() const { return shared_ ? shared_->slabs_of : nullptr; }
  void set_slabs_of(const scalar_type* y) const {
    if (shared_) shared_->slabs_of = y;
  }
  /// \brief Largest sum of absolute values in a row, and in a column; 0 on hosts.
  double row_bound() const { return row_bound_; }
  double column_bound() const { return column_bound_; }
  /// \brief All blocks, those with most entries first. GPU only.
  ///
  /// A kernel that processes small blocks last finishes on all multiprocessors at nearly the same
  /// time.
  const Vector<Ordinal, memory_space>& largest_first() const { return largest_first_; }
  /// \brief Blocks with entries in \p rows (or in the tiles of \p columns), ordered by descending
  /// number of these entries. GPU only.
  ///
  /// The list is kept after the first call, which waits for \p exec.
  ///
  /// \return null if memory does not allow another list, and on hosts
  const Vector<Ordinal, memory_space>* largest_of_rows(const ExecutionSpace& exec, const Matrix& A,
                                                       RowRange rows) const;
  const Vector<Ordinal, memory_space>* largest_of_columns(const ExecutionSpace& exec,
                                                          const Matrix& A, RowRange columns) const;
  /// \brief Position of the block list of each group, on the host. GPU only.
  const std::vector<Offset>& group_offsets() const { return group_offsets_; }
  /// \brief First block of each tile, on the host. GPU only.
  const std::vector<Offset>& tile_blocks() const { return tile_blocks_; }
  /// \brief First share of each tile, and a window for each share. Hosts only.
  const std::vector<Ordinal>& share_begins() const { return share_begins_; }
  const Vector<double, memory_space>& windows() const { return windows_; }

 private:
  Vector<long long, memory_space> row_sums_;
  Vector<integer_type, memory_space> column_sums_;
  Vector<unsigned char, memory_space> row_faults_, column_faults_;
  Vector<double, memory_space> bound_, windows_;
  Vector<Ordinal, memory_space> largest_first_;
  // Copies of a plan share the prepared vector and the lists that products have built.
  struct Shared {
    const scalar_type* slabs_of = nullptr;
    Impl::BlockOrders<memory_space> of_rows, of_columns;
  };
  std::shared_ptr<Shared> shared_;
  double row_bound_ = 0, column_bound_ = 0;
  std::vector<Offset> group_offsets_, tile_blocks_;
  std::vector<Ordinal> share_begins_;
};

/// \brief Computes `y = alpha A(rows, :) x + beta y` with `rows.size()` entries of y; `beta == 0`
/// overwrites y.
///
/// Every run gives the same bits, and a row has the same bits in any range that contains it. If x
/// contains an infinity or a NaN, rows with an entry in that column become NaN or infinite (on a
/// GPU NaN).
///
/// Cost: reads the entries of the rows once. Rows that share a group with rows outside the range
/// are read in chunks of 128 entries. On a GPU three launches; the first product with a range also
/// builds a list and waits for it.
///
/// \throws Error if the range is not within the rows
/// \throws DimensionMismatch
template <class ExecutionSpace, class Matrix>
void spmv(const ExecutionSpace& exec, const RayTilesPlan<ExecutionSpace, Matrix>& plan,
          const Matrix& A, typename Matrix::scalar_type alpha,
          const InputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
          typename Matrix::scalar_type beta,
          const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
          RowRange rows = all_rows);

/// \brief Computes `x = alpha A(rows, :)^T y + beta x` with `rows.size()` entries of y; all of x is
/// written.
///
/// Bits, cost and errors as for `spmv`. On a GPU the unit follows from this y.
template <class ExecutionSpace, class Matrix>
void spmv_transpose(const ExecutionSpace& exec, const RayTilesPlan<ExecutionSpace, Matrix>& plan,
                    const Matrix& A, typename Matrix::scalar_type alpha,
                    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
                    typename Matrix::scalar_type beta,
                    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& x,
                    RowRange rows = all_rows);

/// \brief Prepares the computation of slabs of `A^T y`. Launch it before the first slab.
///
/// On a GPU it finds the largest entry of y. Any other product with the plan ends the preparation,
/// also on hosts.
///
/// \throws DimensionMismatch
template <class ExecutionSpace, class Matrix>
void prepare_transpose_columns(const ExecutionSpace& exec,
                               const RayTilesPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
                               const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y);

/// \brief Computes `x = alpha A(:, columns)^T y + beta x` with `columns.size()` entries of x, for
/// the columns of whole tiles.
///
/// \p columns begins at a multiple of `A.tile` and ends at such a multiple or at the last column of
/// A. The result has the same bits as these columns of the whole product: on a GPU the unit follows
/// from all of y, by `prepare_transpose_columns`. After that call, slabs without common columns may
/// run concurrently, each on its own instance, launched by one thread.
///
/// Cost: reads the entries of the tiles once. On a GPU two launches; the first product with a range
/// also builds a list.
///
/// \throws Error if the columns are not within A or cut a tile, and if y has not been prepared
/// \throws DimensionMismatch
template <class ExecutionSpace, class Matrix>
void spmv_transpose_columns(const ExecutionSpace& exec,
                            const RayTilesPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
                            RowRange columns, typename Matrix::scalar_type alpha,
                            const InputVector<ExecutionSpace, typename Matrix::scalar_type>& y,
                            typename Matrix::scalar_type beta,
                            const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& x);

}  // namespace Tomokkos
