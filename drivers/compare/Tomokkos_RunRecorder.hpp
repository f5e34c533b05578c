// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Monitor.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <limits>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Records products and iterates of a run, in natural order.
///
/// A recorder may see several runs of a configuration. The data of those after the first one differ
/// from its data by random errors as large as the rounding bound of the products. How far the
/// iterates move says how far rounding alone can move them. Solvers that compute their residual by
/// a recursion use the data once, at the start, but round in every iteration, and amplify some
/// directions of errors that random data may miss; their distances count 30 times.
class RunRecorder {
 public:
  /// \param samples number of entries of a vector that are kept
  explicit RunRecorder(int samples) { record_.samples = samples; }

  /// \brief Begins run \p number, from 1, with rounded data.
  void begin_rounded_run(int number);
  bool is_rounded() const { return rounded_run_ > 0; }
  /// \brief Number of the run with rounded data; 0: the data are exact.
  int rounded_run() const { return rounded_run_; }
  /// \brief Says that the solver computes its residual by a recursion.
  void set_recursive(bool is_recursive) { record_.is_recursive = is_recursive; }

  void set_machine(std::string backend, std::string device, std::string scalar, int threads,
                   int ranks);

  /// \brief Adds a product with a test vector. \p bounds are rounding bounds of its entries.
  template <class Scalar>
  void add_product(const std::string& name, const std::vector<Scalar>& values,
                   const std::vector<double>& bounds);

  /// \brief Adds the iterate \p x, slices one after the other.
  template <class Scalar>
  void add_iterate(int iteration, const std::vector<IterationRecord>& records,
                   const std::vector<Scalar>& x);

  void add_results(const std::vector<SolveResult>& results);

  /// \brief Stores the rounding bounds of `A x` for the x of the result, entry by entry, for the
  /// run with rounded data.
  void set_data_bounds(std::vector<double> bounds) { data_bounds_ = std::move(bounds); }
  const std::vector<double>& data_bounds() const { return data_bounds_; }

  const RunRecord& record() const { return record_; }
  RunRecord& record() { return record_; }

 private:
  RunRecord record_;
  int rounded_run_ = 0;
  int solve_ = 0, last_iteration_ = -1;
  double rounding_ = 0;  // of the last iterate that both runs have
  std::vector<double> data_bounds_;
};

/// \brief Value of entry \p natural of column \p column of the test vectors: from 0.5 to 1.5, the
/// same on every machine and for every order of the entries.
double test_value(std::uint64_t natural, std::uint64_t column);

/// \brief Random number from -1 to 1 for entry \p natural, the same on every machine.
double test_sign(std::uint64_t natural, std::uint64_t stream);

/// \brief Multiplies \p values by random factors that differ from 1 by at most \p relative_error.
/// Each \p run has factors of its own.
void add_rounding_errors(double relative_error, int run, std::vector<double>& values);

/// \brief Factor of a rounding bound: `2 u (2 + min(n, 4 sqrt(n)))` for sums of \p terms products
/// with unit roundoff u. The bound with the square root holds with a probability so close to 1 that
/// an excess shows an error of the program (Higham and Mary 2019).
template <class Scalar>
double rounding_factor(double terms);

}  // namespace Tomokkos
