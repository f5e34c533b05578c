// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrTransposedProducts.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_Operator.hpp>
#include <Tomokkos_OperatorCapabilities.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_TwoComponentOperator.hpp>
#include <memory>
#include <optional>

namespace Tomokkos {

/// \brief Options of the products with a matrix.
struct OperatorOptions {
  SpmvOptions spmv{};
  /// Method of the transposed product. Empty: CSR uses `stored`, but builds the copy only when it
  /// is first needed, by a transposed product or `reserve_transpose`; a solver without transposed
  /// products then costs no copy. Other formats have no transposed product, unless one copy serves
  /// both products.
  std::optional<TransposeMethod> transpose{};
  /// Options of the product with the stored transpose.
  SpmvOptions transpose_spmv{};
  /// Algorithm that forms the stored transpose. No choice changes the result.
  TransposeVariant transposition = TransposeVariant::automatic;
  /// Memory available to `TransposeMethod::automatic` and to the construction of windows. Empty: on
  /// a host the free memory of the system, elsewhere unlimited.
  std::optional<std::uint64_t> available_bytes{};
  /// For `TransposeMethod::automatic` of CSR: number of row ranges into which a pass over A is
  /// divided.
  int row_ranges = 1;
  /// For `TransposeMethod::automatic`: number of vectors multiplied together.
  int vectors = 1;
  /// CSR: interleaves the entries of each row for the lanes of its product (`csr_interleaved`), in
  /// both matrices. Lanes then load entries in packs unless `entries_per_load` says otherwise. No
  /// effect if a product has one lane, as on hosts, or uses its own copy (`spmv4gpu`).
  bool interleaved = false;
};

namespace Impl {

/// Plan of the products with a matrix.
template <class ExecutionSpace, class Matrix>
using ProductPlan = typename FormatTraits<Matrix>::template Plan<ExecutionSpace, Matrix>;

/// Index of the rows of a matrix; none if the rows need none.
struct NoRowIndex {
  std::size_t memory_bytes() const { return 0; }
};
template <class Traits>
struct RowIndexOf {
  using type = NoRowIndex;
};
template <class Traits>
requires requires { typename Traits::RowIndex; }
struct RowIndexOf<Traits> {
  using type = typename Traits::RowIndex;
};

}  // namespace Impl

/// \brief Operator of a stored matrix in any format: the matrix, the plan of its products, the
/// method of transposition, and the workspace.
///
/// Every format supports products with several vectors; formats that multiply one at a time copy
/// each vector to a contiguous one. Further capabilities depend on the format: a diagonal and
/// symmetric scaling if entries can be visited, a product with a dot, ranges of rows for CSR,
/// paired rows and formats with one copy, slabs of columns for CSR and formats with one copy,
/// Kaczmarz sweeps for CSR and paired rows.
///
/// Copies share the arrays and may share the workspace of the products, so an operator and its
/// copies serve one execution-space instance at a time. For a second instance, build a second
/// operator from the same matrix.
template <class ExecutionSpace, class Matrix, class Scalar>
class MatrixOperator {
  static_assert(std::is_same_v<Scalar, typename Matrix::scalar_type>);

 public:
  using scalar_type = Scalar;
  using memory_space = typename Impl::CompiledSpace<ExecutionSpace>::memory_space;
  using matrix_type = Matrix;
  using Traits = FormatTraits<Matrix>;
  using Plan = Impl::ProductPlan<ExecutionSpace, Matrix>;
  using RowIndex = typename Impl::RowIndexOf<Traits>::type;
  using Input = MultiVectorView<const scalar_type, memory_space>;
  using Output = MultiVectorView<scalar_type, memory_space>;
  using ConstVectorType = VectorView<const scalar_type, memory_space>;
  using VectorType = VectorView<scalar_type, memory_space>;

  static constexpr bool is_csr = Impl::is_csr<Matrix>;
  /// True if products can be restricted to a range of rows.
  static constexpr bool has_ranges = Traits::row_ranges || Traits::one_copy;
  /// True if transposed products can be restricted to a slab of columns.
  static constexpr bool has_slabs = is_csr || Traits::one_copy;
  /// True if single rows can be read.
  static constexpr bool has_single_rows = Traits::single_rows;
  static constexpr bool has_entries = Traits::has_entries;

