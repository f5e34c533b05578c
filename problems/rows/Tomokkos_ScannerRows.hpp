// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowTraits.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {

/// \brief Rows of a PET scanner, one for each pair of crystals: see `build_scanner_matrix`. The
/// members are described at `RowSource`.
struct ScannerRows {
  static constexpr RowTraits traits{false, false, false, true, true, "pairs of crystals", "voxels"};

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
  template <class ExecutionSpace, class Scalar, class Offsets, class Order>
  auto build_mapped(const ExecutionSpace& exec, const Offsets& natural_offsets, const Order& order,
                    RowRange rows) const {
    if (!order.rows && !order.columns && natural_offsets.extent(0) == 0)
      return build<ExecutionSpace, Scalar>(exec, rows);
    return build_mapped_scanner_matrix<ExecutionSpace, Scalar>(
        exec, volume, scanner, map_or_identity(exec, order.rows, num_rows()),
        map_or_identity(exec, order.columns, num_cols()), rows, natural_offsets);
  }
};

}  // namespace Tomokkos
