// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_FormatConversion.hpp>
#include <Tomokkos_PackedCsr.hpp>
#include <Tomokkos_RayTiles.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_SpmvFormats.hpp>
#include <optional>

namespace Tomokkos {

/// \brief Which format a matrix is brought into, and in which shape. Members that do not belong to
/// the format are not looked at.
struct FormatOptions {
  MatrixFormat format = MatrixFormat::sell;
  int block = 4;                ///< `bcsr`: 2, 3, 4 or 8
  double quantile = 2.0 / 3.0;  ///< `hyb`: see `HybOptions`
  int chunk = 0;                ///< `sell`: see `SellOptions`
  Ordinal sigma = 1;            ///< `sell`: see `SellOptions`
  bool sort_by_length = false;  ///< `ell_r`: see `EllROptions`
  int threads_per_row = 0;      ///< `ell_r` on a GPU: 1, 2, 4, 8; 0: chosen
  /// `stored`, `atomic` or `automatic`, of `packed_csr` on a host `private_images`; of
  /// `pair_blocked` `fixed_point`, which `automatic` takes, or `atomic`; `ray_tiles` do without.
  TransposeMethod transpose = TransposeMethod::stored;
  /// What ray tiles, packed rows, pairs and `TransposeMethod::automatic` may take: see
  /// `OperatorOptions`.
  std::optional<std::uint64_t> available_bytes;
  /// `ray_tiles`, `packed_csr`; 16 bits are for products in float
  TileValues values = TileValues::plain;
  Ordinal tile = largest_tile;  ///< `ray_tiles`: see `RayTilesOptions`
  Ordinal group_rows = 0;       ///< `ray_tiles`: see `RayTilesOptions`
  /// `packed_csr`: the rows are the rays of so many views and detectors, view by view, and stand
  /// side by side in tiles of them (`tiled_ray_order`); 0: that is not known. x and y do not see
  /// it.
  Ordinal views = 0, detectors = 0;
  bool deterministic = false;  ///< the same bits for any number of threads
  /// Stored entries over nonzeros beyond which a conversion is refused; nothing: the format's own
  /// limit.
  std::optional<double> largest_fill;
};

/// \brief A matrix in any format but CSR as an operator: its products, the transposed one from a
/// transposed copy in the same format, or by atomic additions. No ranges of rows, no Kaczmarz
/// sweep.
///
/// Several vectors at once take one pass over ELLPACK-R, SELL and BCSR (`spmm`); with the other
/// formats they are multiplied one after the other, through two contiguous ones. Copies share the
/// arrays and the workspace, so an operator serves one execution-space instance at a time.
template <class ExecutionSpace, class Matrix>
class FormatOperator {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param transposed A^T; without one `apply_transpose` adds atomically if \p adds_atomically
  /// says so, and else throws
  FormatOperator(const ExecutionSpace& exec, Matrix A, std::optional<Matrix> transposed,
                 const SpmvOptions& options = {}, bool adds_atomically = false);

  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  bool has_transpose() const { return transposed_.has_value() || adds_atomically_; }
  const Matrix& matrix() const { return A_; }

  std::size_t memory_bytes() const;
  /// \brief Of the arrays that `scaled` shares.
  std::size_t pattern_bytes() const;
  /// \brief Of a product with \p vectors vectors: the matrix as often as it is read.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates what products with \p vectors vectors need: with the formats that take one
  /// after the other two of them. A product that finds less allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  /// \brief See `operator_only_launches`: of the formats that take several vectors in one pass.
  /// What the others copy vectors to is allocated anew by a product with more of them.
  bool only_launches() const { return Impl::has_spmm<Matrix>; }

  /// \brief See `spmv_dot_sums` and `spmv_dot`.
  Offset dot_sums() const { return spmv_dot_sums(plan_, A_); }
  void apply_dot(const ExecutionSpace& exec, const VectorView<const scalar_type, memory_space>& x,
                 const VectorView<scalar_type, memory_space>& y,
                 const VectorView<double, memory_space>& sums) const {
    spmv_dot(exec, plan_, A_, x, y, sums);
  }