  /// \brief Plans the products.
  ///
  /// `TransposeMethod::stored` uses \p transposed; CSR builds the copy itself if none is given (its
  /// rows must hold no duplicates). `private_images` allocates the images of one vector: one per
  /// thread, or a number that does not depend on the threads if `OperatorOptions::spmv` is
  /// deterministic. `windowed` lists the entries of rows by tiles of columns (see `WindowedPlan`
  /// for its requirements on A). `fixed_point` reads A twice. Interleaving temporarily copies each
  /// matrix once more.
  ///
  /// \throws Error when the format does not support the method, for `private_images` on a GPU, for
  /// `windowed` with interleaved entries, and for `stored` without a copy
  /// \throws DimensionMismatch
  /// \throws MemoryError with the bytes needed
  MatrixOperator(const ExecutionSpace& exec, Matrix A, const OperatorOptions& options = {},
                 std::optional<Matrix> transposed = {});

  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  const Matrix& matrix() const { return A_; }
  bool has_transpose() const { return Traits::one_copy || options_.transpose.has_value(); }
  /// \brief Returns the stored transpose. Empty with other methods, and until it is first needed if
  /// no method was given.
  const Matrix& transposed_matrix() const { return copy_->matrix; }
  /// \brief Returns the options with every choice resolved. `transpose_spmv` stays as given until
  /// the copy of the transpose is built.
  const OperatorOptions& options() const;
  const Plan& plan() const { return plan_; }
  /// \brief Returns the transposed products without a copy.
  const TransposedProducts<ExecutionSpace, Matrix>& transposed_products() const { return own_; }

  /// \brief Returns the bytes in use; the copy of the transpose counts once it is built.
  std::size_t memory_bytes() const;
  /// \brief Returns the bytes of the arrays that the result of `scaled` shares with this operator.
  std::size_t pattern_bytes() const;
  /// \brief Returns the bytes that a product with \p vectors vectors moves: the matrix as often as
  /// it is read, the vectors, and twice the vectors that are copied one by one.
  std::size_t apply_bytes(int vectors = 1) const;
  /// \brief Returns the bytes of the transposed product; 0 without one. Assumes that additions hit
  /// the caches.
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates the workspace of products with \p vectors vectors. A product that finds less
  /// allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;
  /// \brief CSR: builds the copy of the transpose, if one is to be used and it is not built yet.
  /// Memory: the bytes of the matrix, and temporarily those of the conversion. Copies of the
  /// operator share it.
  void reserve_transpose(const ExecutionSpace& exec) const;

  /// \brief Computes `Y = alpha A X + beta Y`. Throws `DimensionMismatch`.
  void apply(const ExecutionSpace& exec, scalar_type alpha, const Input& X, scalar_type beta,
             const Output& Y) const {
    multiply(exec, alpha, X, beta, Y, all_rows);
  }
  /// \brief Computes `Y = alpha A(rows, :) X + beta Y`. Also throws `Error` when the range exceeds
  /// the rows.
  void apply(const ExecutionSpace& exec, scalar_type alpha, const Input& X, scalar_type beta,
             const Output& Y, RowRange rows) const requires has_ranges {
    multiply(exec, alpha, X, beta, Y, rows);
  }
  /// \brief Computes `Y = alpha A^T X + beta Y`.
  ///
  /// \throws Error when the operator has no transposed product
  /// \throws DimensionMismatch
  void apply_transpose(const ExecutionSpace& exec, scalar_type alpha, const Input& X,
                       scalar_type beta, const Output& Y) const {
    multiply_transposed(exec, alpha, X, beta, Y, all_rows);
  }
  void apply_transpose(const ExecutionSpace& exec, scalar_type alpha, const Input& X,
                       scalar_type beta, const Output& Y, RowRange rows) const requires has_ranges {
    multiply_transposed(exec, alpha, X, beta, Y, rows);
  }

