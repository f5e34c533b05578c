// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recording of a run: of its iterates on the host, and of its products and iterates on a device.
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Monitor.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Records products and iterates of a run, in natural order.
///
/// A recorder may see several runs of a configuration. The data of those after the first one differ
/// from its data by random errors as large as the rounding bound of the products. How far the
/// iterates move says how far rounding alone can move them. Solvers that compute their residual by
/// a recursion use the data once, at the start, but round in every iteration, and amplify some
/// directions of errors that random data may miss.
class RunRecorder {
 public:
  /// \param samples number of entries of a vector that are kept
  explicit RunRecorder(int samples) { record.samples = samples; }

  /// \brief Begins run \p number, from 1, with rounded data.
  void begin_rounded_run(int number);
  bool is_rounded() const { return rounded_run_ > 0; }
  /// \brief Number of the run with rounded data; 0: the data are exact.
  int rounded_run() const { return rounded_run_; }

  /// \brief Adds a product with a test vector. \p bounds are rounding bounds of its entries.
  template <class Scalar>
  void add_product(const std::string& name, const std::vector<Scalar>& values,
                   const std::vector<double>& bounds);
  /// \brief Adds the iterate \p x, slices one after the other.
  template <class Scalar>
  void add_iterate(int iteration, const std::vector<IterationRecord>& records,
                   const std::vector<Scalar>& x);
  void add_results(const std::vector<SolveResult>& results);

  RunRecord record;
  /// Rounding bounds of `A x` for the x of the result, entry by entry, for runs with rounded data.
  std::vector<double> data_bounds;

 private:
  int rounded_run_ = 0;
  int solve_ = 0, last_iteration_ = -1;
  double rounding_ = 0;  // of the last iterate that both runs have
};

/// \brief Natural indices of the entries of a vector of the solver.
struct Numbering {
  std::vector<Ordinal>
      natural;                  ///< natural index at each position; empty: position and index agree
  std::size_t size = 0;         ///< natural indices, including those that have no position
  bool is_distributed = false;  ///< each rank holds some of the positions, which `natural` lists

  bool is_identity() const { return natural.empty() && !is_distributed; }
};

/// \brief Numbering of a vector of \p length entries by \p map (empty: none).
template <class MemorySpace>
Numbering make_numbering(const std::optional<IndexMap<MemorySpace>>& map, std::size_t length,
                         bool is_distributed);

/// \brief Passes the products and the iterates of a solve to a recorder: on the host, in natural
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
  /// \param rows, columns numberings; of size 0: in the order of the solver
  /// \param longest_row nonzeros of the longest row of the matrix
  RunObservation(RunRecorder& recorder, const ExecutionSpace& exec, const RunRanks* ranks,
                 const OperatorType& A, Numbering rows, Numbering columns, Offset longest_row);

  /// \brief Records `A x`, and `A' y` if \p transposed, for \p vectors test vectors each.
  void record_products(Ordinal vectors, bool transposed);

  /// \brief Returns \p B with random errors as large as the rounding bound of `A x`, or of sums
  /// over all rows if products with the transpose were recorded.
  Vector<Scalar, memory_space> rounded(const ConstColumns& B) const;

  /// \brief Copies the iterate \p X to the host, slices one after the other.
  std::vector<Scalar> iterate(const ConstColumns& X) const { return gathered(X, columns_); }

  /// \brief Records the ends of the solves, and the rounding bounds for \p X, the result.
  void record_results(const std::vector<SolveResult>& results, const ConstColumns& X);

 private:
  using Values = std::vector<Scalar>;

  Values gathered(const ConstColumns& values, const Numbering& numbering) const;
  Vector<Scalar, memory_space> scattered(const Values& natural, const Numbering& numbering) const;
  Values product(const Values& x, bool transposed) const;
  std::vector<double> magnitudes(const Values& x, const Values& y, bool transposed);
  double terms(bool transposed) const;

  RunRecorder& recorder_;
  ExecutionSpace exec_;
  const RunRanks* ranks_;
  const OperatorType& A_;
  Numbering rows_, columns_;
  double longest_row_;
  bool uses_transpose_ = false;
  std::optional<bool> is_nonnegative_;  // empty: not known yet
};

/// \brief Value of entry \p natural of column \p column of the test vectors: from 0.5 to 1.5, the
/// same on every machine and for every order of the entries.
double test_value(std::uint64_t natural, std::uint64_t column);

/// \brief Multiplies \p values by random factors that differ from 1 by at most \p relative_error.
/// Each \p run has factors of its own.
void add_rounding_errors(double relative_error, int run, std::vector<double>& values);

/// \brief Factor of a rounding bound: `2 u (2 + min(n, 4 sqrt(n)))` for sums of \p terms products
/// with unit roundoff u. The bound with the square root holds with a probability so close to 1 that
/// an excess shows an error of the program (Higham and Mary 2019).
template <class Scalar>
double rounding_factor(double terms);

}  // namespace Tomokkos
