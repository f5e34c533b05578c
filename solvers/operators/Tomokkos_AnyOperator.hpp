// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Operator.hpp>
#include <memory>
#include <string>
#include <utility>

namespace Tomokkos {

/// \brief Any linear operator behind one virtual call per launch. Compiled solvers exist for this
/// type alone, so that their number does not grow with the number of formats.
///
/// Holds the operator by value (a `MatrixOperator` shares its arrays); copies of an `AnyOperator`
/// share one operator. What the operator does not offer is made of its plain products, or throws
/// `Error` saying what is missing.
template <class ExecutionSpace, class Scalar>
class AnyOperator {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;
  using ConstVectorType = VectorView<const Scalar, memory_space>;
  using VectorType = VectorView<Scalar, memory_space>;

  template <class Operator>
  requires(!std::is_same_v<std::remove_cvref_t<Operator>, AnyOperator> &&
           LinearOperator<std::remove_cvref_t<Operator>, ExecutionSpace, Scalar>)
      AnyOperator(Operator&& A)  // NOLINT: converts implicitly, as the solvers' argument
      : self_(std::make_shared<const Model<std::remove_cvref_t<Operator>>>(
            std::forward<Operator>(A))) {}

  /// \brief True where \p other is this operator, or a copy.
  bool is_same(const AnyOperator& other) const { return self_ == other.self_; }

  Ordinal num_rows() const { return self_->num_rows(); }
  Ordinal num_cols() const { return self_->num_cols(); }
  bool has_transpose() const { return self_->has_transpose(); }
  /// \brief See `operator_takes_ranges`.
  bool takes_ranges() const { return self_->takes_ranges(); }

  /// \brief Bytes held for the operator, 0 when it does not tell.
  std::size_t memory_bytes() const { return self_->memory_bytes(); }

  /// \brief How many of them `scaled` and `scaled_in_float` share and count as theirs, too; 0 when
  /// it does not tell.
  std::size_t pattern_bytes() const { return self_->pattern_bytes(); }

  /// \brief Bytes that one forward product with \p vectors vectors must move, 0 when it does not
  /// tell.
  std::size_t apply_bytes(int vectors = 1) const { return self_->apply_bytes(vectors); }

  /// \brief Bytes that one transposed product with \p vectors vectors must move, 0 when it does not
  /// tell.
  std::size_t apply_transpose_bytes(int vectors = 1) const {
    return self_->apply_transpose_bytes(vectors);
  }

  /// \brief See `operator_reserve`.
  void reserve(const ExecutionSpace& exec, int vectors) const { self_->reserve(exec, vectors); }
  /// \brief See `operator_reserve_transpose`.
  void reserve_transpose(const ExecutionSpace& exec) const { self_->reserve_transpose(exec); }

