// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_OperatorCapabilities.hpp>
#include <Tomokkos_SteppedProducts.hpp>
#include <optional>

namespace Tomokkos {

/// \brief System matrix of a scan that is not stored (`ComputedProjection`), as an operator.
///
/// All products, also with ranges of rows, have the same bits in every run. They are
/// `stepped_product` and `stepped_transposed_product` if A allows them, unless exact entries are
/// asked for. Rows are visited one by one by ART, and traced for that.
///
/// Copies share what has been allocated. The workspace serves one execution-space instance at a
/// time.
template <class ExecutionSpace, class Scalar>
class ComputedOperator {
 public:
  using scalar_type = Scalar;
  using memory_space = typename ExecutionSpace::memory_space;

  /// \param exact products use the entries of the matrix bit by bit, which takes longer
  explicit ComputedOperator(ComputedProjection<memory_space> A, bool exact = false);

  Ordinal num_rows() const { return A_.num_rows; }
  Ordinal num_cols() const { return A_.num_cols; }
  const ComputedProjection<memory_space>& projection() const { return A_; }

  std::size_t memory_bytes() const;
  /// \brief Returns the bytes of the vectors of a product with \p vectors vectors, and of what is
  /// stored.
  std::size_t apply_bytes(int vectors = 1) const;
  std::size_t apply_transpose_bytes(int vectors = 1) const { return apply_bytes(vectors); }

  /// \brief See `OperatorCapabilities::only_launches`.
  bool only_launches() const { return !is_stepped_; }

  /// \brief Allocates the workspace of stepped products with \p vectors vectors, with all rows or
  /// with ranges of them. A product that finds less allocates it itself.
  void reserve(const ExecutionSpace& exec, int vectors, RowRange rows = all_rows) const;

  void apply(const ExecutionSpace& exec, Scalar alpha,
             const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
             const MultiVectorView<Scalar, memory_space>& Y, RowRange rows = all_rows) const;
  void apply_transpose(const ExecutionSpace& exec, Scalar alpha,
                       const MultiVectorView<const Scalar, memory_space>& X, Scalar beta,
                       const MultiVectorView<Scalar, memory_space>& Y,
                       RowRange rows = all_rows) const;

  /// \brief Returns `|a_i|^2` of every row, computed once.
  const Vector<double, memory_space>& row_squared_norms(const ExecutionSpace& exec) const;
  /// \brief See `computed_block_counts`.
  Vector<Ordinal, memory_space> largest_block_counts(const ExecutionSpace& exec,
                                                     const RowSubsets& blocks,
                                                     const Ranks* ranks) const;
  /// \brief True if no ray is left out: `filtered_back_projection` is available.
  bool has_all_rays() const { return A_.scan.num_rays() == num_rows(); }
  /// \brief Computes the images X of the data B (`FilteredBackProjection`). The filter and its
  /// workspace are kept for the next call with the same window. In other orders than the natural
  /// one, natural copies of B and X exist meanwhile. Fences.
  ///
  /// \throws Refused for a curved detector and for a scan by vectors; MemoryError
  void filtered_back_projection(const ExecutionSpace& exec, RampWindow window,
                                const MultiVectorView<const Scalar, memory_space>& B,
                                const MultiVectorView<Scalar, memory_space>& X) const;
  /// \brief See `computed_kaczmarz_sweep`.
  void kaczmarz_sweep(const ExecutionSpace& exec, const KaczmarzSweep<Scalar, memory_space>& sweep,
                      const VectorView<const Scalar, memory_space>& b,
                      const VectorView<Scalar, memory_space>& x) const;

 private:
  ComputedProjection<memory_space> A_;
  bool is_stepped_;
  mutable SteppedWorkspace<Scalar, memory_space> work_;
  mutable Vector<double, memory_space> squared_norms_;  // empty until first needed
  mutable std::optional<FilteredBackProjection<ExecutionSpace, Scalar>> inverse_;  // likewise
  mutable RampWindow window_ = RampWindow::ram_lak;                                // of inverse_
};

TOMOKKOS_EXTERN_CLASS(ComputedOperator)

}  // namespace Tomokkos
