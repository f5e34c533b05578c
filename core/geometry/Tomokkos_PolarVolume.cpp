// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_NumberText.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace Tomokkos {
namespace {

void require_length(const std::string& name, double value) {
  if (!(std::isfinite(value) && value > 0))
    throw Refused("the " + name + " of the polar volume is " + Impl::number_text(value) +
                  "; it must be positive and finite");
}

void require_count(const std::string& name, Ordinal count) {
  if (count < 1)
    throw Refused(Impl::text("the polar volume has {} {}; at least 1 is needed", count, name));
}

/// s_r before rounding to an integer.
double sectors_wanted(const PolarVolume& volume, Ordinal ring) {
  const double arcs =
      2 * std::numbers::pi * (ring + 0.5) / (static_cast<double>(volume.rotations) * volume.aspect);
  return std::max(std::floor(arcs + 0.5), std::ceil(3.0 / volume.rotations));
}

}  // namespace

Ordinal PolarVolume::sectors_per_rotation(Ordinal ring) const {
  return static_cast<Ordinal>(sectors_wanted(*this, ring));
}

void check(const PolarVolume& volume) {
  require_length("radius", volume.radius);
  require_length("height", volume.height);
  require_length("aspect", volume.aspect);
  require_count("rings", volume.rings);
  require_count("slices", volume.slices);
  require_count("rotations", volume.rotations);
  const double least = std::min(volume.ring_width(), volume.thickness());
  const double most = std::max(volume.radius, volume.height);
  // Ensures that rounding cannot decide which voxels a ray intersects.
  if (!(most <= 1e6 * least))
    throw Refused("the polar volume has lengths from " + Impl::number_text(least) + " to " +
                  Impl::number_text(most) +
                  ", which are not comparable: a factor of 1e6 is allowed");
  if (!(least >= 1e-15 && most <= 1e15))
    throw Refused("the polar volume has lengths from " + Impl::number_text(least) + " to " +
                  Impl::number_text(most) +
                  "; give them in a unit in which they lie between 1e-15 and 1e15");
  constexpr double most_voxels = std::numeric_limits<Ordinal>::max();
  double voxels = 0;
  for (Ordinal ring = 0; ring < volume.rings && voxels <= most_voxels; ++ring)
    voxels += sectors_wanted(volume, ring) * volume.rotations * volume.slices;
  if (!(voxels <= most_voxels))
    throw Refused(
        Impl::text("a polar volume of {} slices x {} rings with {} rotations at the aspect {} has "
                   "more voxels than a matrix can have columns; the limit is {}",
                   volume.slices, volume.rings, volume.rotations, Impl::number_text(volume.aspect),
                   std::numeric_limits<Ordinal>::max()));
}

PolarGrid::PolarGrid(const PolarVolume& volume)
    : volume_(volume), rings_(static_cast<std::size_t>(std::max<Ordinal>(volume.rings, 0))) {
  check(volume);
  Ordinal outside = 0;  // columns of the preceding groups
  for (Ordinal end = volume.rings; end > 0; end -= std::min(end, ring_group)) {
    const Ordinal begin = end - std::min(end, ring_group);
    Ordinal within = 0;
    for (Ordinal ring = end - 1; ring >= begin; --ring) {
      RingColumns& columns = rings_[static_cast<std::size_t>(ring)];
      columns.first = outside + within;
      columns.sectors = volume.sectors_per_rotation(ring);
      within += columns.sectors;
    }
    for (Ordinal ring = begin; ring < end; ++ring)
      rings_[static_cast<std::size_t>(ring)].of_slice = within;
    outside += volume.slices * within;
    columns_per_slice_ += within;
  }
}

Ordinal PolarGrid::index(const PolarVoxel& voxel) const {
  const RingColumns& ring = columns_of(voxel.ring);
  const Ordinal column = ring.first + voxel.slice * ring.of_slice + voxel.sector % ring.sectors;
  return column * blocks() + voxel.sector / ring.sectors;
}

PolarVoxel PolarGrid::voxel(Ordinal index) const {
  const Ordinal column = index / blocks(), block = index % blocks();
  // First in-sector column of a group: the first column of its outermost ring.
  const auto first_in_group = [&](Ordinal group) {
    return columns_of(volume_.rings - 1 - group * ring_group).first;
  };
  Ordinal low = 0, high = (volume_.rings - 1) / ring_group + 1;
  while (high - low > 1) {
    const Ordinal middle = low + (high - low) / 2;
    (first_in_group(middle) <= column ? low : high) = middle;
  }
  const Ordinal begin = first_in_group(low);
  Ordinal ring = volume_.rings - 1 - low * ring_group;
  const Ordinal innermost = std::max<Ordinal>(ring - ring_group + 1, 0);
  const Ordinal of_slice = columns_of(ring).of_slice;
  const Ordinal slice = (column - begin) / of_slice, within = (column - begin) % of_slice;
  while (ring > innermost && columns_of(ring - 1).first - begin <= within) --ring;
  const Ordinal c = within - (columns_of(ring).first - begin);
  return {slice, ring, block * sectors_per_rotation(ring) + c};
}

std::array<double, 3> PolarGrid::center(const PolarVoxel& voxel) const {
  const double radius = (voxel.ring + 0.5) * volume_.ring_width();
  const double angle = 2 * std::numbers::pi * (voxel.sector + 0.5) / sectors(voxel.ring);
  return {radius * std::cos(angle), radius * std::sin(angle),
          (voxel.slice - 0.5 * (volume_.slices - 1.0)) * volume_.thickness()};
}

double PolarGrid::voxel_volume(Ordinal ring) const {
  const double width = volume_.ring_width();
  return 2 * std::numbers::pi * (ring + 0.5) * width * width * volume_.thickness() / sectors(ring);
}

std::optional<Ordinal> PolarGrid::index_at(double x, double y, double z) const {
  const double radius = std::hypot(x, y);
  if (!(radius <= volume_.radius && std::fabs(z) <= 0.5 * volume_.height)) return std::nullopt;
  const auto cell = [](double position, Ordinal count) {
    return std::clamp(static_cast<Ordinal>(std::floor(position)), Ordinal{0}, count - 1);
  };
  const Ordinal ring = cell(radius / volume_.ring_width(), volume_.rings);
  const Ordinal slice = cell(z / volume_.thickness() + 0.5 * volume_.slices, volume_.slices);
  double turn = std::atan2(y, x) / (2 * std::numbers::pi);
  // A turn minus a tiny angle just below the x axis rounds to a whole turn, which would be the
  // first sector. It belongs to the last one.
  if (turn < 0) turn += 1;
  return index({slice, ring, cell(turn * sectors(ring), sectors(ring))});
}

}  // namespace Tomokkos
