// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace Tomokkos::Impl {

/// \brief Calls visit(row, column, weights) for every pixel of a rows x columns picture with its
/// centre in the triangle. x points to the right and y downwards, in pixels. Weights belong to the
/// corners and sum to 1. Centres on a side belong to both of its triangles.
template <class Visit>
void for_each_pixel(const std::array<Point2, 3>& corners, std::size_t rows, std::size_t columns,
                    const Visit& visit) {
  const Point2 &a = corners[0], &b = corners[1], &c = corners[2];
  const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area == 0 || !std::isfinite(area)) return;
  const auto first = [](double x) { return std::max(std::ceil(x - 0.5), 0.0); };
  const auto last = [](double x, std::size_t n) {
    return std::min(std::floor(x - 0.5), static_cast<double>(n) - 1);
  };
  const double bottom = last(std::max({a[1], b[1], c[1]}), rows);
  for (double row = first(std::min({a[1], b[1], c[1]})); row <= bottom; ++row) {
    const double y = row + 0.5;
    double left = HUGE_VAL, right = -HUGE_VAL;
    for (std::size_t k = 0; k < 3; ++k) {
      const Point2 &p = corners[k], &q = corners[(k + 1) % 3];
      if ((p[1] < y && q[1] < y) || (p[1] > y && q[1] > y)) continue;
      if (p[1] == q[1]) {
        left = std::min({left, p[0], q[0]});
        right = std::max({right, p[0], q[0]});
        continue;
      }
      const double x = p[0] + (y - p[1]) / (q[1] - p[1]) * (q[0] - p[0]);
      left = std::min(left, x);
      right = std::max(right, x);
    }
    const double end = last(right, columns);
    for (double column = first(left); column <= end; ++column) {
      const double x = column + 0.5;
      const double wb = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area;
      const double wc = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area;
      visit(static_cast<std::size_t>(row), static_cast<std::size_t>(column),
            std::array<double, 3>{1 - wb - wc, wb, wc});
    }
  }
}

/// \brief Calls visit(row, column) for the pixels of a line, one per step along its longer axis.
template <class Visit>
void for_each_line_pixel(const Point2& p, const Point2& q, std::size_t rows, std::size_t columns,
                         const Visit& visit) {
  const double length = std::max(std::abs(q[0] - p[0]), std::abs(q[1] - p[1]));
  const auto steps = static_cast<std::size_t>(std::ceil(length)) + 1;
  for (std::size_t k = 0; k <= steps; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(steps);
    const double column = std::floor(p[0] + share * (q[0] - p[0]));
    const double row = std::floor(p[1] + share * (q[1] - p[1]));
    if (row >= 0 && column >= 0 && row < static_cast<double>(rows) &&
        column < static_cast<double>(columns))
      visit(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
  }
}

}  // namespace Tomokkos::Impl
