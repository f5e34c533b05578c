// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ScanRows.hpp>
#include <cstddef>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Time of products with computed entries on a GPU, in seconds for each pair of a pixel and
/// a view.
struct ComputedPairCosts {
  double forward, back;
};

/// \brief Costs of the stepped products in `float`, without symmetry. Measured on an H200 with 1024
/// x 1024 pixels, 719 x 1024 rays and `line` (docs/scans/computed.md). With `linear` a parallel
/// beam takes up to 8 % less; a fan beam with `linear` was not measured.
inline constexpr ComputedPairCosts gpu_parallel_pair{0.48e-12, 0.51e-12},
    gpu_strip_pair{1.41e-12, 0.94e-12}, gpu_fan_pair{0.56e-12, 1.52e-12};

/// \brief Returns the costs for the rays of \p rows on a GPU. Empty where they were not measured:
/// in `double`, and where entries are not stepped.
std::optional<ComputedPairCosts> gpu_computed_costs(const ScanRows& rows, std::size_t scalar_bytes);

/// \brief Number of pairs of a pixel and a view.
double pixel_view_pairs(const ScanRows& rows);

/// \brief Share of the time of products with all rows and \p vectors vectors that remains if they
/// use the symmetry of the scan, on a GPU; 1 without symmetry. See `ViewOrbits`.
double symmetry_share(const ScanRows& rows, int vectors);

/// \brief Facts of a run on a GPU that decide whether the entries of a scan are computed or stored.
struct ComputedCriteria {
  std::size_t scalar_bytes = 4;
  /// The solver forms both products, and always with all rows.
  bool multiplies_all_rows = true;
  bool is_masked = false;
  Ordinal vectors = 1;
  double nonzeros = 0;  ///< of the matrix, approximately
};

/// \brief Decides whether `format: automatic` stores the matrix of a scan instead of computing its
/// entries in every product, on a GPU. `fastest_on_host` is the rule for hosts.
///
/// \return why stored formats are kept; empty if computed entries are faster than all of them, as
///   measured on a GPU. Cases that were not measured keep stored formats. Pure function.
std::optional<std::string> reason_against_computed(const ComputedCriteria& criteria,
                                                   const ScanRows& rows);

}  // namespace Tomokkos
