// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DescribeSystem.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_Philox.hpp>
#include <cmath>

namespace Tomokkos {

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
  Description result = Description::map(true);
  result.set("symmetric", facts.is_symmetric);
  result.set("rhs", facts.rhs_name);
  result.set("rhs_columns", facts.rhs_columns);
  result.set("rhs_norm", facts.rhs_norm);
  return result;
}

#define TOMOKKOS_INSTANTIATE(Scalar) template bool looks_symmetric(const HostCsrMatrix<Scalar>&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
