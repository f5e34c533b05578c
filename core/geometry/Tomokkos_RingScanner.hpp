// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <Tomokkos_VolumeGeometry3D.hpp>
#include <array>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief One layer of crystals of the modules of a ring scanner.
struct CrystalLayer {
  double radius = 0.0;  ///< from the axis to the entrance faces, in the length unit of the scan
  double length = 0.0;  ///< of a crystal, away from the axis

  friend bool operator==(const CrystalLayer&, const CrystalLayer&) = default;
};

/// \brief Where a crystal lies: its middle, and the direction (cosine, sine) that its module looks
/// away from the axis.
struct CrystalPlace {
  double x = 0.0, y = 0.0, z = 0.0;
  double cosine = 1.0, sine = 0.0;
  double length = 0.0;
};

/// \brief A PET scanner: flat modules of crystals around the z axis, in one ring or several behind
/// each other, each with layers of crystals behind each other.
///
/// Module m stands at the angle first_module + m turns / modules, counter-clockwise. A layer of a
/// module is a grid of crystals[0] (around the axis) x crystals[1] (along it). Crystals are
/// numbered first around the whole ring, counter-clockwise, then along the axis, then by layer:
/// index = (layer * crystals_along() + along) * crystals_around() + around.
///
/// A measurement is a pair of crystals i < j, and row i * num_crystals() + j of the system matrix;
/// the other rows are empty. It is the mean over \p rays rays between points that are spread over
/// the two crystals (`ray_samples`).
struct RingScanner {
  Ordinal modules = 0;
  Angle first_module;
  Ordinal rings = 1;
  double ring_pitch = 0.0;  ///< between the middles of neighbouring rings; not used by one ring
  std::array<Ordinal, 2> crystals{};      ///< of a layer of a module: around, along the axis
  std::array<double, 2> crystal_pitch{};  ///< between their middles
  std::array<double, 2> crystal_size{};
  std::vector<CrystalLayer> layers;  ///< from the inside to the outside
  /// Of each pair: 1, between the middles of the crystals, or a multiple of 8.
  Ordinal rays = 64;
  /// Radius around the axis beyond which rays do not count; empty: the whole volume counts.
  std::optional<double> field_of_view;

  Ordinal crystals_around() const { return modules * crystals[0]; }
  Ordinal crystals_along() const { return rings * crystals[1]; }
  /// \brief May exceed `Ordinal` until checked, like what follows.
  std::int64_t num_crystals() const;
  /// \brief Rows of a system matrix.
  std::int64_t num_rows() const { return num_crystals() * num_crystals(); }
  /// \brief Pairs i < j: rows that may hold entries.
  std::int64_t num_pairs() const { return num_crystals() * (num_crystals() - 1) / 2; }

  /// \brief The places of all crystals, by index.
  std::vector<CrystalPlace> places() const;
};

/// \brief The two ends of a ray, each from the middle of its crystal: around the axis
/// (counter-clockwise), along it and away from it, in sizes of the crystal, between -1/2 and 1/2.
struct RaySample {
  double from[3] = {0, 0, 0};
  double to[3] = {0, 0, 0};
};

/// \brief Most rays of a pair.
inline constexpr Ordinal max_rays_per_pair = 256;

/// \brief The rays of a pair of crystals: points of a sequence that fills the six dimensions evenly
/// (multiples of powers of the root of x^7 = x + 1, modulo 1), each eightfold: with the two
/// crystals exchanged, mirrored around the axis and mirrored along it. So pairs that are mirror
/// images or rotations of each other have mirrored or rotated rays.
///
/// \throw Error when \p rays is not 1 or a multiple of 8 up to `max_rays_per_pair`.
std::vector<RaySample> ray_samples(Ordinal rays);

/// \brief Throws `Error` naming the number that is wrong: a count under 1, a length that is not
/// positive and finite (or a pitch smaller than the crystal), modules that do not fit side by side,
/// layers or rings that run into each other, another number of rays than `ray_samples` takes, more
/// rows than `Ordinal` can index.
void check(const RingScanner& scanner);

/// \brief Checks both, and that their lengths are comparable: within a factor of 1e6 of each other.
void check(const VolumeGeometry3D& volume, const RingScanner& scanner);

/// \brief Scanners known by name.
enum class ScannerKind {
  /// None: everything is given.
  ring,
  /// Like MADPET-II: 18 modules in a ring of 71 mm, two layers of 4 x 8 crystals of 2 x 2 x 6 and
  /// 2 x 2 x 8 mm, together 1152 crystals; 40 x 140 x 140 voxels of 0.5 mm. The pitch of 2.3 mm and
  /// the place of the outer layer are ours.
  madpet2,
  /// The same with a quarter of the crystals, of twice the size, and 20 x 70 x 70 voxels of 1 mm:
  /// for machines without much memory.
  madpet2_small,
  /// 2304 crystals, two rings of somewhat larger modules on a ring of 91 mm; 80 x 180 x 180 voxels
  /// of 0.5 mm.
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

/// \brief The scanner called \p kind; of `ring` nothing but defaults, which `check` refuses.
RingScanner make_scanner(ScannerKind kind);

/// \brief The volume that belongs to it; of `ring` none.
VolumeGeometry3D make_scanner_volume(ScannerKind kind);

}  // namespace Tomokkos
