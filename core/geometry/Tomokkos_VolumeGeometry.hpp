// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>

namespace Tomokkos {

/// \brief Image of \p rows x \p columns square pixels, centred on the origin.
///
/// Row-major: pixel index = row * columns + column. Row 0 is at the top (largest y), y points up.
/// The pixel centres are x = (column - (columns - 1) / 2) pixel and y = ((rows - 1) / 2 - row)
/// pixel. See docs/reference/conventions.md.
struct VolumeGeometry {
  Ordinal rows = 0;
  Ordinal columns = 0;
  double pixel = 1.0;  ///< side of a pixel, in the length unit of the scan

  /// \brief Number of pixels: the columns of a system matrix. May exceed `Ordinal` until checked.
  std::int64_t num_pixels() const { return static_cast<std::int64_t>(rows) * columns; }

  /// \brief x of the pixel centres of column \p column.
  double x(Ordinal column) const { return (column - 0.5 * (columns - 1.0)) * pixel; }

  /// \brief y of the pixel centres of row \p row.
  double y(Ordinal row) const { return (0.5 * (rows - 1.0) - row) * pixel; }

  /// \brief Radius of the circle around the image: half its diagonal.
  double radius() const;
};

/// \brief Checks the numbers of an image. The message names the wrong one.
///
/// \throws Error for no rows or columns, a pixel size outside 1e-15 to 1e15, or more pixels than
/// `Ordinal` can index
void check(const VolumeGeometry& volume);

}  // namespace Tomokkos
