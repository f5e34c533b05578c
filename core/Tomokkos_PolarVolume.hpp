// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <array>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief A cylinder around the z axis, centred on the origin and cut into polar voxels: \p slices
/// along z, slice 0 at the smallest z, each cut into \p rings of equal width, each of these into
/// equal sectors.
///
/// Ring r, 0 in the middle, has k s_r sectors, k = \p rotations: turned by a k-th of a turn the
/// volume looks as before. s_r is the whole number next to 2 pi (r + 1/2) / (k aspect), at least 1:
/// so voxels are about \p aspect times as wide, along the arc, as their ring is, and narrower near
/// the axis. Sectors are counted counter-clockwise, the first one begins at angle 0 (the x axis).
/// See docs/scanners.md.
struct PolarVolume {
  double radius = 0.0;  ///< in the length unit of the scan
  double height = 0.0;  ///< along z
  Ordinal rings = 0;
  Ordinal slices = 0;
  Ordinal rotations = 0;  ///< k, the views of a scan
  double aspect = 1.0;    ///< width of a voxel along the arc over the width of its ring

  double ring_width() const { return radius / rings; }
  double thickness() const { return height / slices; }

  /// \brief Radius of circle \p index, between rings index - 1 and index. Exact at both ends.
  double circle(Ordinal index) const { return static_cast<double>(index) / rings * radius; }

  /// \brief z of plane \p index, between slices index - 1 and index. Planes on both sides of the
  /// middle are mirror images.
  double plane(Ordinal index) const { return (index - 0.5 * slices) * thickness(); }

  /// \brief s_r of ring \p ring. At least 3 / k, too: a sector is smaller than half a turn.
  Ordinal sectors_per_rotation(Ordinal ring) const;

  friend bool operator==(const PolarVolume&, const PolarVolume&) = default;
};

/// \brief Throws `Error` naming the number that is wrong: a count under 1, a length or aspect that
/// is not positive and finite, lengths that are not comparable (a factor of 1e6), more voxels than
/// `Ordinal` can index.
void check(const PolarVolume& volume);

/// \brief Where a polar voxel lies: sector q of its ring, counted all around.
struct PolarVoxel {
  Ordinal slice = 0;
  Ordinal ring = 0;
  Ordinal sector = 0;

  friend bool operator==(const PolarVoxel&, const PolarVoxel&) = default;
};

/// \brief The voxels of a polar volume and their numbers.
///
/// Sector q of ring r is sub-sector c = q mod s_r of block j = q / s_r. Its in-sector column is
///
/// ```
///     l = slice columns_per_slice + (s_0 + ... + s_{r-1}) + c
/// ```
///
/// and its number in a vector l k + j (`CirculantOrder::rotations`): the k rotations of a voxel are
/// adjacent. A ray crosses the rings of a few slices, so that its columns are a few runs.
class PolarGrid {
 public:
  /// \throw Error as `check`.
  explicit PolarGrid(const PolarVolume& volume);

  const PolarVolume& volume() const { return volume_; }
  /// \brief k
  Ordinal blocks() const { return volume_.rotations; }
  Ordinal columns_per_slice() const { return first_column_.back(); }
  /// \brief In-sector columns, n_B.
  Ordinal block_cols() const { return volume_.slices * columns_per_slice(); }
  Ordinal num_voxels() const { return block_cols() * blocks(); }

  /// \brief s_r
  Ordinal sectors_per_rotation(Ordinal ring) const {
    return first_column(ring + 1) - first_column(ring);
  }
  /// \brief k s_r
  Ordinal sectors(Ordinal ring) const { return blocks() * sectors_per_rotation(ring); }
  /// \brief s_0 + ... + s_{ring - 1}; also for the ring after the last.
  Ordinal first_column(Ordinal ring) const { return first_column_[static_cast<std::size_t>(ring)]; }

  /// \brief The number of a voxel, and the voxel of a number.
  Ordinal index(const PolarVoxel& voxel) const;
  PolarVoxel voxel(Ordinal index) const;

  /// \brief The point in the middle of its ring, sector and slice: (x, y, z).
  std::array<double, 3> center(const PolarVoxel& voxel) const;
  /// \brief Its size, in the length unit of the scan to the third power.
  double voxel_volume(Ordinal ring) const;

  /// \brief The number of the voxel that holds a point; nothing outside of the cylinder. A point on
  /// a border belongs to what lies outwards of it, counter-clockwise or above; on the mantle and on
  /// the top to what lies within.
  std::optional<Ordinal> index_at(double x, double y, double z) const;

 private:
  PolarVolume volume_;
  std::vector<Ordinal> first_column_;  // of each ring within a slice, and their sum
};

}  // namespace Tomokkos