  /// \brief See `ColumnSlabs::unit`. Stored transpose in CSR: the `SpmvPlan::range_unit` of its
  /// product, 0 with other methods and before it is built. Ray tiles: the columns of a tile.
  Ordinal slab_multiple() const requires has_slabs;
  /// \brief Computes the common part of the slabs of `A^T X`. See `ColumnSlabs::prepare`.
  void prepare_slabs(const ExecutionSpace& exec, const Input& X) const requires has_slabs;
  /// \brief See `ColumnSlabs::run_together`; only for one vector at a time.
  bool slabs_run_together(int vectors) const requires has_slabs {
    return slab_multiple() > 0 && vectors == 1;
  }
  /// \brief See `ColumnSlabs::apply_transpose`. Reads only the nonzeros of these columns. With
  /// several vectors on a GPU the bits equal those of the whole product if Y has the same
  /// alignment, as a part of the whole result has.
  ///
  /// \throws Error when the slab exceeds the columns or is not cut at the unit
  /// \throws DimensionMismatch
  void apply_transpose_columns(const ExecutionSpace& exec, scalar_type alpha, const Input& X,
                               scalar_type beta, const Output& Y,
                               RowRange columns) const requires has_slabs;

  /// \brief See `OperatorCapabilities::only_launches`. True for CSR with a stored transpose or
  /// atomic additions, and for formats that multiply several vectors in one pass. Other products
  /// may allocate: the workspace for copied vectors grows with their number.
  bool only_launches() const;
  /// \brief See `OperatorCapabilities::transposes_by_atomics`.
  bool transposes_by_atomics() const { return options_.transpose == TransposeMethod::atomic; }

  /// \brief See `spmv_dot_sums` and `spmv_dot`.
  Offset dot_sums() const requires(Traits::has_dot);
  void apply_dot(const ExecutionSpace& exec, const ConstVectorType& x, const VectorType& y,
                 const VectorView<double, memory_space>& sums) const requires(Traits::has_dot);

  /// \brief Writes `d_i = A(i, i)`, 0 for entries that are not stored.
  void diagonal(const ExecutionSpace& exec, const VectorType& d) const requires has_entries;
  /// \brief See `DiagonalAccess::blocks`.
  void diagonal_blocks(const ExecutionSpace& exec, int size,
                       const VectorType& blocks) const requires has_entries;
  /// \brief Returns the operator of `diag(scale) A diag(scale)`. Copies the values; patterns are
  /// shared. Windows chosen by `automatic` are replaced by another method if they do not suit the
  /// scaled values.
  MatrixOperator scaled(const ExecutionSpace& exec,
                        const ConstVectorType& scale) const requires has_entries;
  /// \brief Returns the scaled operator of a CSR matrix with values in float, for vectors in
  /// double.
  auto scaled_in_float(const ExecutionSpace& exec, const ConstVectorType& scale) const
      requires(is_csr&& std::is_same_v<scalar_type, double>) {
    using Values = CsrMatrix<float, memory_space>;
    return MatrixOperator<ExecutionSpace, Values, scalar_type>(
        exec, two_component_scaled<float>(exec, A_, scale));
  }

  // Members for formats whose single rows can be read.

  /// \brief Returns the rows for row-action kernels. Other formats than CSR list the places of
  /// their rows when they are first needed.
  auto stored_rows(const ExecutionSpace& exec) const requires has_single_rows {
    if constexpr (is_csr) {
      return CsrRows<scalar_type, memory_space>(A_);
    } else {
      if (!row_index_) row_index_ = std::make_shared<const RowIndex>(Traits::row_index(exec, A_));
      return Traits::rows(A_, *row_index_);
    }
  }
  /// \brief Returns `|a_i|^2` of every row, computed once: see `csr_row_squared_norms`.
  const Vector<double, memory_space>& row_squared_norms(const ExecutionSpace& exec) const requires
      has_single_rows;
  /// \brief See `csr_largest_block_counts`.
  Vector<Ordinal, memory_space> largest_block_counts(
      const ExecutionSpace& exec, const RowSubsets& blocks,
      const Ranks* ranks) const requires has_single_rows;
  /// \brief See `make_csr_kaczmarz_schedule`.
  std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> kaczmarz_schedule(
      const ExecutionSpace& exec,
      const VectorView<const Ordinal, memory_space>& order) const requires has_single_rows;
  /// \brief Runs an exact Kaczmarz sweep that treats the rows of a level concurrently: see
  /// `csr_kaczmarz_sweep_levels`.
  void kaczmarz_sweep_levels(const ExecutionSpace& exec,
                             const KaczmarzSchedule<ExecutionSpace>& schedule,
                             const KaczmarzSweep<scalar_type, memory_space>& sweep,
                             const ConstVectorType& b,
                             const VectorType& x) const requires has_single_rows;

