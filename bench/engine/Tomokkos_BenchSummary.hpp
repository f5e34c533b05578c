// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

/// \brief Right within its bound: the others are neither fastest nor compared with.
inline bool is_correct(const BenchResult& result) { return result.error <= 1; }

/// \brief An iteration of it does other work than those it stands beside: with the matrix in float
/// a solve takes more of them. Neither fastest nor ours beside a peer.
inline bool does_other_work(const BenchResult& result) {
  return result.name.operation == "pcg" &&
         result.name.variant.find(":float_matrix") != std::string::npos;
}

/// \brief Its quartiles differ by more than 20 %: something else was busy while it was measured, or
/// the clock changed, and what is compared with it is uncertain.
inline bool is_uncertain(const BenchResult& result) {
  return result.seconds_p75 > 1.2 * result.seconds_p25;
}

/// \brief The fastest right one of those in \p group that \p select accepts, or nullptr.
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

/// \brief What a conversion costs and when it is paid back.
struct Payback {
  /// Set-up over one execution of the same candidate; nothing when that takes no time.
  std::optional<double> setup_products;
  /// Executions after which set-up and executions together have taken less time than those of the
  /// fastest right candidate of ours that reads CSR as it is, 0 for that one: `setup / (its time -
  /// own time)`. Nothing: never, or there is none.
  std::optional<double> after;
  /// There is such a candidate, so `after` without a number means never.
  bool comparable = false;
};

/// \brief The payback of \p result among the results of \p report on the same matrix.
Payback payback_of(const BenchReport& report, const BenchResult& result);

/// \brief Our fastest beside the fastest of one library, over the matrices that both did right;
/// without what `does_other_work`.
struct PeerSummary {
  std::string operation, scalar, library;
  int vectors = 1;
  int matrices = 0;
  /// Of their time over ours, each matrix counting alike, and by its nonzeros.
  double geometric_mean = 0;
  double entry_weighted_mean = 0;
};

/// \brief What `automatic` chose on one matrix.
struct AutomaticChoice {
  std::string matrix, chosen, best;
  double to_best = 0;  ///< its time over that of the best; below 1 where it is faster
};

/// \brief How far `automatic` is from the best of ours: the variant of CSR among the variants of
/// CSR (`format` is `csr`), that of a block-circulant matrix likewise (`block_circulant`), or the
/// format among everything (`automatic`).
struct AutomaticSummary {
  std::string operation, scalar, format;
  int vectors = 1;
  std::vector<AutomaticChoice> matrices;

  int within_5_percent() const;
};

/// \brief What a report says over all its matrices. Products and iterations, not the transposition.
struct BenchSummary {
  std::vector<PeerSummary> to_peers;
  std::vector<AutomaticSummary> automatic;
};

BenchSummary summarize(const BenchReport& report);

}  // namespace Tomokkos::Bench
