// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RayTiles.hpp>

namespace Tomokkos {

/// \brief Plan of `spmv_transpose_windowed`, which computes `A^T x` from A itself and forms the
/// sums in tiles of successive columns.
///
/// A *segment* is the part of a row within a tile. Segments are ordered by tile, then by row, and
/// grouped into blocks that a team processes at once. The matrix remains unchanged.
///
/// The method pays off if segments are long (about 64 entries). Number the columns so that a tile
/// is a square of pixels (`tiled_order` with 64 x 64) or a cube of voxels.
///
/// On a GPU the sums of a column are formed in integer multiples of a unit. The unit is a power of
/// two, chosen from the largest entry of the vector and the largest column sum of |A|. Integer sums
/// have the same bits in any order. They add an absolute error to the rounding of the products. Let
/// n be the number of entries of the column and s the largest column sum of |A|. Then the error is
/// at most `n u max|x| s`. In float u is 2^-30, or 2^-29 for more than four million rows; in double
/// it is 2^-60. In float, an entry of A^T x that is a million times smaller than `max|x| s` keeps
/// three digits. No unit is below 2^-1022.
///
/// On hosts a thread owns the columns of a tile, or a fixed share of their segments. It forms
/// floating-point sums in a fixed order, with the same bits for any number of threads.
///
/// Serves one execution-space instance at a time.
template <class ExecutionSpace, class Scalar>
class WindowedPlan {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;
  /// Type of the column sums on a GPU.
  using integer_type = std::conditional_t<std::is_same_v<Scalar, float>, int, long long>;

  WindowedPlan() = default;
  /// \brief Analyses \p A with its present values, in tiles of \p tile columns (at most
  /// `largest_tile`).
  ///
  /// Memory: 14 bytes per segment; per column 5 bytes on a GPU (9 in double) and 8 on a host. With
  /// fewer than 64 tiles a host needs about 64 windows of 8 bytes per column. Cost: three passes
  /// over the columns of A, a transposition of the segments (24 bytes each), on a GPU two passes
  /// over the values; a few fences.
  ///
  /// \throws Error when \p tile is out of range or a row returns to a tile it has left; on a GPU
  /// also for values that are not finite, and for column sums of |A| that are not between 2^-90 and
  /// 2^90 (in double 2^-900 and 2^900)
  /// \throws MemoryError with the bytes needed
  WindowedPlan(const ExecutionSpace& exec, const matrix_type& A, Ordinal tile = largest_tile);

  Offset num_segments() const { return static_cast<Offset>(segment_begins_.extent(0)); }
  Offset num_blocks() const { return static_cast<Offset>(block_tiles_.extent(0)); }
  /// \brief Returns the mean number of entries in a segment; below 32, other methods are equally
  /// fast.
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
  /// \brief Returns the ranges of blocks: tile t has the blocks `tile_blocks(t)` to
  /// `tile_blocks(t + 1)`.
  const Kokkos::View<const Offset*, memory_space>& tile_blocks() const { return tile_blocks_; }
  const Kokkos::View<const Ordinal*, memory_space>& block_tiles() const { return block_tiles_; }
  /// \brief Returns the order in which teams of a GPU process blocks: by rows, so that cache lines
  /// shared by neighbouring tiles are read once.
  const Kokkos::View<const Ordinal*, memory_space>& block_order() const { return block_order_; }
  /// \brief Returns the range of segments of each block. The next three arrays hold the begin in A,
  /// the row, and the length of each segment.
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
  /// \brief Returns the column sums of a GPU as integers, and flags that are 1 if a sum is not
  /// finite. Both are zero between products.
  const Vector<integer_type, memory_space>& column_sums() const { return column_sums_; }
  const Vector<unsigned char, memory_space>& column_faults() const { return column_faults_; }
  /// \brief Returns the largest entry of the vector; `column_bound` is the largest column sum of
  /// |A|.
  const Vector<double, memory_space>& bound() const { return bound_; }
  double column_bound() const { return column_bound_; }
  /// \brief Returns the number of shares of a tile on a host; `windows` holds a window of sums for
  /// each share.
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

/// \brief Returns the maximum number of bytes for the construction of a `WindowedPlan`, for a
/// matrix of this shape whose rows have \p segments segments in total.
std::uint64_t windowed_construction_bytes(bool gpu, std::size_t scalar_bytes, std::uint64_t rows,
                                          std::uint64_t columns, std::uint64_t segments,
                                          Ordinal tile = largest_tile);

/// \brief Returns `windowed_construction_bytes` for A. Cost: one pass over the columns of A, a
/// fence; allocates one number.
template <class ExecutionSpace, class Scalar>
std::uint64_t windowed_plan_bytes(const ExecutionSpace& exec,
                                  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                                  Ordinal tile = largest_tile);

/// \brief Computes `Y = alpha A(rows, :)^T X + beta Y` from A itself, with windows of columns.
///
/// X is `rows.size() x s`, Y `A.num_cols x s`, processed one vector after another; `beta == 0`
/// overwrites Y. The bits repeat on every run. An infinity or a NaN in X makes the columns that use
/// it NaN or infinite (on a GPU NaN). Reads the nonzeros of the rows once for each vector. Three
/// launches per vector (two on hosts), no fence, no allocation.
///
/// \throws Error when the range is not within the rows of A
/// \throws DimensionMismatch when X or Y has the wrong shape, or \p plan was made for a matrix with
/// another number of rows or nonzeros
template <class ExecutionSpace, class Scalar>
void spmv_transpose_windowed(const ExecutionSpace& exec,
                             const WindowedPlan<ExecutionSpace, Scalar>& plan,
                             const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                             RowRange rows, Coefficient<Scalar> alpha,
                             const InputMultiVector<ExecutionSpace, Scalar>& X,
                             Coefficient<Scalar> beta,
                             const OutputMultiVector<ExecutionSpace, Scalar>& Y);

}  // namespace Tomokkos
