// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AngleDirection.hpp>
#include <Tomokkos_RowSource.hpp>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief Angle together with its text in the configuration.
struct ConfigAngle {
  std::string text = "0";
  Angle angle;
  bool has_unit = true;  ///< false for a plain number, which is in radians
};

/// \brief Contents of `problem.volume`.
struct VolumeConfig {
  /// Rows and columns; may be empty if the matrix is read from a file.
  std::optional<std::array<Ordinal, 2>> size;
  std::optional<Ordinal> slices;       ///< empty: a two-dimensional image
  double pixel = 1.0;                  ///< width of a pixel
  std::optional<double> pixel_height;  ///< empty: as its width
  std::array<double, 2> center{0, 0};  ///< x and y of the centre of the image
  double thickness = 1.0;              ///< thickness of a slice

  /// \brief Image, or slice of a volume. Its size must be given.
  VolumeGeometry slice() const {
    return {(*size)[0], (*size)[1], pixel, pixel_height.value_or(0), center[0], center[1]};
  }

  /// \brief Number of slices (volumes only), rows and columns. Empty if the size is not given.
  std::vector<Ordinal> lengths() const {
    if (!size) return {};
    std::vector<Ordinal> result(size->begin(), size->end());
    if (slices) result.insert(result.begin(), *slices);
    return result;
  }
};

/// \brief Contents of `problem.geometry` and `problem.projector` for a parallel or fan beam.
struct ScanConfig {
  static constexpr RowTraits traits = ScanRows::traits;

  Projector projector = Projector::linear;
  Beam beam = Beam::parallel;
  std::optional<Ordinal> views;  ///< empty: number of views of the measured data (`auto`)
  ConfigAngle start;
  ConfigAngle range;
  std::vector<ConfigAngle> angles;    ///< replace views, start and range
  std::filesystem::path angles_file;  ///< `.npy`, `.txt` or `.csv` file of the angles
  bool angles_from_data = false;      ///< angles are read from the HDF5 file of the data (`auto`)
  /// Unit of a file of angles. Empty: radians for a file of angles only; for an HDF5 file its own
  /// unit, or degrees if it has none.
  std::optional<AngleUnit> angles_unit;
  AngleDirection direction = AngleDirection::counterclockwise;  ///< in which all angles count
  std::optional<Ordinal> detectors;  ///< empty: number in the data, or enough to cover the image
  double detector_width = 1.0;
  std::optional<double> detector_offset;
  std::optional<double> rotation_center;
  bool find_rotation_center = false;  ///< `rotation_center: auto`
  double source_to_origin = 0.0;
  double origin_to_detector = 0.0;
  DetectorShape detector_shape = DetectorShape::flat;
  bool by_vectors = false;             ///< `type: vectors`; replaces views, angles and distances
  std::filesystem::path vectors_file;  ///< `.npy` file with six numbers for each view

  std::vector<std::filesystem::path> files() const { return {angles_file, vectors_file}; }
  /// \brief Number of views given by count or list; 0 if taken from the data.
  long long listed_views() const { return views ? *views : static_cast<long long>(angles.size()); }
  bool has_listed_angles() const {
    return !angles.empty() || !angles_file.empty() || angles_from_data;
  }
};

/// \brief Contents of `problem.geometry` for rays from a file.
struct RaysConfig {
  static constexpr RowTraits traits = RayRows::traits;

  std::filesystem::path file;  ///< `.npy` file with both ends of each ray
  Ordinal views = 1;           ///< number of equal parts of the rays

  std::vector<std::filesystem::path> files() const { return {file}; }
};

/// \brief Contents of `problem.scanner`.
struct ScannerConfig {
  static constexpr RowTraits traits = ScannerRows::traits;

  ScannerKind kind = ScannerKind::ring;
  RingScanner scanner;
  ConfigAngle first_module;  ///< angle of the scanner's first module, with its text
};

/// \brief Contents of `problem.geometry` for a matrix from a file: the arrangement of its rows.
/// Either both numbers are given or none.
struct MatrixFileConfig {
  static constexpr RowTraits traits = FileRows::traits;

  std::optional<Ordinal> views, detectors;
};

/// \brief Contents of `problem.geometry` and `problem.blocks` for a block row from a file.
struct BlockRowConfig : MatrixFileConfig {
  static constexpr RowTraits traits = CirculantFileRows::traits;

  Ordinal blocks = 0;  ///< 0: number stored in the file
};

/// \brief Source of the rows of the matrix. The first alternative also serves linear systems and
/// meshes.
using GeometryConfig = std::variant<MatrixFileConfig, ScanConfig, RaysConfig, ScannerConfig,
                                    ConeBeamRows, BlockRowConfig>;

}  // namespace Tomokkos
