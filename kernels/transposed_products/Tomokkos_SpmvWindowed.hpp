// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RayTiles.hpp>

namespace Tomokkos {

/// \brief Where `spmv_transpose_windowed` finds, for every tile of successive columns, what the
/// rows of A have there: their *segments*, by tile, then by row, in blocks that a team takes at
/// once.
///
/// Worth it where segments are long (some 64 entries): columns numbered so that a tile is a square
/// of pixels (`tiled_order` with 64 x 64) or a cube of voxels. The matrix stays as it is.
///
/// On a GPU the sums of a column meet in whole numbers of a unit, a power of two that the largest
/// entry of the vector and the largest sum of a column of |A| decide: integers add to the same bits
/// in any order. The error of that is absolute, for every entry of A^T x at most (entries of the
/// column) 2^-30 max|x| max_j sum_i |a_ij| in float (beyond four million rows 2^-29), 2^-60 in
/// double instead, beside the rounding of the products: an entry a million times below the bound
/// keeps three digits in float. No unit is below 2^-1022. On hosts a thread owns the columns of a
/// tile, or a fixed share of their segments: floating-point sums in an order of their own, the same
/// bits for any number of threads.
///
/// Serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class WindowedPlan {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  /// Of the sums of a column.
  using integer_type = std::conditional_t<std::is_same_v<Scalar, float>, int, long long>;

  WindowedPlan() = default;
  /// \brief For \p A with the values that it has, in tiles of \p tile columns (up to
  /// `largest_tile`).
  ///
  /// Memory: 14 bytes a segment; on a GPU 5 (in double 9) a column, on hosts 8, or some 64 windows
  /// of 8 a column where there are less than 64 tiles. Cost: three passes over the columns of A, a
  /// transposition of the segments (24 bytes each), on a GPU two over the values; some fences.
  /// Throws `Error` for a tile out of range and for rows that go back to a tile; on a GPU for
  /// values that are not finite, and for sums of columns of |A| that are not between 2^-90 and
  /// 2^90 (in double 2^-900 and 2^900); `MemoryError` with the bytes.
  WindowedPlan(const ExecutionSpace& exec, const matrix_type& A, Ordinal tile = largest_tile);

  Offset num_segments() const { return static_cast<Offset>(segment_begins_.extent(0)); }
  Offset num_blocks() const { return static_cast<Offset>(block_tiles_.extent(0)); }
  /// \brief Entries of a segment on average: below 32 of them other ways are as good.
  double mean_segment() const {
    return num_segments() > 0 ? static_cast<double>(nonzeros_) / static_cast<double>(num_segments())
                              : 0.0;
  }
  std::size_t memory_bytes() const {
    return (tile_blocks_.extent(0) + segment_offsets_.extent(0) + segment_begins_.extent(0)) *
               sizeof(Offset) +
           (block_tiles_.extent(0) + block_order_.extent(0) + segment_rows_.extent(0)) *
               sizeof(Ordinal) +
           segment_lengths_.extent(0) * sizeof(std::uint16_t) +
           (windows_.extent(0) + bound_.extent(0)) * sizeof(double) +
           column_sums_.extent(0) * sizeof(integer_type) + column_faults_.extent(0);
  }

  // Used by the kernels.
  Ordinal num_rows() const { return num_rows_; }
  Offset num_nonzeros() const { return nonzeros_; }
  Ordinal tile() const { return tile_; }
  Ordinal num_tiles() const { return num_tiles_; }
  /// \brief Blocks of tile t: `tile_blocks(t)` to `tile_blocks(t + 1)`.
  const Kokkos::View<const Offset*, memory_space>& tile_blocks() const { return tile_blocks_; }
  const Kokkos::View<const Ordinal*, memory_space>& block_tiles() const { return block_tiles_; }
  /// \brief Of a GPU: the order in which teams take blocks, by rows, so that what neighbouring
  /// tiles share of a line of memory is read once.
  const Kokkos::View<const Ordinal*, memory_space>& block_order() const { return block_order_; }
  /// \brief Segments of each block, and of each segment where it begins in A, its row, its length.
  const Kokkos::View<const Offset*, memory_space>& segment_offsets() const {
    return segment_offsets_;
  }
  const Kokkos::View<const Offset*, memory_space>& segment_begins() const {
    return segment_begins_;
  }
  const Kokkos::View<const Ordinal*, memory_space>& segment_rows() const { return segment_rows_; }
  const Kokkos::View<const std::uint16_t*, memory_space>& segment_lengths() const {
    return segment_lengths_;
  }
  /// \brief Of a GPU: whole numbers, and 1 where a sum is no finite number; zero between products.
  const Vector<integer_type, memory_space>& column_sums() const { return column_sums_; }
  const Vector<unsigned char, memory_space>& column_faults() const { return column_faults_; }
  /// \brief The largest entry of the vector, and the largest sum of a column of |A|.
  const Vector<double, memory_space>& bound() const { return bound_; }
  double column_bound() const { return column_bound_; }
  /// \brief Of a host: the shares of a tile, and a window of sums for each.
  int shares() const { return shares_; }
  const Vector<double, memory_space>& windows() const { return windows_; }

 private:
  void list_segments(const ExecutionSpace& exec, const matrix_type& A);
  void order_blocks(const ExecutionSpace& exec);
  void bound_columns(const ExecutionSpace& exec, const matrix_type& A);

  Ordinal num_rows_ = 0, tile_ = 0, num_tiles_ = 0;
  Offset nonzeros_ = 0;
  Kokkos::View<const Offset*, memory_space> tile_blocks_, segment_offsets_, segment_begins_;
  Kokkos::View<const Ordinal*, memory_space> block_tiles_, block_order_, segment_rows_;
  Kokkos::View<const std::uint16_t*, memory_space> segment_lengths_;
  Vector<integer_type, memory_space> column_sums_;
  Vector<unsigned char, memory_space> column_faults_;
  Vector<double, memory_space> bound_, windows_;
  double column_bound_ = 0;
  int shares_ = 1;
};

/// \brief Bytes that a `WindowedPlan` takes while it is made, at most, of a matrix of this shape
/// whose rows have \p segments segments together.
template <class ExecutionSpace, class Scalar>
std::uint64_t windowed_need(std::uint64_t rows, std::uint64_t columns, std::uint64_t segments,
                            Ordinal tile = largest_tile);

/// \brief The same of A. Cost: a pass over the columns of A, a fence; allocates one number.
template <class ExecutionSpace, class Scalar>
std::uint64_t windowed_plan_bytes(const ExecutionSpace& exec,
                                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                                  Ordinal tile = largest_tile);

/// \brief `Y = alpha A(rows, :)^T X + beta Y` from A itself; X is `rows.size() x s`, Y `A.num_cols
/// x s`, one vector after the other; `beta == 0` overwrites Y. The same bits on every run. An
/// infinity or a NaN in X makes the columns that touch it NaN or infinite (on a GPU NaN).
///
/// Reads the nonzeros of the rows once for each vector. Three launches for each (two on hosts), no
/// fence, no allocation. Throws `Error` for a range that does not lie within the rows,
/// `DimensionMismatch`, also when \p plan was made for a matrix of another number of rows or
/// nonzeros.
template <class ExecutionSpace, class Scalar>
void spmv_transpose_windowed(const ExecutionSpace& exec,
                             const WindowedPlan<ExecutionSpace, Scalar>& plan,
                             const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                             RowRange rows, Coefficient<Scalar> alpha,
                             const InputMultiVector<ExecutionSpace, Scalar>& X,
                             Coefficient<Scalar> beta,
                             const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
