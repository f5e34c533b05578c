// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_FormOperator.hpp>
#include <Tomokkos_Operator.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvPrivate.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <memory>
#include <optional>

namespace Tomokkos {

/// \brief How a matrix is applied.
struct OperatorOptions {
  SpmvOptions spmv;
  /// Nothing: as `stored`, but the copy is built when it is first needed, by a transposed product
  /// or `reserve_transpose`. A solver without transposed products then costs no copy.
  std::optional<TransposeMethod> transpose;
  /// The product with the stored transpose.
  SpmvOptions transpose_spmv;
  /// What `TransposeMethod::automatic`, or what makes windows, may take; nothing: on a host what
  /// the system has left, else anything.
  std::optional<std::uint64_t> available_bytes;
  /// For `TransposeMethod::automatic`: ranges of rows that a pass over A is cut into.
  int row_ranges = 1;
  /// For `TransposeMethod::automatic`: vectors that are multiplied at once.
  int vectors = 1;
  /// Deals the entries of each row out to the lanes of its product (`csr_interleaved`), which take
  /// them in packs then unless `entries_per_load` says otherwise, in both matrices; nothing where a
  /// product has one lane, as on hosts, or a copy of its own
  /// (`spmv4gpu`).
  bool interleaved = false;
};

/// \brief A stored matrix as an operator: products, products with ranges of rows, diagonal,
/// symmetric scaling, Kaczmarz.
///
/// Copies share the arrays and the workspace of the products, so an operator serves one
/// execution-space instance at a time; build a second one from the same matrix for a second
/// instance.
template <class ExecutionSpace, class Matrix>
class MatrixOperator;

template <class ExecutionSpace, class Scalar>
class MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>> {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using matrix_type = CsrMatrix<Scalar, memory_space>;

  /// \brief Plans the products; with `TransposeMethod::stored` builds the transpose (its rows must
  /// hold no duplicates), where no method is named when it is first needed, with `private_images`
  /// allocates the images of one vector, which are one a thread, or as many for any number of
  /// threads where `spmv` is deterministic, with `windowed` lists what rows have in tiles of
  /// columns (`WindowedPlan`, for what that needs of A). Interleaving copies each matrix once more
  /// while it works. Throws `Error` for `private_images` on a GPU, and for `windowed` of entries
  /// that are dealt out; `MemoryError` with the bytes of windows.
  MatrixOperator(const ExecutionSpace& exec, matrix_type A, const OperatorOptions& options = {});

  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  const matrix_type& matrix() const { return A_; }
  /// \brief The stored transpose; an empty matrix with other methods, and until it is needed where
  /// no method was named.
  const matrix_type& transposed_matrix() const { return copy_->matrix; }
  /// \brief The windows; of no segments with other methods.
  const WindowedPlan<ExecutionSpace, Scalar>& windows() const { return windows_; }
  /// \brief The options with every choice made; `transpose_spmv` as it was given while the copy of
  /// the transpose is not built.
  const OperatorOptions& options() const {
    if (copy_->is_built) options_.transpose_spmv = copy_->plan.options();
    return options_;
  }
  /// \brief True when the entries of either matrix were dealt out.
  bool is_interleaved() const {
    return takes_interleaved(options_.spmv) ||
           (copy_->is_built && takes_interleaved(copy_->plan.options()));
  }
  const RowStatistics& statistics() const { return plan_.statistics(); }

  /// \brief Of what there is: the copy of the transpose counts once it is built.
  std::size_t memory_bytes() const;
  /// \brief Of the arrays that `scaled` shares.
  std::size_t pattern_bytes() const {
    return A_.memory_bytes() - A_.values.extent(0) * sizeof(Scalar);
  }
  /// \brief Of a product with \p vectors vectors: the matrix once a pass, the vectors once.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const;

  /// \brief Allocates the private images of products with \p vectors vectors, where there are
  /// such. A product that finds less allocates them itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;
  /// \brief Builds the copy of the transpose, where there is to be one and it is not built: as many
  /// bytes as the matrix has, and those of the conversion while it works. Copies of the operator
  /// share it.
  void reserve_transpose(const ExecutionSpace& exec) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const;

  /// \brief See `operator_slab_unit`: of a stored transpose the `SpmvPlan::range_unit` of its
  /// product, with other methods and before it is built 0.
  Ordinal slab_unit() const { return copy_->is_built ? copy_->plan.range_unit() : 0; }
  /// \brief See `operator_slabs_run_together`: rows of the stored transpose share nothing.
  bool slabs_run_together(int vectors) const { return slab_unit() > 0 && vectors == 1; }
  /// \brief See `operator_apply_transpose_columns`: reads the nonzeros of these columns alone. Of
  /// several vectors on a GPU the bits are those of the whole where Y is aligned alike, as a part
  /// of the whole result is. Throws `Error` for a slab that does not lie within the columns or is
  /// not cut at the unit, `DimensionMismatch`.
  void apply_transpose_columns(const ExecutionSpace& exec, Scalar alpha,
                               const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                               const MultiVectorView<Scalar, memory_space>& Y,
                               RowRange columns) const;

