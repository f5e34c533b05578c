// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Philox.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_SystemReport.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

namespace {

/// Iterations of the longest solve.
int most_iterations(const std::vector<SolveResult>& results) {
  int most = 0;
  for (const auto& result : results) most = std::max(most, result.last_iteration());
  return most;
}

}  // namespace

bool is_solved(const SolveResult& result) {
  return result.reason == StopReason::converged || result.reason == StopReason::discrepancy ||
         result.reason == StopReason::relative_change || result.reason == StopReason::zero_rhs;
}

std::string describe_results(const std::vector<SolveResult>& results) {
  const std::string text = describe_reasons(results, "right-hand sides");
  const double residual = largest_relative_residual(results);
  if (results.size() == 1)
    if (const SolveResult& result = results.front(); result.last_iteration() != result.iterations)
      return text + Impl::formatted(" at iteration %d; x is iterate %d, residual %.4g",
                                    result.last_iteration(), result.iterations, residual);
  return text +
         Impl::formatted(" after %d iterations, residual %.4g", most_iterations(results), residual);
}

Description summary_description(const std::vector<SolveResult>& results) {
  return Description::map()
      .set("right_hand_sides", results.size())
      .set("solved", std::count_if(results.begin(), results.end(), is_solved))
      .set("iterations", most_iterations(results))
      .set("largest_relative_residual", largest_relative_residual(results));
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

void SystemFacts::set_rhs(const ProblemSection& problem, const HostColumns& rhs) {
  rhs_name = problem.linear_rhs == LinearRhs::file   ? problem.rhs.filename().string()
             : problem.linear_rhs == LinearRhs::ones ? "ones"
                                                     : "random";
  rhs_columns = rhs.columns;
  rhs_norm = 0;
  // hypot avoids overflow and underflow of the squares.
  for (const double value : rhs.values) rhs_norm = std::hypot(rhs_norm, value);
}

template <class Scalar>
bool looks_symmetric(const HostCsrMatrix<Scalar>& A) {
  if (A.num_rows != A.num_cols) return false;
  CounterRandom random(1, 0);
  std::vector<double> u(static_cast<std::size_t>(A.num_rows)), v(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) {
    u[i] = random.uniform() + 0.5;
    v[i] = random.uniform() + 0.5;
  }
  double difference = 0, size = 0;
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k) {
      const auto column = static_cast<std::size_t>(A.columns(k));
      const auto value = static_cast<double>(A.values(k));
      difference += value * (u[row] * v[column] - u[column] * v[row]);
      size += std::abs(value);
    }
  }
  return std::abs(difference) <= 1e-12 * size;
}

std::string describe_system(const SystemFacts& facts, std::int64_t rows, std::int64_t columns,
                            std::int64_t nonzeros) {
  std::string text = "system: " + std::to_string(rows) + " x " + std::to_string(columns) + ", " +
                     std::to_string(nonzeros) + " nonzeros";
  if (facts.is_symmetric) text += *facts.is_symmetric ? ", symmetric" : ", not symmetric";
  text += ", right-hand side " + facts.rhs_name;
  if (facts.rhs_columns > 1) text += " (" + std::to_string(facts.rhs_columns) + " columns)";
  return text + Impl::formatted(" of norm %.4g", facts.rhs_norm);
}

Description system_description(const SystemFacts& facts) {
  return describe_map({{"symmetric", facts.is_symmetric},
                       {"rhs", facts.rhs_name},
                       {"rhs_columns", facts.rhs_columns},
                       {"rhs_norm", facts.rhs_norm}},
                      true);
}

#define TOMOKKOS_INSTANTIATE(Scalar) template bool looks_symmetric(const HostCsrMatrix<Scalar>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
