// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules of `format: automatic` for rays, from measurements (docs/scans/computed.md). Pure
// functions.
#pragma once

#include <Tomokkos_Device.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <Tomokkos_ViewOrbits.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace Tomokkos {

/// \brief Time of products with computed entries on a GPU, in seconds for each pair of a pixel and
/// a view.
struct ComputedPairCosts {
  double forward, back;
};

/// \brief Returns the costs for the rays of \p rows on a GPU. Empty where they were not measured:
/// in `double`, and where entries are not stepped.
std::optional<ComputedPairCosts> gpu_computed_costs(const ScanRows& rows, std::size_t scalar_bytes);

/// \brief Number of pairs of a pixel and a view.
double pixel_view_pairs(const ScanRows& rows);

/// \brief Orbits of all views of a scan without vectors.
ViewOrbits orbits_of_views(const ScanRows& rows);

/// \brief Share of the time of products with all rows and \p vectors vectors that remains if they
/// use the symmetry of the scan, on a GPU; 1 without symmetry. See `ViewOrbits`.
double symmetry_share(const ScanRows& rows, int vectors);

/// \brief Decides whether the matrix of a scan is stored instead of computing its entries in every
/// product, on a GPU.
///
/// \param nonzeros number of nonzeros of the matrix, approximately
/// \pre the rows of \p task are those of a scan
/// \return why stored formats are kept; empty if computed entries are faster than all of them, as
///   measured on a GPU. Cases that were not measured keep stored formats.
std::optional<std::string> reason_against_computed(const SystemTask& task,
                                                   const MachineFacts& machine, double nonzeros);

/// \brief Format of the fastest run that was measured for the rays of \p task on a host:
/// `computed`, `scsr` or `csr`. On several ranks `csr`, for any rows. Empty for linear systems and
/// block-circulant matrices.
///
/// \param slices all slices, also those of a volume that is solved slab by slab
std::string_view fastest_on_host(const SystemTask& task, const MachineFacts& machine,
                                 Ordinal slices);

}  // namespace Tomokkos