  /// \brief `d_i = A(i, i)`, 0 where it is not stored.
  void diagonal(const ExecutionSpace& exec, const VectorView<scalar_type, memory_space>& d) const;
  /// \brief See `format_diagonal_blocks`.
  void diagonal_blocks(const ExecutionSpace& exec, int size,
                       const VectorView<scalar_type, memory_space>& blocks) const;
  /// \brief The operator of `diag(scale) A diag(scale)`: copies of the values, the patterns shared.
  FormatOperator scaled(const ExecutionSpace& exec,
                        const VectorView<const scalar_type, memory_space>& scale) const;

  void apply(const ExecutionSpace& exec, scalar_type alpha,
             const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
             const MultiVectorView<scalar_type, memory_space>& Y) const;
  /// Throws `Error` for an operator without it.
  void apply_transpose(const ExecutionSpace& exec, scalar_type alpha,
                       const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
                       const MultiVectorView<scalar_type, memory_space>& Y) const;

 private:
  using Plan = SpmvPlan<ExecutionSpace, Matrix>;
  std::size_t bytes_of(const Matrix& M, int vectors) const;
  void multiply(const ExecutionSpace& exec, const Plan& plan, const Matrix& M, scalar_type alpha,
                const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
                const MultiVectorView<scalar_type, memory_space>& Y) const;
  void multiply_one_by_one(const ExecutionSpace& exec, const Plan& plan, const Matrix& M,
                           scalar_type alpha,
                           const MultiVectorView<const scalar_type, memory_space>& X,
                           scalar_type beta,
                           const MultiVectorView<scalar_type, memory_space>& Y) const;

  Matrix A_;
  std::optional<Matrix> transposed_;
  SpmvOptions options_;
  bool adds_atomically_;
  Plan plan_;
  Plan transposed_plan_;
  mutable Vector<scalar_type, memory_space> work_;
};

/// \brief Ray tiles as they were cut.
struct TilesMade {
  Ordinal tile = 0;
  Ordinal group_rows = 0;
  Offset segments = 0;
  double mean_segment = 0;
};

/// \brief Packed rows as they were cut.
struct PackedRowsMade {
  PackedLayout layout = PackedLayout::along_rows;
  int group = 1;
  Offset far_groups = 0;    ///< whose columns are stored whole
  bool tiled_rays = false;  ///< rows stand side by side in tiles of rays
};

/// \brief Pairs of rows as they were blocked.
struct PairsMade {
  Ordinal pairs = 0;
  Ordinal mixed_begin = 0;  ///< places of Sub_SM_1
  Ordinal mixed_end = 0;    ///< where Sub_SM_3 begins
  Ordinal width = 0;        ///< places of a pair
};

/// \brief What `make_format_operator` made.
template <class ExecutionSpace, class Scalar>
struct MadeOperator {
  AnyOperator<ExecutionSpace, Scalar> A;
  /// Stored entries over nonzeros, of the matrix and of its transpose (0 without a copy).
  double fill = 1;
  double transposed_fill = 0;
  /// How it is transposed; nothing where it is not, and of `ray_tiles`.
  std::optional<TransposeMethod> transpose;
  /// Of `ray_tiles`, whose one copy serves both products.
  std::optional<TilesMade> tiles;
  /// Of `packed_csr`.
  std::optional<PackedRowsMade> packed_rows = {};
  /// Of `pair_blocked`, whose one copy serves both products.
  std::optional<PairsMade> pairs = {};
};

/// \brief \p A, sorted, in the format of \p options as an operator; with \p with_transpose so that
/// it can be transposed as they say, which ray tiles always can. Not for CSR, which has
/// `CsrOperator`. Throws what conversions throw.
template <class ExecutionSpace, class Scalar>
MadeOperator<ExecutionSpace, Scalar> make_format_operator(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const FormatOptions& options, bool with_transpose = true);

}  // namespace Tomokkos
