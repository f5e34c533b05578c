// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunRecorder.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Natural indices of the entries of a vector of the solver.
struct Numbering {
  std::vector<Ordinal>
      natural;                  ///< natural index at each position; empty: position and index agree
  std::size_t size = 0;         ///< natural indices, including those that have no position
  bool is_distributed = false;  ///< each rank holds some of the positions, which `natural` lists

  bool is_identity() const { return natural.empty() && !is_distributed; }
};

/// \brief Numbering of a vector of \p length entries by \p map (empty: none), complete on each
/// rank.
template <class MemorySpace>
Numbering make_numbering(const std::optional<IndexMap<MemorySpace>>& map, Ordinal length);

/// \brief Passes the products and the iterates of a run to a recorder: on the host, in natural
/// order, complete on every rank. All members are collective.
///
/// Costs: a product with the vectors of a solve takes 1 product for its values and 4 for its
/// bounds; an iterate is copied to the host.
template <class ExecutionSpace, class Scalar>
class RunObservation {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using OperatorType = AnyOperator<ExecutionSpace, Scalar>;
  using ConstColumns = MultiVectorView<const Scalar, memory_space>;

  /// \param ranks null: one process
  /// \param longest_row nonzeros of the longest row of the matrix
  RunObservation(RunRecorder& recorder, const ExecutionSpace& exec, const RunRanks* ranks,
                 const OperatorType& A, Numbering rows, Numbering columns, Offset longest_row);

  /// \brief Records `A x`, and `A' y` if \p transposed, for \p vectors test vectors each.
  void record_products(Ordinal vectors, bool transposed);

  /// \brief Returns \p B with random errors as large as the rounding bound of `A x`, or of sums
  /// over all rows if products with the transpose were recorded.
  Vector<Scalar, memory_space> rounded(const ConstColumns& B) const;

  /// \brief Records the iterate \p X.
  void record_iterate(int iteration, const std::vector<IterationRecord>& records,
                      const ConstColumns& X) const;

  /// \brief Records the ends of the solves, and the rounding bounds for \p X, the result.
  void record_results(const std::vector<SolveResult>& results, const ConstColumns& X);

 private:
  using Values = std::vector<Scalar>;

  Values gathered(const ConstColumns& values, const Numbering& numbering) const;
  Vector<Scalar, memory_space> scattered(const Values& natural, const Numbering& numbering) const;
  Values product(const Values& x, bool transposed) const;
  std::vector<double> magnitudes(const Values& x, const Values& y, bool transposed);
  Ordinal vectors_of(const Values& values, const Numbering& numbering) const {
    return static_cast<Ordinal>(values.size() / numbering.size);
  }

  RunRecorder& recorder_;
  ExecutionSpace exec_;
  const RunRanks* ranks_;
  const OperatorType& A_;
  Numbering rows_, columns_;
  double longest_row_;
  bool uses_transpose_ = false;
  std::optional<bool> is_nonnegative_;  // empty: not known yet
};

}  // namespace Tomokkos
