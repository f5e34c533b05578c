// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources of rows that are rays: of scans, PET scanners and cone beams, and given by their ends.
// Their members are described at `RowSource`.
#pragma once

#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_FileRows.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RayMatrix.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Rows of a parallel or fan-beam scan: see `build_system_matrix`.
struct ScanRows {
  static constexpr RowTraits traits{.is_traced = true,
                                    .has_views = true,
                                    .in_any_order = true,
                                    .rows = "rays",
                                    .columns = "pixels"};

  VolumeGeometry volume{};
  ScanGeometry scan{};
  Projector projector = Projector::linear;

  std::string name() const { return "of the scan"; }
  std::string describe() const;
  std::int64_t num_rows() const { return scan.num_rays(); }
  std::int64_t num_cols() const { return volume.num_pixels(); }
  MatrixGrids grids() const {
    return {0, volume.rows, volume.columns, scan.views.count(), scan.detectors};
  }
  double expected_nonzeros() const;
  double most_nonzeros() const;
  /// \brief Returns the number of rays that are stored if the symmetries of the square are used; 0
  /// if the scan does not have all of them.
  std::size_t count_symmetric(const MatrixMasks& masks) const;

  template <class ExecutionSpace>
  auto row_offsets(const ExecutionSpace& exec, RowRange rows) const {
    return system_matrix_row_offsets(exec, volume, scan, projector, rows);
  }
  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    return build_system_matrix<ExecutionSpace, Scalar>(exec, volume, scan, projector, rows);
  }
  template <class ExecutionSpace, class Scalar, class Map, class Offsets>
  auto build_mapped(const ExecutionSpace& exec, const Map& row_map, const Map& column_map,
                    RowRange rows, const Offsets& natural_offsets) const {
    return build_mapped_system_matrix<ExecutionSpace, Scalar>(
        exec, volume, scan, projector, row_map, column_map, rows, natural_offsets);
  }
};

/// \brief Rows of a PET scanner, one for each pair of crystals: see `build_scanner_matrix`.
struct ScannerRows {
  static constexpr RowTraits traits{.is_traced = true,
                                    .in_any_order = true,
                                    .counts_first = true,
                                    .rows = "pairs of crystals",
                                    .columns = "voxels"};

  VolumeGeometry3D volume{};
  RingScanner scanner{};

  std::string name() const { return "of the scanner"; }
  std::string describe() const {
    return "scanner: " + std::to_string(scanner.num_crystals()) + " crystals, " +
           std::to_string(scanner.rays) + " rays per pair";
  }
  std::int64_t num_rows() const { return scanner.num_rows(); }
  std::int64_t num_cols() const { return volume.num_voxels(); }
  MatrixGrids grids() const {
    return {volume.slices,
            volume.rows,
            volume.columns,
            0,
            0,
            static_cast<Ordinal>(scanner.num_crystals()),
            scanner.crystals_around()};
  }
  double expected_nonzeros() const {
    return static_cast<double>(scanner.num_pairs()) * static_cast<double>(scanner.rays) * 0.5 *
           (static_cast<double>(volume.rows) + volume.columns);
  }
  double most_nonzeros() const {
    // A ray enters fewer voxels than the sum of the three sides of the volume.
    const double sides = static_cast<double>(volume.slices) + volume.rows + volume.columns;
    return static_cast<double>(scanner.num_pairs()) *
           std::min(static_cast<double>(num_cols()), static_cast<double>(scanner.rays) * sides);
  }

  template <class ExecutionSpace>
  auto row_offsets(const ExecutionSpace& exec, RowRange rows) const {
    return scanner_row_offsets(exec, volume, scanner, rows);
  }
  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    return build_scanner_matrix<ExecutionSpace, Scalar>(exec, volume, scanner, rows);
  }
  template <class ExecutionSpace, class Scalar, class Map, class Offsets>
  auto build_mapped(const ExecutionSpace& exec, const Map& row_map, const Map& column_map,
                    RowRange rows, const Offsets& natural_offsets) const {
    return build_mapped_scanner_matrix<ExecutionSpace, Scalar>(exec, volume, scanner, row_map,
                                                               column_map, rows, natural_offsets);
  }
};