  void apply(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X, Scalar beta,
             const MultiVectorType& Y, RowRange rows = all_rows) const {
    self_->apply(exec, alpha, X, beta, Y, rows);
  }
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X,
                       Scalar beta, const MultiVectorType& Y, RowRange rows = all_rows) const {
    self_->apply_transpose(exec, alpha, X, beta, Y, rows);
  }
  /// \brief See `operator_row_ranks`, `operator_column_ranks`.
  const Communicator<ExecutionSpace>* row_ranks() const { return self_->row_ranks(); }
  const Communicator<ExecutionSpace>* column_ranks() const { return self_->column_ranks(); }
  /// \brief See `operator_slab_unit`, `operator_prepare_slabs`, `operator_slabs_run_together`,
  /// `operator_apply_transpose_columns`.
  Ordinal slab_unit() const { return self_->slab_unit(); }
  void prepare_slabs(const ExecutionSpace& exec, const ConstMultiVectorType& X) const {
    self_->prepare_slabs(exec, X);
  }
  bool slabs_run_together(int vectors) const { return self_->slabs_run_together(vectors); }
  void apply_transpose_columns(const ExecutionSpace& exec, Scalar alpha,
                               const ConstMultiVectorType& X, Scalar beta, const MultiVectorType& Y,
                               RowRange columns) const {
    self_->apply_transpose_columns(exec, alpha, X, beta, Y, columns);
  }
  void diagonal(const ExecutionSpace& exec, const VectorType& d) const { self_->diagonal(exec, d); }
  /// \brief See `operator_tells_diagonal`.
  bool tells_diagonal() const { return self_->tells_diagonal(); }
  /// \brief See `operator_diagonal_blocks`.
  void diagonal_blocks(const ExecutionSpace& exec, int size, const VectorType& blocks) const {
    self_->diagonal_blocks(exec, size, blocks);
  }
  /// \brief See `operator_only_launches`.
  bool only_launches() const { return self_->only_launches(); }
  /// \brief See `operator_csr`.
  const CsrMatrix<Scalar, memory_space>* csr() const { return self_->csr(); }
  /// \brief See `operator_csr_transpose`.
  const CsrMatrix<Scalar, memory_space>* csr_transpose() const { return self_->csr_transpose(); }
  /// \brief See `operator_transposes_by_atomics`.
  bool transposes_by_atomics() const { return self_->transposes_by_atomics(); }
  /// \brief See `operator_dot_sums`.
  Offset dot_sums() const { return self_->dot_sums(); }
  /// \brief See `operator_apply_dot`.
  void apply_dot(const ExecutionSpace& exec, const ConstVectorType& x, const VectorType& y,
                 const VectorView<double, memory_space>& sums) const {
    self_->apply_dot(exec, x, y, sums);
  }
  /// \brief See `operator_row_squared_norms`.
  Vector<double, memory_space> row_squared_norms(const ExecutionSpace& exec) const {
    return self_->row_squared_norms(exec);
  }
  /// \brief See `operator_largest_block_counts`.
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     Ordinal block_rows) const {
    return self_->largest_block_counts(exec, block_rows);
  }
  void kaczmarz_sweep(const ExecutionSpace& exec, const KaczmarzSweep<Scalar, memory_space>& sweep,
                      const ConstVectorType& b, const VectorType& x) const {
    self_->kaczmarz_sweep(exec, sweep, b, x);
  }
  /// \brief See `operator_kaczmarz_schedule`.
  std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> kaczmarz_schedule(
      const ExecutionSpace& exec, const VectorView<const Ordinal, memory_space>& order) const {
    return self_->kaczmarz_schedule(exec, order);
  }
  /// \brief See `operator_kaczmarz_sweep_levels`.
  void kaczmarz_sweep_levels(const ExecutionSpace& exec,
                             const KaczmarzSchedule<ExecutionSpace>& schedule,
                             const KaczmarzSweep<Scalar, memory_space>& sweep,
                             const ConstVectorType& b, const VectorType& x) const {
    self_->kaczmarz_sweep_levels(exec, schedule, sweep, b, x);
  }

  /// \brief The operator `diag(scale) A diag(scale)` (square operators). A matrix scales a copy of
  /// its values; any other operator is wrapped.
  AnyOperator scaled(const ExecutionSpace& exec, const ConstVectorType& scale) const {
    return self_->scaled(exec, scale, *this);
  }
  /// \brief See `operator_scales_values`.
  bool scales_values() const { return self_->scales_values(); }
  /// \brief The operator `diag(scale) A diag(scale)` with values rounded to float, for vectors in
  /// double: nearly half of the bytes. By `A.scaled_in_float(exec, scale)`; throws `Error` where
  /// that does not exist.
  AnyOperator scaled_in_float(const ExecutionSpace& exec, const ConstVectorType& scale) const {
    return self_->scaled_in_float(exec, scale);
  }
  /// \brief True where `scaled_in_float` exists.
  bool scales_in_float() const { return self_->scales_in_float(); }

 private:
  struct Interface {
    virtual ~Interface() = default;
    virtual Ordinal num_rows() const = 0;
    virtual Ordinal num_cols() const = 0;
    virtual bool has_transpose() const = 0;
    virtual bool takes_ranges() const = 0;
    virtual std::size_t memory_bytes() const = 0;
    virtual std::size_t pattern_bytes() const = 0;
    virtual std::size_t apply_bytes(int) const = 0;
    virtual std::size_t apply_transpose_bytes(int) const = 0;
    virtual void reserve(const ExecutionSpace&, int) const = 0;
    virtual void reserve_transpose(const ExecutionSpace&) const = 0;
    virtual void apply(const ExecutionSpace&, Scalar, const ConstMultiVectorType&, Scalar,
                       const MultiVectorType&, RowRange) const = 0;
    virtual void apply_transpose(const ExecutionSpace&, Scalar, const ConstMultiVectorType&, Scalar,
                                 const MultiVectorType&, RowRange) const = 0;
    virtual const Communicator<ExecutionSpace>* row_ranks() const = 0;
    virtual const Communicator<ExecutionSpace>* column_ranks() const = 0;
    virtual Ordinal slab_unit() const = 0;
    virtual void prepare_slabs(const ExecutionSpace&, const ConstMultiVectorType&) const = 0;
    virtual bool slabs_run_together(int) const = 0;
    virtual void apply_transpose_columns(const ExecutionSpace&, Scalar, const ConstMultiVectorType&,
                                         Scalar, const MultiVectorType&, RowRange) const = 0;
    virtual void diagonal(const ExecutionSpace&, const VectorType&) const = 0;
    virtual bool tells_diagonal() const = 0;
    virtual void diagonal_blocks(const ExecutionSpace&, int, const VectorType&) const = 0;
    virtual bool scales_values() const = 0;
    virtual bool only_launches() const = 0;
    virtual const CsrMatrix<Scalar, memory_space>* csr() const = 0;
    virtual const CsrMatrix<Scalar, memory_space>* csr_transpose() const = 0;
    virtual bool transposes_by_atomics() const = 0;
    virtual Offset dot_sums() const = 0;
    virtual void apply_dot(const ExecutionSpace&, const ConstVectorType&, const VectorType&,
                           const VectorView<double, memory_space>&) const = 0;
    virtual Vector<double, memory_space> row_squared_norms(const ExecutionSpace&) const = 0;
    virtual Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace&,
                                                               Ordinal) const = 0;
    virtual void kaczmarz_sweep(const ExecutionSpace&, const KaczmarzSweep<Scalar, memory_space>&,
                                const ConstVectorType&, const VectorType&) const = 0;
    virtual std::shared_ptr<const KaczmarzSchedule<ExecutionSpace>> kaczmarz_schedule(
        const ExecutionSpace&, const VectorView<const Ordinal, memory_space>&) const = 0;
    virtual void kaczmarz_sweep_levels(const ExecutionSpace&,
                                       const KaczmarzSchedule<ExecutionSpace>&,
                                       const KaczmarzSweep<Scalar, memory_space>&,
                                       const ConstVectorType&, const VectorType&) const = 0;
    virtual AnyOperator scaled(const ExecutionSpace&, const ConstVectorType&,
                               const AnyOperator& self) const = 0;
    virtual bool scales_in_float() const = 0;
    virtual AnyOperator scaled_in_float(const ExecutionSpace&, const ConstVectorType&) const = 0;
  };

  template <class Operator>
  struct Model;

  std::shared_ptr<const Interface> self_;
};

}  // namespace Tomokkos

#include <impl/Tomokkos_AnyOperator_impl.hpp>
