// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowTraits.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <string>

namespace Tomokkos {

/// \brief Rows of a parallel or fan-beam scan: see `build_system_matrix`. The members are described
/// at `RowSource`.
struct ScanRows {
  static constexpr RowTraits traits{false, false, true, true, false, "rays", "pixels"};

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
  template <class ExecutionSpace, class Scalar, class Offsets, class Order>
  auto build_mapped(const ExecutionSpace& exec, const Offsets& natural_offsets, const Order& order,
                    RowRange rows) const {
    if (!order.rows && !order.columns) return build<ExecutionSpace, Scalar>(exec, rows);
    return build_mapped_system_matrix<ExecutionSpace, Scalar>(
        exec, volume, scan, projector, map_or_identity(exec, order.rows, num_rows()),
        map_or_identity(exec, order.columns, num_cols()), rows, natural_offsets);
  }
};

}  // namespace Tomokkos
