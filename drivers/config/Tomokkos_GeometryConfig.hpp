// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RowSource.hpp>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
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

  /// \brief Rows and columns, after the slices of a volume; empty: they are open.
  std::vector<Ordinal> lengths() const {
    if (!size) return {};
    std::vector<Ordinal> result(size->begin(), size->end());
    if (slices) result.insert(result.begin(), *slices);
    return result;
  }
};

/// \brief `problem.geometry` and `problem.projector` of a parallel or fan beam.
struct ScanConfig {
  static constexpr RowTraits traits = ScanRows::traits;

  Projector projector = Projector::linear;
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

  /// \brief Views that are counted or listed; 0: the data decide.
  long long listed_views() const { return views ? *views : static_cast<long long>(angles.size()); }
  bool has_listed_angles() const {
    return !angles.empty() || !angles_file.empty() || angles_from_data;
  }
};

/// \brief `problem.scanner`
struct ScannerConfig {
  static constexpr RowTraits traits = ScannerRows::traits;

  ScannerKind kind = ScannerKind::ring;
  RingScanner scanner;
  ConfigAngle first_module;  ///< that of the scanner
};

/// \brief `problem.geometry` of a matrix from a file: how its rows lie. Both are given, or none.
struct MatrixFileConfig {
  static constexpr RowTraits traits = FileRows::traits;

  std::optional<Ordinal> views, detectors;
};

/// \brief `problem.geometry` and `problem.blocks` of a first row of blocks from a file.
struct BlockRowConfig : MatrixFileConfig {
  static constexpr RowTraits traits = CirculantFileRows::traits;

  Ordinal blocks = 0;  ///< 0: as many as the file tells
};

/// \brief The list of geometries of a configuration: what the rows of a matrix are made of. The
/// first one also stands for the matrix of a system or a mesh.
using GeometryConfig =
    std::variant<MatrixFileConfig, ScanConfig, ScannerConfig, ConeBeamRows, BlockRowConfig>;

}  // namespace Tomokkos
