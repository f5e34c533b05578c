// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of linear systems and of their solutions, for users and for the report.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_SolveLinear.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Facts about a linear system that are known before it is solved.
struct SystemFacts {
  std::optional<bool> is_symmetric;  ///< empty: not checked
  std::size_t rhs_columns = 1;
  double rhs_norm = 0;  ///< norm of all columns together
  std::string rhs_name;

  /// \brief Stores the source, the number of columns and the norm of \p rhs.
  void set_rhs(const ProblemSection& problem, const HostColumns& rhs);
};

/// \brief True when u^T A v = v^T A u up to rounding for two random vectors: one pass over the
/// entries of a square matrix, on the calling thread. Two different matrices pass only by chance.
template <class Scalar>
bool looks_symmetric(const HostCsrMatrix<Scalar>& A);

/// \brief Describes a system on one line: `system: 200 x 200, 598 nonzeros, symmetric, right-hand
/// side b.mtx of norm 1.3`
std::string describe_system(const SystemFacts& facts, std::int64_t rows, std::int64_t columns,
                            std::int64_t nonzeros);

/// \brief Facts for the report: `{symmetric, rhs, rhs_columns, rhs_norm}`.
Description system_description(const SystemFacts& facts);

/// \brief True if x satisfies a stopping rule for a solution.
bool is_solved(const SolveResult& result);

/// \brief Describes results: `converged after 12 iterations, residual 1e-7`, or `breakdown at
/// iteration 1356; x is iterate 0, residual 1` if x is an earlier iterate. For several right-hand
/// sides: the number for each stop reason, the most iterations and the largest residual.
std::string describe_results(const std::vector<SolveResult>& results);

/// \brief Summary of several right-hand sides: their number, how many are solved, most iterations,
/// largest residual.
Description summary_description(const std::vector<SolveResult>& results);

/// \brief Result and history of each of several right-hand sides.
Description results_description(const std::vector<SolveResult>& results);

}  // namespace Tomokkos
