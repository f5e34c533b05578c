// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>

namespace Tomokkos {

/// \brief Image of \p rows x \p columns pixels.
///
/// Row-major: pixel index = row * columns + column. Row 0 is at the top (largest y), y points up.
/// The pixel centres are x = center_x + (column - (columns - 1) / 2) pixel and y = center_y +
/// ((rows - 1) / 2 - row) pixel_height(). Lengths are in the unit of the scan. See
/// docs/reference/conventions.md.
struct VolumeGeometry {
  Ordinal rows = 0;
  Ordinal columns = 0;
  double pixel = 1.0;     ///< width of a pixel
  double row_height = 0;  ///< height of a pixel; 0: as its width
  double center_x = 0, center_y = 0;

  double pixel_height() const { return row_height == 0 ? pixel : row_height; }
  bool has_square_pixels() const { return pixel_height() == pixel; }
  bool is_centered() const { return center_x == 0 && center_y == 0; }

  /// \brief Number of pixels: the columns of a system matrix. May exceed `Ordinal` until checked.
  std::int64_t num_pixels() const { return static_cast<std::int64_t>(rows) * columns; }

  /// \brief x of the pixel centres of column \p column.
  double x(Ordinal column) const { return center_x + (column - 0.5 * (columns - 1.0)) * pixel; }

  /// \brief y of the pixel centres of row \p row.
  double y(Ordinal row) const { return center_y + (0.5 * (rows - 1.0) - row) * pixel_height(); }

  /// \brief Radius of the circle around the image: half its diagonal.
  double radius() const;
};

/// \brief Checks the numbers of an image. The message names the wrong one.
///
/// \throws Error for no rows or columns, a pixel size outside 1e-15 to 1e15, sides of pixels with a
/// ratio beyond 1000, a centre that is not finite, or more pixels than `Ordinal` can index
void check(const VolumeGeometry& volume);

}  // namespace Tomokkos