  /// \brief See `operator_only_launches`.
  bool only_launches() const {
    return options_.transpose == TransposeMethod::stored ||
           options_.transpose == TransposeMethod::atomic;
  }
  /// \brief See `operator_csr`.
  const matrix_type* csr() const { return &A_; }

  /// \brief See `operator_csr_transpose`.
  const matrix_type* csr_transpose() const {
    return copy_->is_built && !options_.interleaved ? &copy_->matrix : nullptr;
  }
  /// \brief See `operator_transposes_by_atomics`.
  bool transposes_by_atomics() const { return options_.transpose == TransposeMethod::atomic; }

  /// \brief See `spmv_dot_sums` and `spmv_dot`.
  Offset dot_sums() const { return spmv_dot_sums<ExecutionSpace, Scalar>(plan_); }
  void apply_dot(const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& x,
                 const VectorView<Scalar, memory_space>& y,
                 const VectorView<double, memory_space>& sums) const {
    spmv_dot<ExecutionSpace, Scalar>(exec, plan_, A_, x, y, sums);
  }

  /// \brief `d_i = A(i, i)`, 0 where it is not stored.
  void diagonal(const ExecutionSpace& exec, const VectorView<Scalar, memory_space>& d) const;

  /// \brief See `csr_diagonal_blocks`.
  void diagonal_blocks(const ExecutionSpace& exec, int size,
                       const VectorView<Scalar, memory_space>& blocks) const;

  /// \brief The operator of `diag(scale) A diag(scale)`: a copy of the values, the pattern shared.
  /// Windows that `automatic` took give way where there cannot be any of the scaled values.
  MatrixOperator scaled(const ExecutionSpace& exec,
                        const VectorView<const Scalar, memory_space>& scale) const;

  /// \brief The same with values in float, for vectors in double.
  auto scaled_in_float(const ExecutionSpace& exec,
                       const VectorView<const Scalar, memory_space>& scale)
      const requires std::is_same_v<Scalar, double> {
    using Values = CsrMatrix<float, memory_space>;
    return FormOperator<ExecutionSpace, Scalar, Values>(
        form_scaled<float, ExecutionSpace, Scalar, Scalar>(exec, A_, scale));
  }

  /// \brief `|a_i|^2` of every row, formed once: see `csr_row_squared_norms`.
  const Vector<double, memory_space>& row_squared_norms(const ExecutionSpace& exec) const;

  /// \brief See `csr_largest_block_counts`.
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     Ordinal block_rows) const {
    return csr_largest_block_counts<ExecutionSpace, Scalar>(exec, A_, block_rows);
  }

  /// \brief See `make_csr_kaczmarz_schedule`.
  std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> kaczmarz_schedule(
      const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order) const;

  /// \brief Exact Kaczmarz, the rows of a level at once: see `csr_kaczmarz_sweep_levels`.
  void kaczmarz_sweep_levels(const ExecutionSpace& exec,
                             const KaczmarzSchedule<ExecutionSpace>& schedule,
                             const KaczmarzSweep<Scalar, memory_space>& sweep,
                             const VectorView<const Scalar, memory_space>& b,
                             const VectorView<Scalar, memory_space>& x) const;

  /// \brief Exact Kaczmarz by one team: row after row in the given order, each read once. Slow but
  /// right everywhere.
  void kaczmarz_sweep(const ExecutionSpace& exec, const KaczmarzSweep<Scalar, memory_space>& sweep,
                      const VectorView<const Scalar, memory_space>& b,
                      const VectorView<Scalar, memory_space>& x) const;

 private:
  bool takes_interleaved(const SpmvOptions& chosen) const {
    return options_.interleaved && takes_packs(chosen);
  }
  /// For what is interleaved, unless something else is asked for.
  SpmvOptions in_packs(SpmvOptions options) const;
  matrix_type arranged(const ExecutionSpace& exec, const matrix_type& M,
                       const SpmvOptions& chosen) const;
  std::uint64_t available_bytes() const;
  TransposeMethod chosen_transpose(const ExecutionSpace& exec) const;
  void make_windows(const ExecutionSpace& exec, bool asked_for);

  /// The stored transpose.
  struct StoredTranspose {
    bool is_built = false;
    matrix_type matrix;
    SpmvPlan<ExecutionSpace, matrix_type> plan;
  };

  matrix_type A_;
  mutable OperatorOptions options_;
  bool transpose_was_chosen_;  // by `automatic`
  bool transpose_on_demand_;
  SpmvPlan<ExecutionSpace, matrix_type> plan_;
  std::shared_ptr<StoredTranspose> copy_ = std::make_shared<StoredTranspose>();
  WindowedPlan<ExecutionSpace, Scalar> windows_;
  mutable PrivateImages<ExecutionSpace, Scalar> images_;
  mutable Vector<double, memory_space> squared_norms_;  // of the rows; empty: not wanted yet
};

/// \brief A CSR matrix as an operator.
template <class ExecutionSpace, class Scalar>
using CsrOperator =
    MatrixOperator<ExecutionSpace, CsrMatrix<Scalar, typename ExecutionSpace::memory_space>>;

}  // namespace Tomokkos
