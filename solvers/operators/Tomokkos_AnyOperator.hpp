// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Operator.hpp>
#include <Tomokkos_OperatorCapabilities.hpp>
#include <Tomokkos_StepRegions.hpp>
#include <memory>
#include <utility>

namespace Tomokkos {

/// \brief Any linear operator behind one virtual call per product. Solvers are compiled for this
/// type only, so that the amount of compiled code does not grow with the number of formats.
///
/// Holds the operator by value (a `MatrixOperator` shares its arrays). Copies of an `AnyOperator`
/// share one operator.
template <class ExecutionSpace, class Scalar>
class AnyOperator {
 public:
  using execution_space = ExecutionSpace;
  using memory_space = typename Impl::CompiledSpace<ExecutionSpace>::memory_space;
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

  /// \brief Returns true if \p other is this operator or a copy of it.
  bool is_same(const AnyOperator& other) const { return self_ == other.self_; }

  Ordinal num_rows() const { return self_->num_rows; }
  Ordinal num_cols() const { return self_->num_cols; }
  bool has_transpose() const { return self_->has_transpose; }
  /// \brief Returns true when products with A and with its transpose can be restricted to a range
  /// of rows.
  bool supports_ranges() const { return self_->supports_ranges; }
  /// \brief Returns the capabilities that the operator has besides its products.
  const Capabilities& capabilities() const { return self_->capabilities; }

  /// \brief Returns the bytes that the operator holds; 0 if it does not report them.
  std::size_t memory_bytes() const { return self_->bytes(1).memory; }
  /// \brief Returns the part of `memory_bytes` that scaled operators share, and also include in
  /// their own figure; 0 if the operator does not report it.
  std::size_t pattern_bytes() const { return self_->bytes(1).pattern; }
  /// \brief Returns the bytes that one forward product with \p vectors vectors must move; 0 if the
  /// operator does not report them.
  std::size_t apply_bytes(int vectors = 1) const { return self_->bytes(vectors).apply; }
  /// \brief Returns the bytes that one transposed product with \p vectors vectors must move; 0 if
  /// the operator does not report them.
  std::size_t apply_transpose_bytes(int vectors = 1) const {
    return self_->bytes(vectors).apply_transpose;
  }

  /// \brief Allocates the workspace of products with up to \p vectors vectors, so that no product
  /// allocates.
  void reserve(const ExecutionSpace& exec, int vectors) const { self_->reserve(exec, vectors); }
  /// \brief Builds the copy that transposed products need, so that no product builds it.
  void reserve_transpose(const ExecutionSpace& exec) const { self_->reserve_transpose(exec); }

  /// \brief Computes `Y = alpha A(rows, :) X + beta Y`.
  ///
  /// \throws Error when \p rows is not the whole range and A cannot be restricted
  void apply(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X, Scalar beta,
             const MultiVectorType& Y, RowRange rows = all_rows) const {
    const Impl::ScopedRegion region(Impl::StepRegions::forward);
    self_->apply(exec, alpha, X, beta, Y, rows);
  }
  /// \brief Computes `Y = alpha A(rows, :)^T X + beta Y`.
  ///
  /// \throws Error when A has no transpose, or when \p rows is not the whole range and A cannot be
  /// restricted
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha, const ConstMultiVectorType& X,
                       Scalar beta, const MultiVectorType& Y, RowRange rows = all_rows) const {
    const Impl::ScopedRegion region(Impl::StepRegions::transposed);
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

/// \brief Returns the CSR matrix of \p A; null if A is not stored in CSR.
template <class ExecutionSpace, class Scalar>
auto* stored_csr(const AnyOperator<ExecutionSpace, Scalar>& A) {
  const auto* const csr = A.capabilities().csr;
  return csr != nullptr ? csr->matrix() : nullptr;
}

/// \brief Returns the transpose in CSR that \p A keeps; null if \p A keeps none.
template <class ExecutionSpace, class Scalar>
auto* stored_csr_transpose(const AnyOperator<ExecutionSpace, Scalar>& A) {
  const auto* const csr = A.capabilities().csr;
  return csr != nullptr ? csr->transpose() : nullptr;
}

/// \brief Returns whether \p A can be scaled with its values rounded to float.
template <class ExecutionSpace, class Scalar>
bool scales_in_float(const AnyOperator<ExecutionSpace, Scalar>& A) {
  const auto* const scaling = A.capabilities().scaling;
  return scaling != nullptr && scaling->has_float();
}

}  // namespace Tomokkos

#include <impl/Tomokkos_AnyOperator_impl.hpp>
