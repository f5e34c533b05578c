// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <Tomokkos_VolumeGeometry3D.hpp>
#include <array>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief One layer of crystals in the modules of a ring scanner.
struct CrystalLayer {
  double radius = 0.0;  ///< from the axis to the entrance faces, in the length unit of the scan
  double length = 0.0;  ///< length of a crystal, away from the axis

  friend bool operator==(const CrystalLayer&, const CrystalLayer&) = default;
};

/// \brief Position of a crystal: its centre, and the direction (cosine, sine) from the axis to its
/// module.
struct CrystalPlace {
  double x = 0.0, y = 0.0, z = 0.0;
  double cosine = 1.0, sine = 0.0;
  double length = 0.0;
};

/// \brief PET scanner with flat modules of crystals around the z axis. The modules form one or more
/// rings along the axis. A module has one or more layers of crystals.
///
/// Module m is at the angle first_module + m turns / modules, counter-clockwise. A layer of a
/// module is a grid of crystals[0] (around the axis) x crystals[1] (along it). Crystals are
/// numbered first around the whole ring, counter-clockwise, then along the axis, then by layer:
/// index = (layer * crystals_along() + along) * crystals_around() + around.
///
/// A measurement belongs to a pair of crystals i < j and to row i * num_crystals() + j of the
/// system matrix. All other rows are empty. Its value is the mean over `rays` rays between points
/// that are distributed over the two crystals (`ray_samples`).
struct RingScanner {
  Ordinal modules = 0;
  Angle first_module{};
  Ordinal rings = 1;
  double ring_pitch = 0.0;  ///< between the centres of neighbouring rings; ignored for one ring
  std::array<Ordinal, 2> crystals{};      ///< per layer of a module: around, along the axis
  std::array<double, 2> crystal_pitch{};  ///< between the centres of neighbouring crystals
  std::array<double, 2> crystal_size{};
  std::vector<CrystalLayer> layers{};  ///< from the inside to the outside
  /// Number of rays per pair: 1 (between the centres of the crystals) or a multiple of 8.
  Ordinal rays = 64;
  /// Radius around the axis beyond which rays do not count; empty: the whole volume counts.
  std::optional<double> field_of_view{};

  Ordinal crystals_around() const { return modules * crystals[0]; }
  Ordinal crystals_along() const { return rings * crystals[1]; }
  /// \brief Number of crystals. Like the numbers below, it may exceed `Ordinal` until checked.
  std::int64_t num_crystals() const;
  /// \brief Number of rows of a system matrix.
  std::int64_t num_rows() const { return num_crystals() * num_crystals(); }
  /// \brief Number of pairs i < j: rows that may hold entries.
  std::int64_t num_pairs() const { return num_crystals() * (num_crystals() - 1) / 2; }

  /// \brief Positions of all crystals, by index.
  std::vector<CrystalPlace> places() const;
};

/// \brief End points of a ray relative to the centres of their crystals: around the axis
/// (counter-clockwise), along it and away from it, in units of the crystal size, between -1/2 and
/// 1/2.
struct RaySample {
  double from[3] = {0, 0, 0};
  double to[3] = {0, 0, 0};
};

/// \brief Largest number of rays per pair.
inline constexpr Ordinal max_rays_per_pair = 256;

/// \brief Creates \p rays rays between two crystals, for the crystals of any pair. A single ray
/// joins their centres.
///
/// A ray is a point in six dimensions, three for each end. The points belong to a sequence that
/// fills the six dimensions evenly (multiples of powers of the root of x^7 = x + 1, modulo 1). Each
/// point gives eight rays: with and without exchange of the crystals, mirroring around the axis and
/// mirroring along it. So pairs that are mirror images or rotations of each other have mirrored or
/// rotated rays.
///
/// \throws Error unless \p rays is 1 or a multiple of 8 up to `max_rays_per_pair`
std::vector<RaySample> ray_samples(Ordinal rays);

/// \brief Checks the numbers of a scanner. The message names the wrong one.
///
/// \throws Error for a count under 1, a length that is not positive and finite, a pitch smaller
/// than the crystal, modules that do not fit side by side, layers or rings that overlap, a number
/// of rays that `ray_samples` does not accept, or more rows than `Ordinal` can index
void check(const RingScanner& scanner);

/// \brief Checks both, and that all lengths lie within a factor of 1e6 of each other.
void check(const VolumeGeometry3D& volume, const RingScanner& scanner);

/// \brief Predefined scanners.
enum class ScannerKind {
  /// No predefined scanner: all numbers are given.
  ring,
  /// Similar to MADPET-II: 18 modules in a ring of 71 mm diameter, two layers of 4 x 8 crystals of
  /// 2 x 2 x 6
  /// and 2 x 2 x 8 mm, 1152 crystals in total; 40 x 140 x 140 voxels of 0.5 mm. The pitch of 2.3 mm
  /// and the position of the outer layer are our choice.
  madpet2,
  /// Like `madpet2` with a quarter of the crystals, each of twice the size, and 20 x 70 x 70 voxels
  /// of 1 mm: for machines with little memory.
  madpet2_small,
  /// 2304 crystals in two rings of somewhat larger modules, with a diameter of 91 mm; 80 x 180 x
  /// 180
  /// voxels of 0.5 mm.
  madpet2_large,
};

template <>
struct EnumNames<ScannerKind> {
  static constexpr std::array<std::pair<ScannerKind, std::string_view>, 4> names{{
      {ScannerKind::ring, "ring"},
      {ScannerKind::madpet2, "madpet2"},
      {ScannerKind::madpet2_small, "madpet2_small"},
      {ScannerKind::madpet2_large, "madpet2_large"},
  }};
};

/// \brief Creates the predefined scanner \p kind. For `ring` it is empty, and `check` rejects it.
RingScanner make_scanner(ScannerKind kind);

/// \brief Creates the volume that belongs to the predefined scanner \p kind; for `ring` an empty
/// one.
VolumeGeometry3D make_scanner_volume(ScannerKind kind);

}  // namespace Tomokkos