/// \brief Rows of a cone-beam scan in polar voxels: see `build_cone_beam_matrix`.
struct ConeBeamRows {
  static constexpr RowTraits traits{.is_circulant = true, .is_traced = true, .is_polar = true};

  PolarVolume volume{};
  ConeBeamScan scan{};

  std::string name() const { return "of the cone beam"; }
  std::string describe() const {
    return "scan: cone beam, " + std::to_string(scan.views) + " views x " +
           std::to_string(scan.detectors[1]) + " x " + std::to_string(scan.detectors[0]) +
           " detectors";
  }
  std::int64_t num_rows() const { return scan.num_rows(); }
  std::int64_t num_cols() const { return PolarGrid(volume).num_voxels(); }
  /// \brief Returns the expected number of entries of the first row of blocks.
  double expected_nonzeros() const {
    // A ray crosses each ring twice, and half of the sectors.
    return static_cast<double>(scan.num_elements()) * (2.0 * volume.rings + 0.5 * volume.rotations);
  }
  CirculantSize circulant_size() const {
    return {static_cast<Ordinal>(scan.num_elements()), PolarGrid(volume).block_cols(), scan.views};
  }

  template <class ExecutionSpace, class Scalar>
  auto build_blocks(const ExecutionSpace& exec, RowRange elements = all_rows) const {
    return build_cone_beam_matrix<ExecutionSpace, Scalar>(exec, volume, scan, elements);
  }
  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    return Impl::expanded_rows<ExecutionSpace, Scalar>(
        exec, rows, scan.views,
        [&](RowRange elements) { return build_blocks<ExecutionSpace, Scalar>(exec, elements); });
  }
};

/// \brief Rows of rays that are given by their ends: see `build_ray_matrix`.
struct RayRows {
  static constexpr RowTraits traits{
      .has_views = true, .in_any_order = true, .rows = "rays", .columns = "pixels"};

  VolumeGeometry volume{};
  std::vector<RayEnds> rays{};
  Ordinal views = 1;  ///< number of equal parts of the rays that are used as views

  std::string name() const { return "of the rays"; }
  std::string describe() const {
    return "scan: " + std::to_string(num_rows()) + " rays between two points" +
           (views > 1 ? " in " + std::to_string(views) + " views" : "");
  }
  std::int64_t num_rows() const { return static_cast<std::int64_t>(rays.size()); }
  std::int64_t num_cols() const { return volume.num_pixels(); }
  MatrixGrids grids() const {
    return {0, volume.rows, volume.columns, views, static_cast<Ordinal>(num_rows() / views)};
  }
  double expected_nonzeros() const {
    // A ray enters a pixel wherever it crosses a grid line.
    double sum = 0;
    for (const RayEnds& ray : rays)
      sum += std::fmin(std::fabs(ray.end_x - ray.start_x) / volume.pixel, volume.columns) +
             std::fmin(std::fabs(ray.end_y - ray.start_y) / volume.pixel_height(), volume.rows);
    return sum;
  }
  double most_nonzeros() const {
    // Ends lie within pixels, and rays along a grid line belong to the pixels on both sides.
    return 2 * expected_nonzeros() + 6.0 * static_cast<double>(num_rows());
  }

  template <class ExecutionSpace>
  auto row_offsets(const ExecutionSpace& exec, RowRange rows) const {
    return ray_matrix_row_offsets(exec, volume, rays, rows);
  }
  template <class ExecutionSpace, class Scalar>
  auto build(const ExecutionSpace& exec, RowRange rows) const {
    return build_ray_matrix<ExecutionSpace, Scalar>(exec, volume, rays, rows);
  }
  template <class ExecutionSpace, class Scalar, class Map, class Offsets>
  auto build_mapped(const ExecutionSpace& exec, const Map& row_map, const Map& column_map,
                    RowRange rows, const Offsets&) const {
    return build_mapped_ray_matrix<ExecutionSpace, Scalar>(exec, volume, rays, row_map, column_map,
                                                           rows);
  }
};

}  // namespace Tomokkos
