// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_IterationRecord.hpp>
#include <Tomokkos_StopRules.hpp>
#include <Tomokkos_Types.hpp>
#include <any>
#include <optional>
#include <vector>

namespace Tomokkos {

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

/// \brief Returns true when \p result was stopped by `WhiteNoise` although much of the data is not
/// explained (`WhiteNoise::doubtful_residual`).
inline bool is_doubtful(const SolveResult& result) {
  return result.reason == StopReason::white_residual &&
         result.relative_residual > WhiteNoise::doubtful_residual;
}

}  // namespace Tomokkos
