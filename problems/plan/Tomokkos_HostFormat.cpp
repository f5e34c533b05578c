// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_HostFormat.hpp>
#include <Tomokkos_OrderNames.hpp>

namespace Tomokkos {
namespace {

/// Rays that the products computed at once where they were measured.
constexpr int least_rays_at_once = 16;
/// Widest elements that were measured, in pixels. Narrower ones than a pixel are computed slowly.
constexpr double widest_computed_element = 1.5;
/// Pixels of the smallest image whose entries of `line`, which are computed exactly in the views
/// along the axes, were as fast as stored ones.
constexpr std::int64_t least_line_pixels = 256 * 256;

/// True if the products of a scan whose entries are computed were measured to be as fast as stored
/// ones.
bool computes_fast(const ScanRows& rows, const MachineFacts& machine) {
  const double width = rows.scan.detector_width / rows.volume.pixel;
  // Twice the rounding of a division.
  const bool has_width = width >= 1 - 1e-12 && width <= widest_computed_element;
  return machine.scalar_bytes == sizeof(float) && machine.rays_at_once >= least_rays_at_once &&
         rows.scan.beam == Beam::parallel && !rows.scan.has_vectors() && has_width &&
         has_stepped_products(rows.volume, rows.scan, rows.projector);
}

}  // namespace

std::string_view fastest_on_host(const SystemTask& task, const MachineFacts& machine,
                                 Ordinal slices) {
  const SolverNeeds& needs = task.needs;
  if (!task.rows_are_rays || traits_of(task.rows).is_circulant) return {};
  const auto* const rows = std::get_if<ScanRows>(&task.rows);
  // Single rows are computed twice in a visit. A requested order is one of stored rows.
  if (rows == nullptr || needs.rows || !needs.transpose ||
      task.wish.ordering != default_ordering(needs.subsets))
    return "csr";
  const bool computes = computes_fast(*rows, machine);
  if (computes && rows->projector != Projector::line) return "computed";
  if (needs.multiplies_all_rows() && !task.masks.any() && slices == 1 &&
      rows->count_symmetric({}) > 0)
    return "scsr";
  return computes && rows->volume.num_pixels() >= least_line_pixels ? "computed" : "csr";
}

}  // namespace Tomokkos
