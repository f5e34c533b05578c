// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Operator.hpp>
#include <Tomokkos_OperatorCapabilities.hpp>
#include <memory>
#include <utility>

namespace Tomokkos {

/// \brief Any linear operator behind one virtual call per launch. Solvers are compiled for this
/// type alone, so that their number does not grow with the number of formats.
///
/// Holds the operator by value (a `MatrixOperator` shares its arrays); copies of an `AnyOperator`
/// share one operator.
template <class ExecutionSpace, class Scalar>
class AnyOperator {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename ExecutionSpace::memory_space;
  using scalar_type = Scalar;
  using ConstMultiVectorType = MultiVectorView<const Scalar, memory_space>;
  using MultiVectorType = MultiVectorView<Scalar, memory_space>;
  using Capabilities = OperatorCapabilities<ExecutionSpace, Scalar>;

  template <class Operator>
  requires(!std::is_same_v<std::remove_cvref_t<Operator>, AnyOperator> &&
           LinearOperator<std::remove_cvref_t<Operator>, ExecutionSpace, Scalar>)
      AnyOperator(Operator&& A)  // NOLINT: converts implicitly, as the solvers' argument
      : self_(std::make_shared<const Model<std::remove_cvref_t<Operator>>>(
            std::forward<Operator>(A))) {}

  /// \brief True where \p other is this operator, or a copy.
  bool is_same(const AnyOperator& other) const { return self_ == other.self_; }

  Ordinal num_rows() const { return self_->num_rows; }
  Ordinal num_cols() const { return self_->num_cols; }
  bool has_transpose() const { return self_->has_transpose; }
  /// \brief True when products of A and of its transpose can be restricted to a range of rows.
  bool supports_ranges() const { return self_->supports_ranges; }
  /// \brief What the operator offers beside its products.
  const Capabilities& capabilities() const { return self_->capabilities; }

  /// \brief Bytes held for the operator, 0 when it does not tell.
  std::size_t memory_bytes() const { return self_->bytes(1).memory; }
  /// \brief How many of them scaled operators share and count as theirs, too; 0 when it does not
  /// tell.
  std::size_t pattern_bytes() const { return self_->bytes(1).pattern; }
  /// \brief Bytes that one forward product with \p vectors vectors must move, 0 when it does not
  /// tell.
  std::size_t apply_bytes(int vectors = 1) const { return self_->bytes(vectors).apply; }
  /// \brief The same of the transposed product.
  std::size_t apply_transpose_bytes(int vectors = 1) const {
    return self_->bytes(vectors).apply_transpose;
  }

  /// \brief Allocates what products with up to \p vectors vectors need, so that none of them does.
  void reserve(const ExecutionSpace& exec, int vectors) const { self_->reserve(exec, vectors); }
  /// \brief Builds the copy that transposed products need, so that none of them does.
  void reserve_transpose(const ExecutionSpace& exec) const { self_->reserve_transpose(exec); }

  /// \brief `Y = alpha A(rows, :) X + beta Y`.
  ///
  /// \throws Error where A cannot be restricted and \p rows is not all
  void apply(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X, Scalar beta,
             const MultiVectorType& Y, RowRange rows = all_rows) const {
    self_->apply(exec, alpha, X, beta, Y, rows);
  }
  /// \brief `Y = alpha A(rows, :)^T X + beta Y`.
  ///
  /// \throws Error where A has no transpose, or cannot be restricted and \p rows is not all
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X,
                       Scalar beta, const MultiVectorType& Y, RowRange rows = all_rows) const {
    self_->apply_transpose(exec, alpha, X, beta, Y, rows);
  }

 private:
  struct Bytes {
    std::size_t memory = 0, pattern = 0, apply = 0, apply_transpose = 0;
  };

  struct Interface {
    Ordinal num_rows = 0, num_cols = 0;
    bool has_transpose = false, supports_ranges = false;
    Capabilities capabilities;

    virtual ~Interface() = default;
    virtual Bytes bytes(int vectors) const = 0;
    virtual void reserve(const ExecutionSpace&, int) const = 0;
    virtual void reserve_transpose(const ExecutionSpace&) const = 0;
    virtual void apply(const ExecutionSpace&, Scalar, const ConstMultiVectorType&, Scalar,
                       const MultiVectorType&, RowRange) const = 0;
    virtual void apply_transpose(const ExecutionSpace&, Scalar, const ConstMultiVectorType&, Scalar,
                                 const MultiVectorType&, RowRange) const = 0;
  };

  template <class Operator>
  struct Model;

  std::shared_ptr<const Interface> self_;
};

/// \brief The CSR matrix that \p A is; null where it is another thing.
template <class ExecutionSpace, class Scalar>
auto* stored_csr(const AnyOperator<ExecutionSpace, Scalar>& A) {
  const auto* const csr = A.capabilities().csr;
  return csr != nullptr ? csr->matrix() : nullptr;
}

/// \brief The transpose in CSR that \p A keeps; null where there is none.
template <class ExecutionSpace, class Scalar>
auto* stored_csr_transpose(const AnyOperator<ExecutionSpace, Scalar>& A) {
  const auto* const csr = A.capabilities().csr;
  return csr != nullptr ? csr->transpose() : nullptr;
}

/// \brief Whether \p A can be scaled with its values rounded to float.
template <class ExecutionSpace, class Scalar>
bool scales_in_float(const AnyOperator<ExecutionSpace, Scalar>& A) {
  const auto* const scaling = A.capabilities().scaling;
  return scaling != nullptr && scaling->has_float();
}

}  // namespace Tomokkos

#include <impl/Tomokkos_AnyOperator_impl.hpp>
