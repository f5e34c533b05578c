// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseComputed.hpp>
#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_ViewOrbits.hpp>
#include <algorithm>
#include <numeric>
#include <vector>

namespace Tomokkos {

namespace {

/// Time of both products with ray tiles, in seconds for each nonzero: 2.11 ms for the 680 million
/// nonzeros of `ct_1024` of configs/bench_scans.yaml on an H100, in float, without halves. No other
/// stored format of the whole matrix is faster there.
constexpr double ray_tiles_entry = 3.1e-12;
/// Share of the time of ray tiles that computed entries must stay below.
constexpr double clearly_faster = 0.9;
/// Pairs of a pixel and a view of the smallest scan that was measured, 512 x 512 pixels and 720
/// views.
constexpr double least_pairs = 512.0 * 512 * 720;
/// Widest elements that were measured, in pixels. Windows of wider ones do not fit.
constexpr double widest_element = 1.5;
/// Least distance of the source of a fan beam from the axis, in radii of the image. Measured: 2.1.
constexpr double least_source_radii = 2;

/// Width of an element at the axis, in pixels.
double element_width(const ScanRows& rows) {
  const ScanGeometry& scan = rows.scan;
  const double magnification =
      scan.beam == Beam::fan
          ? (scan.source_to_origin + scan.origin_to_detector) / scan.source_to_origin
          : 1.0;
  return scan.detector_width / (magnification * rows.volume.pixel);
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

double symmetry_share(const ScanRows& rows, int vectors) {
  if (rows.scan.has_vectors()) return 1;
  std::vector<Ordinal> views(static_cast<std::size_t>(rows.scan.views.count()));
  std::iota(views.begin(), views.end(), Ordinal{0});
  const ViewOrbits orbits = find_view_orbits(rows.volume, rows.scan, views);
  constexpr double copies = 1.1;  // images besides the products
  return std::min(1.0, copies * orbits.cost(vectors) / orbits.cost_of_all(vectors));
}

double pixel_view_pairs(const ScanRows& rows) {
  return static_cast<double>(rows.volume.num_pixels()) * rows.scan.views.count();
}

std::optional<std::string> reason_against_computed(const ComputedCriteria& criteria,
                                                   const ScanRows& rows) {
  if (criteria.scalar_bytes != sizeof(float)) return "they were timed in float only";
  if (criteria.vectors > 1) return "they were timed with one slice only";
  if (!criteria.multiplies_all_rows)
    return "they were timed only in products with all rows, both ways";
  if (criteria.is_masked) return "they were not timed with masks";
  const auto costs = gpu_computed_costs(rows, criteria.scalar_bytes);
  if (!costs || rows.scan.has_vectors() || !rows.volume.has_square_pixels())
    return "they were not timed in this geometry and with this projector";
  // Twice the rounding of a division.
  if (element_width(rows) < 1 - 1e-12)
    return "they were not timed with elements narrower than a pixel";
  if (element_width(rows) > widest_element)
    return "they were not timed with elements wider than 1.5 pixels";
  if (rows.scan.beam == Beam::fan &&
      rows.scan.source_to_origin < least_source_radii * rows.volume.radius())
    return "they were not timed with a source so close to the image";
  const double pairs = pixel_view_pairs(rows);
  if (pairs < least_pairs)
    return Impl::formatted(
        "they were timed only from %.3g pairs of a pixel and a view on; this scan has %.3g",
        least_pairs, pairs);
  const double computed = (costs->forward + costs->back) * pairs * symmetry_share(rows, 1);
  const double stored = ray_tiles_entry * criteria.nonzeros;
  if (computed < clearly_faster * stored) return std::nullopt;
  return Impl::formatted("both products are expected to take %.2g s, with ray tiles %.2g", computed,
                         stored);
}

}  // namespace Tomokkos
