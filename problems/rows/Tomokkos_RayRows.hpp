// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RayMatrix.hpp>
#include <Tomokkos_RowTraits.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Rows of rays that are given by their ends: see `build_ray_matrix`. The members are
/// described at `RowSource`.
struct RayRows {
  static constexpr RowTraits traits{false, false, true, true, false, "rays", "pixels"};

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
  template <class ExecutionSpace, class Scalar, class Offsets, class Order>
  auto build_mapped(const ExecutionSpace& exec, const Offsets&, const Order& order,
                    RowRange rows) const {
    return build_mapped_ray_matrix<ExecutionSpace, Scalar>(
        exec, volume, rays, map_or_identity(exec, order.rows, num_rows()),
        map_or_identity(exec, order.columns, num_cols()), rows);
  }
};

}  // namespace Tomokkos
