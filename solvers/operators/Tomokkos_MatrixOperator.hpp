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

/// \brief How a matrix is applied.
struct OperatorOptions {
  SpmvOptions spmv;
  /// Nothing: CSR as `stored`, but the copy is built when it is first needed, by a transposed
  /// product or `reserve_transpose`, so that a solver without transposed products costs no copy;
  /// other formats have no transposed product then, unless their one copy serves both.
  std::optional<TransposeMethod> transpose;
  /// The product with the stored transpose.
  SpmvOptions transpose_spmv;
  /// What `TransposeMethod::automatic`, or what makes windows, may take; nothing: on a host what
  /// the system has left, else anything.
  std::optional<std::uint64_t> available_bytes;
  /// For `TransposeMethod::automatic` of CSR: ranges of rows that a pass over A is cut into.
  int row_ranges = 1;
  /// For `TransposeMethod::automatic`: vectors that are multiplied at once.
  int vectors = 1;
  /// CSR: deals the entries of each row out to the lanes of its product (`csr_interleaved`), which
  /// take them in packs then unless `entries_per_load` says otherwise, in both matrices; nothing
  /// where a product has one lane, as on hosts, or a copy of its own
  /// (`spmv4gpu`).
  bool interleaved = false;
};

namespace Impl {

/// What the products of a matrix are planned by.
template <class ExecutionSpace, class Matrix>
using ProductPlan = typename FormatTraits<Matrix>::template Plan<ExecutionSpace, Matrix>;

}  // namespace Impl

/// \brief A stored matrix of any format as an operator: the matrix, the plan of its products, how
/// it is transposed, and their workspace.
///
/// Every format has products with several vectors (those that take one at a time go through two
/// contiguous ones). What else an operator offers follows from its format: a diagonal and symmetric
/// scaling where entries can be visited, a product with a dot, ranges of rows and slabs of columns
/// of CSR and ray tiles, Kaczmarz sweeps of CSR.
///
/// Copies share the arrays and the workspace of the products, so an operator serves one
/// execution-space instance at a time; build a second one from the same matrix for a second
/// instance.
template <class ExecutionSpace, class Matrix, class Scalar>
class MatrixOperator {
  static_assert(std::is_same_v<Scalar, typename Matrix::scalar_type>);

 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = Matrix;
  using Traits = FormatTraits<Matrix>;
  using Plan = Impl::ProductPlan<ExecutionSpace, Matrix>;
  using Input = MultiVectorView<const scalar_type, memory_space>;
  using Output = MultiVectorView<scalar_type, memory_space>;
  using ConstVectorType = VectorView<const scalar_type, memory_space>;
  using VectorType = VectorView<scalar_type, memory_space>;

  static constexpr bool is_csr = Impl::is_csr<Matrix>;
  /// Products can be restricted to a range of rows.
  static constexpr bool has_ranges = is_csr || Traits::one_copy;
  static constexpr bool has_entries = Traits::has_entries;

  /// \brief Plans the products. `TransposeMethod::stored` takes \p transposed; CSR builds the copy
  /// itself where there is none (its rows must hold no duplicates). `private_images` allocates the
  /// images of one vector, which are one a thread, or as many for any number of threads where
  /// `OperatorOptions::spmv` is deterministic; `windowed` lists what rows have in tiles of columns
  /// (`WindowedPlan`, for what that needs of A); `fixed_point` reads A twice. Interleaving copies
  /// each matrix once more while it works.
  ///
  /// Throws `Error` for a method that the format does not have, for `private_images` on a GPU, for
  /// `windowed` of entries that are dealt out, and for `stored` without a copy;
  /// `DimensionMismatch`; `MemoryError` with the bytes.
  MatrixOperator(const ExecutionSpace& exec, Matrix A, const OperatorOptions& options = {},
                 std::optional<Matrix> transposed = {});

  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  const Matrix& matrix() const { return A_; }
  bool has_transpose() const { return Traits::one_copy || options_.transpose.has_value(); }
  /// \brief The stored transpose; an empty matrix with other methods, and until it is needed where
  /// no method was named.
  const Matrix& transposed_matrix() const { return copy_->matrix; }
  /// \brief The options with every choice made; `transpose_spmv` as it was given while the copy of
  /// the transpose is not built.
  const OperatorOptions& options() const;
  const Plan& plan() const { return plan_; }
  /// \brief The transposed products without a copy.
  const TransposedProducts<ExecutionSpace, Matrix>& transposed_products() const { return own_; }

