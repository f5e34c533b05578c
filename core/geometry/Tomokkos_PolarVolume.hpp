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
/// See docs/scans/scanners.md.
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

/// \brief Rings whose voxels are numbered slice by slice: see `PolarGrid`. Bytes that the cache of
/// a multiprocessor fetches for an entry of four scans, simulated for an H200: forward 116, 84, 198
/// and 93, transposed 200, 75, 215 and 77; with groups of 16 rings 113, 84, 196, 93 and 192, 44,
/// 228, 77; with whole slices one after the other, and the inner rings first, forward 146 to 576.
inline constexpr Ordinal ring_group = 32;

/// \brief Where a polar voxel lies: sector q of its ring, counted all around.
struct PolarVoxel {
  Ordinal slice = 0;
  Ordinal ring = 0;
  Ordinal sector = 0;

  friend bool operator==(const PolarVoxel&, const PolarVoxel&) = default;
};

/// \brief The voxels of a polar volume and their numbers.
///
/// Sector q of ring r is sub-sector c = q mod s_r of block j = q / s_r. Rings are taken from the
/// outermost one inwards, in groups of `ring_group`: in-sector columns are numbered group by group,
/// in a group slice by slice, in a slice ring by ring and in a ring by sub-sector,
///
/// ```
///     l = slices (sectors of the groups outside of its own)
///         + slice (sectors of its group) + (those of its rings outside of r) + c
/// ```
///
/// where a ring counts s_r sectors. The number in a vector is l k + j
/// (`CirculantOrder::rotations`): the k rotations of a voxel are adjacent.
///
/// So the entries of a ray come in the order in which rays next to each other have theirs: all
/// begin at the mantle, and go inwards ring by ring, whatever their slices. Products that take such
/// rays side by side meet the same voxels at the same time; within a group voxels of neighbouring
/// rings stand together, which the transposed product wants.
class PolarGrid {
 public:
  /// \throw Error as `check`.
  explicit PolarGrid(const PolarVolume& volume);

  const PolarVolume& volume() const { return volume_; }
  /// \brief k
  Ordinal blocks() const { return volume_.rotations; }
  /// \brief In-sector columns, n_B.
  Ordinal block_cols() const { return volume_.slices * columns_per_slice_; }
  Ordinal num_voxels() const { return block_cols() * blocks(); }

  /// \brief s_r
  Ordinal sectors_per_rotation(Ordinal ring) const { return columns_of(ring).sectors; }
  /// \brief k s_r
  Ordinal sectors(Ordinal ring) const { return blocks() * sectors_per_rotation(ring); }
  /// \brief l of a ring in slice 0, for c = 0, and what each slice adds.
  Ordinal first_column(Ordinal ring) const { return columns_of(ring).first; }
  Ordinal slice_columns(Ordinal ring) const { return columns_of(ring).of_slice; }

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
  struct RingColumns {
    Ordinal first = 0, of_slice = 0, sectors = 0;
  };
  const RingColumns& columns_of(Ordinal ring) const {
    return rings_[static_cast<std::size_t>(ring)];
  }

  PolarVolume volume_;
  std::vector<RingColumns> rings_;
  Ordinal columns_per_slice_ = 0;
};

}  // namespace Tomokkos
