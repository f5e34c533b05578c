// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>
#include <any>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Reason why a solver stopped.
enum class StopReason {
  /// The true residual `b - A x` of the returned x satisfies `StopRules::relative_residual`. CGLS
  /// uses this reason also if x is the least-squares solution up to rounding.
  converged,
  /// The residual of the returned x has reached the noise level (`StopRules::noise_level`).
  discrepancy,
  /// The last step was small (`StopRules::relative_change`).
  relative_change,
  /// All requested iterations are done.
  max_iterations,
  /// x no longer changes, or its true residual no longer decreases, and no rule is satisfied.
  stagnated,
  /// The matrix is not positive definite (conjugate gradients). If the diagonal shows it,
  /// `SolveResult::row` is the row.
  indefinite,
  /// The preconditioner is not positive definite (conjugate gradients).
  indefinite_preconditioner,
  /// The recursion cannot continue, not even after a restart from x, and the residual of x
  /// satisfies no rule (BiCGSTAB, GMRES). The search directions it needs do not exist, or the
  /// matrix is singular.
  breakdown,
  /// An infinity or a NaN appeared; `SolveResult::non_finite_iteration` is the iterate.
  non_finite,
  /// The data are zero; the solution is x = 0.
  zero_rhs,
  /// A diagonal entry is zero, or a diagonal block is singular (diagonal preconditioners).
  /// `SolveResult::row` is the row.
  zero_diagonal,
  /// The monitor requested a stop.
  user_stop,
  /// The monitor reported an interruption from outside (a signal).
  interrupted,
  /// The whiteness of the residual has passed its best value (`StopRules::ncp`).
  white_residual,
  /// The residual has grown far beyond the first one (`StopRules::divergence`).
  diverged,
};

template <>
struct EnumNames<StopReason> {
  static constexpr std::array<std::pair<StopReason, std::string_view>, 15> names{{
      {StopReason::converged, "converged"},
      {StopReason::discrepancy, "discrepancy"},
      {StopReason::relative_change, "relative_change"},
      {StopReason::max_iterations, "max_iterations"},
      {StopReason::stagnated, "stagnated"},
      {StopReason::indefinite, "indefinite"},
      {StopReason::indefinite_preconditioner, "indefinite_preconditioner"},
      {StopReason::breakdown, "breakdown"},
      {StopReason::non_finite, "non_finite"},
      {StopReason::zero_rhs, "zero_rhs"},
      {StopReason::zero_diagonal, "zero_diagonal"},
      {StopReason::user_stop, "user_stop"},
      {StopReason::interrupted, "interrupted"},
      {StopReason::white_residual, "white_residual"},
      {StopReason::diverged, "diverged"},
  }};
};

/// \brief True for the reasons after which a solver of systems returns the iterate with the
/// smallest true residual among the last, the best checked one and the start: the solve has failed,
/// or has used up its iterations.
constexpr bool returns_best_iterate(StopReason reason) {
  switch (reason) {
    case StopReason::max_iterations:
    case StopReason::stagnated:
    case StopReason::indefinite:
    case StopReason::indefinite_preconditioner:
    case StopReason::breakdown:
    case StopReason::non_finite:
    case StopReason::diverged:
      return true;
    default:
      return false;
  }
}

/// \brief Origin of the first infinity or NaN.
enum class NonFiniteSource {
  /// The diagonal of the matrix.
  diagonal,
  /// A product with the matrix.
  product,
  /// The preconditioner.
  preconditioner,
};

template <>
struct EnumNames<NonFiniteSource> {
  static constexpr std::array<std::pair<NonFiniteSource, std::string_view>, 3> names{{
      {NonFiniteSource::diagonal, "diagonal"},
      {NonFiniteSource::product, "product"},
      {NonFiniteSource::preconditioner, "preconditioner"},
  }};
};

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
  /// (`StopRules::ncp`).
  std::optional<double> ncp;
};

/// \brief Outcome of a solve. All values refer to the returned x.
struct SolveResult {
  StopReason reason = StopReason::max_iterations;
  /// Number of iterations (ART: sweeps) that led to x. `last_iteration` is larger if x is an
  /// earlier iterate.
  int iterations = 0;
  /// `|b - A x|`, computed from x at the end, summed in double.
  double residual = 0;
  /// `residual / |b|`; for b = 0 it is 0 or infinite.
  double relative_residual = 0;
  /// `|b|`.
  double rhs_norm = 0;
  /// CGLS, PCG, BiCGSTAB, GMRES: `|b - A x|` according to the recursion.
  std::optional<double> recursive_residual;
  /// First iterate with an infinity or a NaN.
  std::optional<int> non_finite_iteration;
  /// Origin of the infinity or NaN, if the solver knows it.
  std::optional<NonFiniteSource> non_finite_source;
  /// Row of the matrix to which `reason` refers; empty: no particular row.
  std::optional<Ordinal> row;
  /// One record per iterate, including the start. A long solve keeps some (`KeptRecords`).
  std::vector<IterationRecord> history;
  /// Figures that only this solver has, in a struct of its own, and the function that describes
  /// them for a report.
  std::any solver_figures;
  Description (*describe_solver_figures)(const SolveResult&) = nullptr;

  /// \brief Iterate at which the solve has ended. A solver of systems that has failed may return an
  /// earlier one (`returns_best_iterate`).
  int last_iteration() const { return history.empty() ? iterations : history.back().iteration; }

  /// \brief Stores the figures that only this solver has. `description_of(figures, result)`
  /// describes them.
  template <class Figures>
  void set_figures(const Figures& figures) {
    solver_figures = figures;
    describe_solver_figures = [](const SolveResult& result) {
      return description_of(*result.figures<Figures>(), result);
    };
  }
  /// \brief Returns the solver's own figures as the struct `Figures` (`MlemFigures`, `ArtFigures`,
  /// `BlockArtFigures`); null if the solver stored another type.
  template <class Figures>
  const Figures* figures() const {
    return std::any_cast<Figures>(&solver_figures);
  }
};

}  // namespace Tomokkos