  /// \brief Memory of what there is: the copy of the transpose counts once it is built.
  std::size_t memory_bytes() const;
  /// \brief Bytes of the arrays that `scaled` shares.
  std::size_t pattern_bytes() const;
  /// \brief Bytes of a product with \p vectors vectors: the matrix as often as it is read, the
  /// vectors, and twice those that are copied one by one.
  std::size_t apply_bytes(int vectors = 1) const;
  /// \brief The same of the transposed product; 0 without one. Additions meet in the caches, at
  /// best.
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates what products with \p vectors vectors need. A product that finds less
  /// allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;
  /// \brief CSR: builds the copy of the transpose, where there is to be one and it is not built: as
  /// many bytes as the matrix has, and those of the conversion while it works. Copies of the
  /// operator share it.
  void reserve_transpose(const ExecutionSpace& exec) const;

  /// \brief `Y = alpha A X + beta Y`. Throws `DimensionMismatch`.
  void apply(const ExecutionSpace& exec, scalar_type alpha, const Input& X, scalar_type beta,
             const Output& Y) const {
    multiply(exec, alpha, X, beta, Y, all_rows);
  }
  /// \brief `Y = alpha A(rows, :) X + beta Y`. Throws `Error` for a range that does not lie within
  /// the rows, too.
  void apply(const ExecutionSpace& exec, scalar_type alpha, const Input& X, scalar_type beta,
             const Output& Y, RowRange rows) const requires has_ranges {
    multiply(exec, alpha, X, beta, Y, rows);
  }
  /// \brief `Y = alpha A^T X + beta Y`. Throws `Error` for an operator without it.
  void apply_transpose(const ExecutionSpace& exec, scalar_type alpha, const Input& X,
                       scalar_type beta, const Output& Y) const {
    multiply_transposed(exec, alpha, X, beta, Y, all_rows);
  }
  void apply_transpose(const ExecutionSpace& exec, scalar_type alpha, const Input& X,
                       scalar_type beta, const Output& Y, RowRange rows) const requires has_ranges {
    multiply_transposed(exec, alpha, X, beta, Y, rows);
  }

  /// \brief See `ColumnSlabs::unit`: of a stored transpose in CSR the `SpmvPlan::range_unit` of
  /// its product, with other methods and before it is built 0; of ray tiles the columns of a tile.
  Ordinal slab_unit() const requires has_ranges;
  /// \brief See `ColumnSlabs::prepare`.
  void prepare_slabs(const ExecutionSpace& exec, const Input& X) const requires has_ranges;
  /// \brief See `ColumnSlabs::run_together`: one vector at a time.
  bool slabs_run_together(int vectors) const requires has_ranges {
    return slab_unit() > 0 && vectors == 1;
  }
  /// \brief See `ColumnSlabs::apply_transpose`: reads the nonzeros of these columns alone. Of
  /// several vectors on a GPU the bits are those of the whole where Y is aligned alike, as a part
  /// of the whole result is. Throws `Error` for a slab that does not lie within the columns or is
  /// not cut at the unit, `DimensionMismatch`.
  void apply_transpose_columns(const ExecutionSpace& exec, scalar_type alpha, const Input& X,
                               scalar_type beta, const Output& Y,
                               RowRange columns) const requires has_ranges;