  // Members for CSR only.

  /// \brief Returns true when the entries of either matrix are interleaved.
  bool is_interleaved() const requires is_csr {
    return uses_interleaved(options_.spmv) ||
           (copy_->is_built && uses_interleaved(copy_->plan.options()));
  }
  const RowStatistics& statistics() const requires is_csr { return plan_.statistics(); }
  /// \brief Returns the windows; without segments for other methods.
  const WindowedPlan<ExecutionSpace, scalar_type>& windows() const requires is_csr {
    return own_.windows();
  }
  /// \brief See `StoredCsr::matrix`.
  const Matrix* csr() const requires is_csr { return &A_; }
  /// \brief See `StoredCsr::transpose`.
  const Matrix* csr_transpose() const requires is_csr {
    return copy_->is_built && !options_.interleaved ? &copy_->matrix : nullptr;
  }
  /// \brief Runs an exact Kaczmarz sweep with a single team: rows in the given order, each read
  /// once. Slow, but correct on every device.
  void kaczmarz_sweep(const ExecutionSpace& exec,
                      const KaczmarzSweep<scalar_type, memory_space>& sweep,
                      const ConstVectorType& b, const VectorType& x) const requires is_csr;

 private:
  struct StoredTranspose {
    bool is_built = false;
    Matrix matrix;
    Plan plan;
  };

  void multiply(const ExecutionSpace& exec, scalar_type alpha, const Input& X, scalar_type beta,
                const Output& Y, RowRange rows) const;
  void multiply_transposed(const ExecutionSpace& exec, scalar_type alpha, const Input& X,
                           scalar_type beta, const Output& Y, RowRange rows) const;
  void multiply_by_copy(const ExecutionSpace& exec, scalar_type alpha, const Input& X,
                        scalar_type beta, const Output& Y, RowRange rows) const;
  void multiply_with(const ExecutionSpace& exec, const Plan& plan, const Matrix& M,
                     scalar_type alpha, const Input& X, scalar_type beta, const Output& Y) const;
  template <class Product>
  void for_columns(const ExecutionSpace& exec, const Input& X, Ordinal rows_of_x, scalar_type beta,
                   const Output& Y, Ordinal rows_of_y, const Product& product) const;
  void reserve_columns(const ExecutionSpace& exec, int vectors) const;
  std::size_t bytes_of(const Matrix& M, int vectors) const;
  std::size_t vector_bytes(int vectors) const;
  std::optional<TransposeMethod> chosen_transpose(const ExecutionSpace& exec) const;
  void make_transposed_products(const ExecutionSpace& exec);

  bool uses_interleaved(const SpmvOptions& chosen) const {
    return options_.interleaved && uses_packs(chosen);
  }
  SpmvOptions in_packs(SpmvOptions options) const;
  Matrix arranged(const ExecutionSpace& exec, const Matrix& M, const SpmvOptions& chosen) const;
  std::uint64_t available_bytes() const;

  Matrix A_;
  mutable OperatorOptions options_;
  bool transpose_was_chosen_;  // by `automatic`
  bool transpose_on_demand_;
  Plan plan_;
  std::shared_ptr<StoredTranspose> copy_ = std::make_shared<StoredTranspose>();
  mutable TransposedProducts<ExecutionSpace, Matrix> own_;
  mutable Vector<scalar_type, memory_space> work_;      // two vectors, for formats that multiply
                                                        // one vector at a time
  mutable Vector<double, memory_space> squared_norms_;  // squared norms of the rows; empty until
                                                        // first needed
  mutable std::shared_ptr<const RowIndex> row_index_;   // null until first needed
};

/// \brief Operator of a CSR matrix.
template <class ExecutionSpace, class Scalar>
using CsrOperator =
    MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>;

}  // namespace Tomokkos
