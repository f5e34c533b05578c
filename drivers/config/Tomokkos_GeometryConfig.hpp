// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <Tomokkos_RingScanner.hpp>
#include <Tomokkos_ScanGeometry.hpp>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief An angle, and the way it was written.
struct ConfigAngle {
  std::string text = "0";
  Angle angle;
  bool has_unit = true;  ///< false: a plain number, which is radians
};

/// \brief `problem.volume`
struct VolumeConfig {
  /// Rows and columns; may stay open where a matrix is read from a file.
  std::optional<std::array<Ordinal, 2>> size;
  std::optional<Ordinal> slices;  ///< empty: an image
  double pixel = 1.0;
  double thickness = 1.0;  ///< of slices
};

/// \brief `problem.geometry`
struct GeometryConfig {
  Beam beam = Beam::parallel;
  std::optional<Ordinal> views;  ///< empty: as many as the measured data has (`auto`)
  ConfigAngle start;
  ConfigAngle range;
  std::vector<ConfigAngle> angles;    ///< instead of views, start, range
  std::filesystem::path angles_file;  ///< the same from a `.npy` file
  bool angles_from_data = false;      ///< the same from the HDF5 file of the data (`auto`)
  /// Unit of a file of angles; empty: radians in a `.npy` file, what an HDF5 file says or degrees.
  std::optional<AngleUnit> angles_unit;
  std::optional<Ordinal> detectors;  ///< empty: those of the data, or enough to cover the image
  double detector_width = 1.0;
  std::optional<double> detector_offset;
  std::optional<double> rotation_center;
  bool find_rotation_center = false;  ///< `rotation_center: auto`
  double source_to_origin = 0.0;
  double origin_to_detector = 0.0;

  bool has_listed_angles() const {
    return !angles.empty() || !angles_file.empty() || angles_from_data;
  }
};

/// \brief `problem.geometry` of type `cone_beam`, and `problem.volume.polar`.
struct ConeBeamConfig {
  ConeBeamScan scan;
  PolarVolume volume;
};

/// \brief `problem.scanner`
struct ScannerConfig {
  ScannerKind kind = ScannerKind::ring;
  RingScanner scanner;
  ConfigAngle first_module;  ///< that of the scanner
};

}  // namespace Tomokkos
