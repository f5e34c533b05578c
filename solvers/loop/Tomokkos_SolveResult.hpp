// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Types.hpp>
#include <any>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Why a solver stopped.
enum class StopReason {
  /// The true residual `b - A x` of the returned x passes `StopRules::relative_residual`; for CGLS
  /// also: x is the least-squares solution up to rounding.
  converged,
  /// The residual of the returned x has reached the noise: `StopRules::noise_level`.
  discrepancy,
  /// The last step was small: `StopRules::relative_change`.
  relative_change,
  /// All iterations that were asked for are done.
  max_iterations,
  /// x no longer changes, or its true residual no longer falls, and no rule is met.
  stagnated,
  /// The matrix is not positive definite (conjugate gradients): x is the iterate before that was
  /// found. Where its diagonal tells, `SolveResult::row` is the row.
  indefinite,
  /// The preconditioner is not positive definite (conjugate gradients).
  indefinite_preconditioner,
  /// The recursion cannot go on, not even anew from x, whose residual meets no rule (BiCGSTAB,
  /// GMRES): the directions that it needs do not exist, or the matrix is singular.
  breakdown,
  /// An infinity or a NaN appeared; `SolveResult::non_finite_iteration` says when.
  non_finite,
  /// The data are zero, x = 0 is the solution.
  zero_rhs,
  /// A diagonal entry is zero, or a block singular (diagonal preconditioners), that of
  /// `SolveResult::row`.
  zero_diagonal,
  /// The monitor asked for it.
  user_stop,
  /// The monitor reported an interruption from outside (a signal).
  interrupted,
  /// The residual is as white as it gets: `StopRules::ncp`.
  white_residual,
  /// No step further is sure to lessen the error: `StopRules::monotone_error`.
  monotone_error,
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
      {StopReason::monotone_error, "monotone_error"},
  }};
};

/// \brief What the first infinity or NaN came from.
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

/// \brief What was measured of the iterate `x_k`; a member without a value was not measured.
struct IterationRecord {
  /// k; 0 is the start.
  int iteration = 0;
  /// `|b - A x_k|` (CGLS, PCG, BiCGSTAB and GMRES: of their recursion; `SolveResult::residual` is
  /// the true one).
  std::optional<double> residual;
  /// `residual / |b|`; for b = 0 it is 0 or infinite.
  std::optional<double> relative_residual;
  /// `|x_k - x_(k-1)|`.
  std::optional<double> change;
  /// `|x_k - x_(k-1)| / |x_k|`; 0 when both are 0.
  std::optional<double> relative_change;
  /// MLEM: `sum_i g_i log(y_i) - y_i` with the model `y = n (A x_k) + b`, over the rows that see
  /// the image.
  std::optional<double> log_likelihood;
  /// MLEM: `sum_i y_i` of the same rows; without an additive term that of the data, from the first
  /// iterate on.
  std::optional<double> model_counts;
  /// CGLS: `|A^T (b - A x_k) - damping^2 x_k|`.
  std::optional<double> gradient;
  /// PCG: `sqrt(r . M^-1 r)` of its recursion.
  std::optional<double> preconditioned_residual;
  /// Distance of the residual's cumulative periodogram from that of white noise
  /// (`StopRules::ncp`).
  std::optional<double> ncp;
  /// What `StopRules::monotone_error` compares with the norm of the noise.
  std::optional<double> monotone_error;
};

/// \brief What a solver did. It speaks of the x that was returned.
struct SolveResult {
  StopReason reason = StopReason::max_iterations;
  /// Iterations (for ART: sweeps) that x has gone through.
  int iterations = 0;
  /// `|b - A x|`, formed anew from x, summed in double.
  double residual = 0;
  /// `residual / |b|`; for b = 0 it is 0 or infinite.
  double relative_residual = 0;
  /// `|b|`.
  double rhs_norm = 0;
  /// CGLS, PCG, BiCGSTAB, GMRES: `|b - A x|` as the recursion has it.
  std::optional<double> recursive_residual;
  /// First iterate that held an infinity or a NaN.
  std::optional<int> non_finite_iteration;
  /// What it came from, where the solver knows.
  std::optional<NonFiniteSource> non_finite_source;
  /// The row of the matrix that `reason` speaks of, if it does.
  std::optional<Ordinal> row;
  /// One record per iterate, the start included.
  std::vector<IterationRecord> history;
  /// Figures that only this solver has, in a struct of its own, and their description for a report.
  std::any of_solver;
  Description (*describe_of_solver)(const SolveResult&) = nullptr;

  /// \brief Sets what only this solver knows. `description_of(figures, result)` describes it.
  template <class Figures>
  void set_figures(const Figures& figures) {
    of_solver = figures;
    describe_of_solver = [](const SolveResult& result) {
      return description_of(*result.figures<Figures>(), result);
    };
  }
  /// \brief What only this solver knows as the struct that it is (`MlemFigures`, `ArtFigures`,
  /// `BlockArtFigures`); null where it is another one.
  template <class Figures>
  const Figures* figures() const {
    return std::any_cast<Figures>(&of_solver);
  }
};

}  // namespace Tomokkos
