// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_OperatorCapabilities.hpp>
#include <Tomokkos_TracedProjection.hpp>
#include <memory>

namespace Tomokkos {

/// \brief System matrix of a scanner or a cone beam that is not stored (`TracedProjection`), as an
/// operator.
///
/// All products, also with ranges of rows, have the same bits in every run.
///
/// Copies share what has been allocated. The workspace serves one execution-space instance at a
/// time.
template <class ExecutionSpace, class Scalar>
class TracedOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;
  using Projection = TracedProjection<ExecutionSpace, Scalar>;

  explicit TracedOperator(std::shared_ptr<const Projection> A);

  Ordinal num_rows() const { return A_->num_rows(); }
  Ordinal num_cols() const { return A_->num_cols(); }
  const Projection& projection() const { return *A_; }

  std::size_t memory_bytes() const;
  /// \brief Returns the bytes of the vectors of a product with \p vectors vectors, and of what is
  /// stored.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const { return apply_bytes(vectors); }

  /// \brief See `OperatorCapabilities::only_launches`.
  bool only_launches() const { return false; }

  /// \brief Allocates the workspace of transposed products with \p vectors vectors, and traces all
  /// rows once to bound their sums. A product that finds less allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const;

  /// \brief Returns `|a_i|^2` of every row, computed once.
  const Vector<double, memory_space>& row_squared_norms(const ExecutionSpace& exec) const;
  /// \brief See `TracedProjection::block_counts`.
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     const RowSubsets& blocks,
                                                     const Ranks* ranks) const;
  /// \brief See `TracedProjection::kaczmarz_sweep`.
  void kaczmarz_sweep(const ExecutionSpace& exec, const KaczmarzSweep<Scalar, memory_space>& sweep,
                      const VectorView<const Scalar, memory_space>& b,
                      const VectorView<Scalar, memory_space>& x) const;

 private:
  std::shared_ptr<const Projection> A_;
  mutable TracedWorkspace<memory_space> work_;
  mutable Vector<double, memory_space> squared_norms_;  // empty until first needed
};

TOMOKKOS_EXTERN_CLASS(TracedOperator)

}  // namespace Tomokkos
