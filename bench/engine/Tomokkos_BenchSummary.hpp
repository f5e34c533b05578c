// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

/// \brief Returns true if the error is within its bound. Other results are never called fastest or
/// used for comparison.
inline bool is_correct(const BenchResult& result) { return result.error <= 1; }

/// \brief Returns true if an iteration does other work than those it is compared with: with the
/// matrix in float a solve needs more iterations.
///
/// Such a result is neither the fastest nor our result in the comparison with a peer.
inline bool does_other_work(const BenchResult& result) {
  return result.name.operation == "pcg" &&
         result.name.variant.find(":float_matrix") != std::string::npos;
}

/// \brief Returns true if the quartiles differ by more than 20 %.
///
/// The machine was then busy with something else or its clock rate changed, and comparisons with
/// this result are uncertain.
inline bool is_uncertain(const BenchResult& result) {
  return result.seconds_p75 > 1.2 * result.seconds_p25;
}

/// \brief Finds the fastest correct result in \p group that \p select accepts; nullptr if there is
/// none.
template <class Select>
const BenchResult* fastest(const std::vector<const BenchResult*>& group, const Select& select) {
  const BenchResult* best = nullptr;
  for (const BenchResult* result : group)
    if (is_correct(*result) && result->seconds_median > 0 &&
        std::isfinite(result->seconds_median) && select(*result) &&
        (best == nullptr || result->seconds_median < best->seconds_median))
      best = result;
  return best;
}

/// \brief Cost of a conversion, and the number of executions after which it has paid for itself.
struct Payback {
  /// Set-up time divided by the time of one execution of the same candidate; empty if an execution
  /// takes no time.
  std::optional<double> setup_products;
  /// Number of executions after which set-up and executions together take less time than those of
  /// the fastest correct candidate of ours that reads plain CSR: `setup / (its time - own time)`. 0
  /// for that candidate itself. Empty: never, or there is no such candidate.
  std::optional<double> after;
  /// True if there is such a candidate, so that an empty `after` means never.
  bool comparable = false;
};

/// \brief Computes the payback of \p result among the results of \p report on the same matrix.
Payback payback_of(const BenchReport& report, const BenchResult& result);

/// \brief Compares our fastest candidate with the fastest one of one library, over the matrices on
/// which both are correct.
///
/// Results for which `does_other_work` holds are left out.
struct PeerSummary {
  std::string operation, scalar, library;
  int vectors = 1;
  int matrices = 0;
  /// Mean of their time divided by ours: with each matrix counted once, and weighted by nonzeros.
  double geometric_mean = 0;
  double entry_weighted_mean = 0;
};

/// \brief Choice of `automatic` on one matrix.
struct AutomaticChoice {
  std::string matrix, chosen, best;
  double to_best = 0;  ///< time of the choice divided by that of the best; below 1 if it is faster
};

/// \brief Distance of `automatic` from the best of our candidates.
///
/// `format` says what was chosen: a variant of CSR (`csr`), a variant for block-circulant matrices
/// (`block_circulant`), or the format among all of them (`automatic`).
struct AutomaticSummary {
  std::string operation, scalar, format;
  int vectors = 1;
  std::vector<AutomaticChoice> matrices;

  int within_5_percent() const;
};

/// \brief Summary of a report over all its matrices. Covers products and iterations, not
/// transpositions.
struct BenchSummary {
  std::vector<PeerSummary> to_peers;
  std::vector<AutomaticSummary> automatic;
};

BenchSummary summarize(const BenchReport& report);

}  // namespace Tomokkos::Bench
