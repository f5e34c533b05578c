// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <array>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Cylinder around the z axis, centred on the origin and divided into polar voxels.
///
/// The cylinder has \p slices along z, slice 0 at the smallest z. Each slice is divided into \p
/// rings of equal width, each ring into equal sectors.
///
/// Ring r, with ring 0 in the centre, has k s_r sectors, k = \p rotations: a rotation by 1/k of a
/// turn maps the volume onto itself. s_r is 2 pi (r + 1/2) / (k aspect) rounded to an integer, at
/// least 1. So a voxel is about \p aspect times as wide along the arc as its ring, and narrower
/// near the axis. Sectors are counted counter-clockwise; the first one begins at angle 0 (the x
/// axis). See docs/scans/scanners.md.
struct PolarVolume {
  double radius = 0.0;  ///< in the length unit of the scan
  double height = 0.0;  ///< along z
  Ordinal rings = 0;
  Ordinal slices = 0;
  Ordinal rotations = 0;  ///< k, equal to the number of views of a scan
  double aspect = 1.0;    ///< width of a voxel along the arc, relative to the width of its ring

  double ring_width() const { return radius / rings; }
  double thickness() const { return height / slices; }

  /// \brief Radius of circle \p index, between rings index - 1 and index. Exact for the first and
  /// last circle.
  double circle(Ordinal index) const { return static_cast<double>(index) / rings * radius; }

  /// \brief z of plane \p index, between slices index - 1 and index. Planes on both sides of the
  /// centre are exact mirror images.
  double plane(Ordinal index) const { return (index - 0.5 * slices) * thickness(); }

  /// \brief s_r of ring \p ring. At least 3 / k, so that a sector is smaller than half a turn.
  Ordinal sectors_per_rotation(Ordinal ring) const;

  friend bool operator==(const PolarVolume&, const PolarVolume&) = default;
};

/// \brief Checks the numbers of a volume. The message names the wrong one.
///
/// \throws Error for a count under 1, a length or aspect that is not positive and finite, lengths
/// that differ by more than a factor of 1e6, or more voxels than `Ordinal` can index
void check(const PolarVolume& volume);

/// \brief Number of adjacent rings whose voxels are numbered together, slice by slice: see
/// `PolarGrid`.
///
/// Bytes that the cache of a multiprocessor fetches per entry, simulated for an H200 and four
/// scans: forward 116, 84, 198 and 93, transposed 200, 75, 215 and 77. With groups of 16 rings:
/// 113, 84, 196, 93 and 192, 44, 228, 77. With whole slices one after the other and the inner rings
/// first: forward 146 to 576.
inline constexpr Ordinal ring_group = 32;

/// \brief Position of a polar voxel: slice, ring, and sector q counted around the whole ring.
struct PolarVoxel {
  Ordinal slice = 0;
  Ordinal ring = 0;
  Ordinal sector = 0;

  friend bool operator==(const PolarVoxel&, const PolarVoxel&) = default;
};

/// \brief Numbering of the voxels of a polar volume.
///
/// Sector q of ring r is sub-sector c = q mod s_r of block j = q / s_r. Rings are ordered from the
/// outermost inwards and divided into groups of `ring_group` rings. In-sector columns are numbered
/// by group, within a group by slice, within a slice by ring, and within a ring by sub-sector:
///
/// ```
///     l = slices (sectors of the groups outside its group)
///         + slice (sectors of its group) + (sectors of the rings of its group outside ring r) + c
/// ```
///
/// where a ring counts s_r sectors. The index in a vector is l k + j (`CirculantOrder::rotations`):
/// the k rotations of a voxel are adjacent.
///
/// This order suits products that process neighbouring rays together. The entries of all rays begin
/// at the outer surface and go inwards ring by ring, whatever their slices, so such products access
/// the same voxels at the same time. Within a group, voxels of neighbouring rings are close in
/// memory, which suits the transposed product.
class PolarGrid {
 public:
  /// \throws Error like `check`
  explicit PolarGrid(const PolarVolume& volume);

  const PolarVolume& volume() const { return volume_; }
  /// \brief k
  Ordinal blocks() const { return volume_.rotations; }
  /// \brief Number of in-sector columns, n_B.
  Ordinal block_cols() const { return volume_.slices * columns_per_slice_; }
  Ordinal num_voxels() const { return block_cols() * blocks(); }

  /// \brief s_r
  Ordinal sectors_per_rotation(Ordinal ring) const { return columns_of(ring).sectors; }
  /// \brief k s_r
  Ordinal sectors(Ordinal ring) const { return blocks() * sectors_per_rotation(ring); }
  /// \brief In-sector column l of a ring for slice 0 and c = 0. Each further slice adds
  /// `slice_columns`.
  Ordinal first_column(Ordinal ring) const { return columns_of(ring).first; }
  Ordinal slice_columns(Ordinal ring) const { return columns_of(ring).of_slice; }

  /// \brief Converts a voxel to its index; `voxel` is the inverse.
  Ordinal index(const PolarVoxel& voxel) const;
  PolarVoxel voxel(Ordinal index) const;

  /// \brief Centre (x, y, z) of a voxel with respect to its ring, sector and slice.
  std::array<double, 3> center(const PolarVoxel& voxel) const;
  /// \brief Volume of a voxel, in the length unit of the scan to the third power.
  double voxel_volume(Ordinal ring) const;

  /// \brief Finds the index of the voxel that contains a point; empty outside the cylinder. A point
  /// on a border belongs to the voxel outwards, counter-clockwise or above of it; on the outer
  /// surface and on the top to the voxel inside.
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
