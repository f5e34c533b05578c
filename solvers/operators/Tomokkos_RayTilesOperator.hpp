// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_SpmvRayTiles.hpp>

namespace Tomokkos {

/// \brief A matrix in ray tiles as an operator: both products from the one copy, the same bits on
/// every run, also of ranges of rows. No diagonal, no Kaczmarz sweep of its own.
///
/// Several vectors are multiplied one after the other, through two contiguous ones. Copies share
/// the arrays and the workspace, so an operator serves one execution-space instance at a time.
template <class ExecutionSpace, class Matrix>
class RayTilesOperator {
 public:
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename ExecutionSpace::memory_space;

  /// \brief See `RayTilesPlan` for what it costs and throws.
  RayTilesOperator(const ExecutionSpace& exec, Matrix A);

  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  const Matrix& matrix() const { return A_; }

  std::size_t memory_bytes() const {
    return A_.memory_bytes() + plan_.memory_bytes() + work_.extent(0) * sizeof(scalar_type);
  }
  /// \brief Of a product with \p vectors vectors, each of which reads the matrix once.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const { return apply_bytes(vectors); }

  /// \brief Allocates what products with \p vectors vectors need: two of them, from two on. A
  /// product that finds less allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  /// \brief Throw `Error` for a range that does not lie within the rows, `DimensionMismatch`.
  void apply(const ExecutionSpace& exec, scalar_type alpha,
             const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
             const MultiVectorView<scalar_type, memory_space>& Y, RowRange rows = all_rows) const;
  void apply_transpose(const ExecutionSpace& exec, scalar_type alpha,
                       const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
                       const MultiVectorView<scalar_type, memory_space>& Y,
                       RowRange rows = all_rows) const;

  /// \brief See `operator_slab_unit`: slabs are whole tiles.
  Ordinal slab_unit() const { return A_.tile; }
  /// \brief See `operator_prepare_slabs`: of one vector on a GPU its largest entry, which decides
  /// the unit of all sums. With several vectors each slab does that itself, one after the other.
  void prepare_slabs(const ExecutionSpace& exec,
                     const MultiVectorView<const scalar_type, memory_space>& X) const;
  bool slabs_run_together(int vectors) const { return vectors == 1; }
  /// \brief See `operator_apply_transpose_columns` and `spmv_transpose_columns`: each vector reads
  /// the tiles of the slab. Throws `Error` for a slab that does not lie within the columns or cuts
  /// a tile, `DimensionMismatch`.
  void apply_transpose_columns(const ExecutionSpace& exec, scalar_type alpha,
                               const MultiVectorView<const scalar_type, memory_space>& X,
                               scalar_type beta,
                               const MultiVectorView<scalar_type, memory_space>& Y,
                               RowRange columns) const;

  /// \brief `sums(i) = sum_j a_ij`, and `sums(j) = sum_i a_ij`: products with ones, which are
  /// allocated.
  void row_sums(const ExecutionSpace& exec,
                const VectorView<scalar_type, memory_space>& sums) const;
  void column_sums(const ExecutionSpace& exec,
                   const VectorView<scalar_type, memory_space>& sums) const;

 private:
  template <class Product>
  void for_columns(const ExecutionSpace& exec,
                   const MultiVectorView<const scalar_type, memory_space>& X, scalar_type beta,
                   const MultiVectorView<scalar_type, memory_space>& Y,
                   const Product& product) const;
  Ordinal rows_in(RowRange rows) const;
  void require_columns(const MultiVectorView<const scalar_type, memory_space>& X,
                       const MultiVectorView<scalar_type, memory_space>& Y, Ordinal rows_of_x,
                       Ordinal rows_of_y) const;

  Matrix A_;
  RayTilesPlan<ExecutionSpace, Matrix> plan_;
  mutable Vector<scalar_type, memory_space> work_;
};

}  // namespace Tomokkos