  /// \brief See `OperatorCapabilities::only_launches`: CSR with a stored transpose or atomic
  /// additions, and the formats that take several vectors in one pass. What the others copy vectors
  /// to is allocated anew by a product with more of them.
  bool only_launches() const;
  /// \brief See `OperatorCapabilities::transposes_by_atomics`.
  bool transposes_by_atomics() const { return options_.transpose == TransposeMethod::atomic; }

  /// \brief See `spmv_dot_sums` and `spmv_dot`.
  Offset dot_sums() const requires(Traits::has_dot);
  void apply_dot(const ExecutionSpace& exec, const ConstVectorType& x, const VectorType& y,
                 const VectorView<double, memory_space>& sums) const requires(Traits::has_dot);

  /// \brief `d_i = A(i, i)`, 0 where it is not stored.
  void diagonal(const ExecutionSpace& exec, const VectorType& d) const requires has_entries;
  /// \brief See `DiagonalAccess::blocks`.
  void diagonal_blocks(const ExecutionSpace& exec, int size,
                       const VectorType& blocks) const requires has_entries;
  /// \brief The operator of `diag(scale) A diag(scale)`: copies of the values, the patterns shared.
  /// Windows that `automatic` took give way where there cannot be any of the scaled values.
  MatrixOperator scaled(const ExecutionSpace& exec,
                        const ConstVectorType& scale) const requires has_entries;
  /// \brief The same of CSR with values in float, for vectors in double.
  auto scaled_in_float(const ExecutionSpace& exec, const ConstVectorType& scale) const
      requires(is_csr&& std::is_same_v<scalar_type, double>) {
    using Values = CsrMatrix<float, memory_space>;
    return MatrixOperator<ExecutionSpace, Values, scalar_type>(
        exec, two_component_scaled<float>(exec, A_, scale));
  }

  // CSR alone.

  /// \brief True when the entries of either matrix were dealt out.
  bool is_interleaved() const requires is_csr {
    return uses_interleaved(options_.spmv) ||
           (copy_->is_built && uses_interleaved(copy_->plan.options()));
  }
  const RowStatistics& statistics() const requires is_csr { return plan_.statistics(); }
  /// \brief The windows; of no segments with other methods.
  const WindowedPlan<ExecutionSpace, scalar_type>& windows() const requires is_csr {
    return own_.windows();
  }
  /// \brief See `StoredCsr::matrix`.
  const Matrix* csr() const requires is_csr { return &A_; }
  /// \brief See `StoredCsr::transpose`.
  const Matrix* csr_transpose() const requires is_csr {
    return copy_->is_built && !options_.interleaved ? &copy_->matrix : nullptr;
  }
  /// \brief `|a_i|^2` of every row, formed once: see `csr_row_squared_norms`.
  const Vector<double, memory_space>& row_squared_norms(
      const ExecutionSpace& exec) const requires is_csr;
  /// \brief See `csr_largest_block_counts`.
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     Ordinal block_rows) const requires is_csr;
  /// \brief See `make_csr_kaczmarz_schedule`.
  std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> kaczmarz_schedule(
      const ExecutionSpace& exec,
      const VectorView<const Ordinal, memory_space>& order) const requires is_csr;
  /// \brief Exact Kaczmarz, the rows of a level at once: see `csr_kaczmarz_sweep_levels`.
  void kaczmarz_sweep_levels(const ExecutionSpace& exec,
                             const KaczmarzSchedule<ExecutionSpace>& schedule,
                             const KaczmarzSweep<scalar_type, memory_space>& sweep,
                             const ConstVectorType& b, const VectorType& x) const requires is_csr;
  /// \brief Exact Kaczmarz by one team: row after row in the given order, each read once. Slow but
  /// right everywhere.
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
  mutable Vector<scalar_type, memory_space> work_;      // two vectors, for formats that take one
  mutable Vector<double, memory_space> squared_norms_;  // of the rows; empty: not wanted yet
};

/// \brief A CSR matrix as an operator.
template <class ExecutionSpace, class Scalar>
using CsrOperator =
    MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>;

}  // namespace Tomokkos
