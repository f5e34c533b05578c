// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_Formatted.hpp>
#include <algorithm>
#include <numeric>
#include <vector>

namespace Tomokkos {
namespace {

/// Costs of the stepped products in `float`, without symmetry. Measured on an H200 with 1024 x 1024
/// pixels, 719 x 1024 rays and `line` (docs/scans/computed.md). With `linear` a parallel beam takes
/// up to 8 % less; a fan beam with `linear` was not measured.
constexpr ComputedPairCosts gpu_parallel_pair{0.48e-12, 0.51e-12},
    gpu_strip_pair{1.41e-12, 0.94e-12}, gpu_fan_pair{0.56e-12, 1.52e-12};
/// Time of both products with ray tiles, in seconds for each nonzero: 2.11 ms for the 680 million
/// nonzeros of `ct_1024` of configs/bench_scans.yaml on an H100, in float, without halves. No other
/// stored format of the whole matrix is faster there.
constexpr double ray_tiles_entry = 3.1e-12;
/// Share of the time of ray tiles that computed entries must stay below.
constexpr double clearly_faster = 0.9;
/// Pairs of a pixel and a view of the smallest scan that was measured, 512 x 512 pixels and 720
/// views.
constexpr double least_pairs = 512.0 * 512 * 720;
/// Narrowest and widest elements that were measured, in pixels. Narrower ones are computed slowly
/// on a host; windows of wider ones do not fit on a GPU. The first has twice the rounding of a
/// division.
constexpr double narrowest_element = 1 - 1e-12, widest_element = 1.5;
/// Least distance of the source of a fan beam from the axis, in radii of the image. Measured: 2.1.
constexpr double least_source_radii = 2;
/// Rays that the products on a host computed at once where they were measured.
constexpr int least_rays_at_once = 16;
/// Pixels of the smallest image whose entries of `line`, which are computed exactly in the views
/// along the axes, were as fast as stored ones on a host.
constexpr std::int64_t least_line_pixels = 256 * 256;

/// Width of an element at the axis, in pixels.
double element_width(const ScanRows& rows) {
  const ScanGeometry& scan = rows.scan;
  const double magnification =
      scan.beam == Beam::fan
          ? (scan.source_to_origin + scan.origin_to_detector) / scan.source_to_origin
          : 1.0;
  return scan.detector_width / (magnification * rows.volume.pixel);
}

/// True if the products of a scan whose entries are computed were measured to be as fast as stored
/// ones on a host.
bool computes_fast(const ScanRows& rows, const MachineFacts& machine) {
  const double width = rows.scan.detector_width / rows.volume.pixel;
  return machine.scalar_bytes == sizeof(float) && machine.rays_at_once >= least_rays_at_once &&
         rows.scan.beam == Beam::parallel && !rows.scan.has_vectors() &&
         width >= narrowest_element && width <= widest_element &&
         has_stepped_products(rows.volume, rows.scan, rows.projector);
}

}  // namespace

std::optional<ComputedPairCosts> gpu_computed_costs(const ScanRows& rows,
                                                    std::size_t scalar_bytes) {
  if (scalar_bytes != sizeof(float) ||
      !has_stepped_products(rows.volume, rows.scan, rows.projector))
    return std::nullopt;
  if (rows.projector == Projector::strip) return gpu_strip_pair;
  return rows.scan.beam == Beam::fan ? gpu_fan_pair : gpu_parallel_pair;
}

ViewOrbits orbits_of_views(const ScanRows& rows) {
  std::vector<Ordinal> views(static_cast<std::size_t>(rows.scan.views.count()));
  std::iota(views.begin(), views.end(), Ordinal{0});
  return find_view_orbits(rows.volume, rows.scan, views);
}

double symmetry_share(const ScanRows& rows, int vectors) {
  if (rows.scan.has_vectors()) return 1;
  const ViewOrbits orbits = orbits_of_views(rows);
  constexpr double copies = 1.1;  // images besides the products
  return std::min(1.0, copies * orbits.cost(vectors) / orbits.cost_of_all(vectors));
}

double pixel_view_pairs(const ScanRows& rows) {
  return static_cast<double>(rows.volume.num_pixels()) * rows.scan.views.count();
}

std::optional<std::string> reason_against_computed(const SystemTask& task,
                                                   const MachineFacts& machine, double nonzeros) {
  const auto& rows = std::get<ScanRows>(task.rows);
  if (machine.scalar_bytes != sizeof(float)) return "they were timed in float only";
  if (task.needs.vectors > 1) return "they were timed with one slice only";
  if (!task.needs.multiplies_all_rows())
    return "they were timed only in products with all rows, both ways";
  if (task.masks.any()) return "they were not timed with masks";
  const auto costs = gpu_computed_costs(rows, machine.scalar_bytes);
  if (!costs || rows.scan.has_vectors() || !rows.volume.has_square_pixels())
    return "they were not timed in this geometry and with this projector";
  const double width = element_width(rows);
  if (width < narrowest_element) return "they were not timed with elements narrower than a pixel";
  if (width > widest_element) return "they were not timed with elements wider than 1.5 pixels";
  if (rows.scan.beam == Beam::fan &&
      rows.scan.source_to_origin < least_source_radii * rows.volume.radius())
    return "they were not timed with a source so close to the image";
  const double pairs = pixel_view_pairs(rows);
  if (pairs < least_pairs)
    return Impl::formatted(
        "they were timed only from %.3g pairs of a pixel and a view on; this scan has %.3g",
        least_pairs, pairs);
  const double computed = (costs->forward + costs->back) * pairs * symmetry_share(rows, 1);
  const double stored = ray_tiles_entry * nonzeros;
  if (computed < clearly_faster * stored) return std::nullopt;
  return Impl::formatted("both products are expected to take %.2g s, with ray tiles %.2g", computed,
                         stored);
}

std::string_view fastest_on_host(const SystemTask& task, const MachineFacts& machine,
                                 Ordinal slices) {
  const SolverNeeds& needs = task.needs;
  // Only csr forms the image in slabs, whose sums over the ranks overlap with the next product.
  if (task.share.ranks > 1) return "csr";
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
