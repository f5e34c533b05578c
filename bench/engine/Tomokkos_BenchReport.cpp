// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

double BenchResult::gigabytes_per_second() const {
  return seconds_median > 0 ? 1e-9 * static_cast<double>(bytes_model) / seconds_median : 0.0;
}

std::optional<double> BenchResult::gigaflops_per_second() const {
  if (operations <= 0 || seconds_median <= 0) return std::nullopt;
  return 1e-9 * operations / seconds_median;
}

std::optional<double> BenchResult::gigaflops_best() const {
  if (operations <= 0 || seconds_best <= 0) return std::nullopt;
  return 1e-9 * operations / seconds_best;
}

std::optional<double> BenchReport::share_of_bandwidth(const BenchResult& result) const {
  if (bandwidth.reference <= 0) return std::nullopt;
  if (result.footprint_bytes < 3 * machine.last_cache_bytes) return std::nullopt;
  return result.gigabytes_per_second() / bandwidth.reference;
}

std::optional<double> BenchReport::common_share(const BenchResult& result) const {
  const auto share = share_of_bandwidth(result);
  if (!result.solve || !share || result.bytes_model == 0) return std::nullopt;
  return *share * static_cast<double>(result.solve->common_bytes) /
         static_cast<double>(result.bytes_model);
}

std::optional<double> BenchReport::overhead_share(const BenchResult& result) {
  if (!result.solve || result.seconds_median <= 0) return std::nullopt;
  return 1 - result.solve->product_seconds / result.seconds_median;
}

const MatrixInfo* BenchReport::find_matrix(const std::string& name) const {
  for (const MatrixInfo& matrix : matrices)
    if (matrix.name == name) return &matrix;
  return nullptr;
}

std::optional<double> BenchReport::bytes_per_nonzero(const BenchResult& result) const {
  const MatrixInfo* matrix = find_matrix(result.name.matrix);
  if (matrix == nullptr || matrix->rows.nonzeros == 0) return std::nullopt;
  return static_cast<double>(result.bytes_model) / static_cast<double>(matrix->rows.nonzeros);
}

std::optional<double> BenchReport::nonzeros_per_second(const BenchResult& result) const {
  const MatrixInfo* matrix = find_matrix(result.name.matrix);
  if (matrix == nullptr || result.seconds_median <= 0) return std::nullopt;
  return static_cast<double>(matrix->rows.nonzeros) / result.seconds_median;
}

}  // namespace Tomokkos::Bench
