// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SystemReport.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

/// Iterations of the longest solve.
int most_iterations(const std::vector<SolveResult>& results) {
  int most = 0;
  for (const auto& result : results) most = std::max(most, result.last_iteration());
  return most;
}

}  // namespace

std::string describe_fault(const SystemFault& fault, Ordinal row) {
  std::string text = "row " + std::to_string(row + 1) + " (the first is 1): ";
  if (fault.reason == StopReason::zero_diagonal)
    return text +
           "the preconditioner cannot use the diagonal: the entry is zero or too small for a "
           "reciprocal, or its block is singular; if this is intended, choose "
           "solver.preconditioner: none";
  if (fault.reason == StopReason::non_finite) return text + "the diagonal entry is not finite";
  return text + "the diagonal is not positive, so the matrix is not positive definite";
}

bool is_solved(const SolveResult& result) {
  return result.reason == StopReason::converged || result.reason == StopReason::discrepancy ||
         result.reason == StopReason::relative_change || result.reason == StopReason::zero_rhs;
}

std::string describe_results(const std::vector<SolveResult>& results) {
  std::string text;
  if (results.size() == 1) {
    text = to_string(results.front().reason);
  } else {
    text = std::to_string(results.size()) + " right-hand sides: ";
    for (const auto& [reason, name] : EnumNames<StopReason>::names) {
      const StopReason wanted = reason;
      const auto count = std::count_if(results.begin(), results.end(),
                                       [&](const auto& r) { return r.reason == wanted; });
      if (count > 0) text += std::string(name) + " " + std::to_string(count) + ", ";
    }
    text.resize(text.size() - 2);
  }
  const bool is_single = results.size() == 1;
  const double residual = largest_relative_residual(results);
  if (is_single && results.front().last_iteration() != results.front().iterations)
    return text + Impl::formatted(" at iteration %d; x is iterate %d, residual %.4g",
                                  results.front().last_iteration(), results.front().iterations,
                                  residual);
  return text +
         Impl::formatted(" after %d iterations, residual %.4g", most_iterations(results), residual);
}

Description summary_description(const std::vector<SolveResult>& results) {
  Description described = Description::map();
  const auto solved = std::count_if(results.begin(), results.end(), is_solved);
  described.set("right_hand_sides", results.size());
  described.set("solved", solved);
  described.set("iterations", most_iterations(results));
  described.set("largest_relative_residual", largest_relative_residual(results));
  return described;
}

Description results_description(const std::vector<SolveResult>& results) {
  Description described = Description::list(false);
  for (const auto& result : results) {
    Description entry = result_description(result, {});
    set_history(entry, result, {});
    described.add(std::move(entry));
  }
  return described;
}

}  // namespace Tomokkos
