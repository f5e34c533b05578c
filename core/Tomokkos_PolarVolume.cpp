// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

namespace Tomokkos {
namespace {

std::string text(double value) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

void require_positive(const std::string& name, double value) {
  if (!(std::isfinite(value) && value > 0))
    throw Error("the " + name + " of the polar volume is " + text(value) +
                "; it must be positive and finite");
}

void require_count(const std::string& name, Ordinal count) {
  if (count < 1)
    throw Error("the polar volume has " + std::to_string(count) + " " + name +
                "; at least 1 is needed");
}

/// s_r before it is an integer.
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
  require_positive("radius", volume.radius);
  require_positive("height", volume.height);
  require_positive("aspect", volume.aspect);
  require_count("rings", volume.rings);
  require_count("slices", volume.slices);
  require_count("rotations", volume.rotations);
  const double least = std::min(volume.ring_width(), volume.thickness());
  const double most = std::max(volume.radius, volume.height);
  // Far from where rounding would decide what a ray meets.
  if (!(most <= 1e6 * least))
    throw Error("the polar volume has lengths from " + text(least) + " to " + text(most) +
                ", which are not comparable: a factor of 1e6 is allowed");
  if (!(least >= 1e-15 && most <= 1e15))
    throw Error("the polar volume has lengths from " + text(least) + " to " + text(most) +
                "; give them in a unit in which they lie between 1e-15 and 1e15");
  constexpr double most_voxels = std::numeric_limits<Ordinal>::max();
  double voxels = 0;
  for (Ordinal ring = 0; ring < volume.rings && voxels <= most_voxels; ++ring)
    voxels += sectors_wanted(volume, ring) * volume.rotations * volume.slices;
  if (!(voxels <= most_voxels))
    throw Error("a polar volume of " + std::to_string(volume.slices) + " slices x " +
                std::to_string(volume.rings) + " rings with " + std::to_string(volume.rotations) +
                " rotations at the aspect " + text(volume.aspect) +
                " has more voxels than a matrix has columns, which is " +
                std::to_string(std::numeric_limits<Ordinal>::max()) + " at most");
}

PolarGrid::PolarGrid(const PolarVolume& volume) : volume_(volume), first_column_(1, 0) {
  check(volume);
  first_column_.reserve(static_cast<std::size_t>(volume.rings) + 1);
  for (Ordinal ring = 0; ring < volume.rings; ++ring)
    first_column_.push_back(first_column_.back() + volume.sectors_per_rotation(ring));
}

Ordinal PolarGrid::index(const PolarVoxel& voxel) const {
  const Ordinal per_rotation = sectors_per_rotation(voxel.ring);
  const Ordinal column =
      voxel.slice * columns_per_slice() + first_column(voxel.ring) + voxel.sector % per_rotation;
  return column * blocks() + voxel.sector / per_rotation;
}

PolarVoxel PolarGrid::voxel(Ordinal index) const {
  const Ordinal column = index / blocks(), block = index % blocks();
  const Ordinal within = column % columns_per_slice();
  const auto next = std::upper_bound(first_column_.begin(), first_column_.end(), within);
  const auto ring = static_cast<Ordinal>(next - first_column_.begin()) - 1;
  return {column / columns_per_slice(), ring,
          block * sectors_per_rotation(ring) + (within - first_column(ring))};
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
  // Just below the x axis a turn less next to nothing rounds to a turn: the last sector.
  if (turn < 0) turn += 1;
  return index({slice, ring, cell(turn * sectors(ring), sectors(ring))});
}

}  // namespace Tomokkos
