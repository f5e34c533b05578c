// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>

namespace Tomokkos {

/// \brief Measurements of the iterate `x_k`. An empty member was not measured.
struct IterationRecord {
  /// Index k; 0 is the start.
  int iteration = 0;
  /// `|b - A x_k|`. CGLS, PCG, BiCGSTAB and GMRES: the residual of the recursion;
  /// `SolveResult::residual` is the true one.
  std::optional<double> residual;
  /// `residual / |b|`; for b = 0 it is 0 or infinite.
  std::optional<double> relative_residual;
  /// `|x_k - x_(k-1)|`.
  std::optional<double> change;
  /// `|x_k - x_(k-1)| / |x_k|`; 0 when both are 0.
  std::optional<double> relative_change;
  /// MLEM: log-likelihood `sum_i g_i log(y_i) - y_i` with the model `y = n (A x_k) + b`, over the
  /// rows that intersect the image.
  std::optional<double> log_likelihood;
  /// MLEM: `sum_i y_i` over the rows that intersect the image. Without an additive term it equals
  /// the sum of the data from the first iterate on.
  std::optional<double> model_counts;
  /// CGLS: `|A^T (b - A x_k) - damping^2 x_k|`.
  std::optional<double> gradient;
  /// PCG: `sqrt(r . M^-1 r)` with the residual r of the recursion.
  std::optional<double> preconditioned_residual;
  /// Distance between the cumulative periodogram of the residual and that of white noise
  /// (`WhiteNoise`).
  std::optional<double> ncp;
};

/// \brief Figure of a record: its key in reports (null: not reported) and its member.
struct RecordFigure {
  using Member = std::optional<double> IterationRecord::*;
  const char* key;
  Member member;
  bool only_at_checks = false;  ///< measured only at iterates that the host checks
};

/// \brief All figures of a record, in the order of reports. Checkpoints contain them.
inline constexpr std::array record_figures{
    RecordFigure{"residual", &IterationRecord::residual},
    RecordFigure{"relative_residual", &IterationRecord::relative_residual},
    RecordFigure{"preconditioned_residual", &IterationRecord::preconditioned_residual},
    RecordFigure{nullptr, &IterationRecord::change},
    RecordFigure{"relative_change", &IterationRecord::relative_change},
    RecordFigure{"log_likelihood", &IterationRecord::log_likelihood},
    RecordFigure{"model_counts", &IterationRecord::model_counts},
    RecordFigure{"gradient", &IterationRecord::gradient},
    RecordFigure{"ncp", &IterationRecord::ncp, true}};

}  // namespace Tomokkos
