// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_TriangleMesh.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace Tomokkos {

using Rgb = std::array<std::uint8_t, 3>;

/// \brief Colour picture: rows from the top, three bytes per pixel.
struct RgbImage {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::uint8_t> pixels;

  Rgb at(std::size_t row, std::size_t column) const {
    const std::size_t k = 3 * (row * columns + column);
    return {pixels[k], pixels[k + 1], pixels[k + 2]};
  }
};

/// \brief Writes a picture as PNG. Throws like `write_png_rgb`.
void write_png(const std::filesystem::path& path, const RgbImage& image);

/// \brief Colours of charts: fields of a checkerboard at the median scale, their colours when
/// squeezed or stretched by a factor of four, and marks.
inline constexpr Rgb chart_background{255, 255, 255};
inline constexpr Rgb chart_fill{222, 231, 242};
inline constexpr Rgb chart_dark_fill{188, 203, 222};
inline constexpr Rgb chart_squeezed{49, 104, 177};
inline constexpr Rgb chart_stretched{240, 160, 40};
inline constexpr Rgb chart_edge{150, 158, 168};
inline constexpr Rgb chart_flip{214, 39, 40};

/// \brief Side of the fields of a checkerboard in the plane of a chart. At the median scale, 24
/// fields lie along a square of the same area as the surface. 0 if there is no such scale. Throws
/// like `area_scales`.
double checkerboard_side(const TriangleMesh& mesh, const AreaScales& scales);

/// \brief Draws the triangles of a chart in the plane on a checkerboard, u to the right and v
/// upwards.
///
/// The longer side of the box around the chart fills \p size pixels minus a margin; the other side
/// of the picture follows. Triangles become blue if they are squeezed relative to the median, and
/// orange if they are stretched, fully at a factor of 4 in length. Flipped triangles are drawn
/// last, in red, and marked by a cross of at least 7 pixels. Edges of a triangle are drawn if they
/// are long enough to be visible, 4 pixels on average. Fields have the side `checkerboard_side`,
/// doubled until they are visible. Triangles with coordinates that are not finite are omitted.
///
/// \param size size in pixels, 16 to 16384
/// \param sense +1 if counter-clockwise triangles are correct, otherwise -1
///
/// Cost: a few passes over the triangles and their pixels, on the calling thread.
RgbImage draw_chart(const TriangleMesh& mesh, std::span<const Point2> uv, std::size_t size,
                    int sense = 1);

/// \brief View direction and style of a shaded picture.
struct ShadingOptions {
  /// Interpolates normals between the vertices, instead of one normal per triangle.
  bool smooth = false;
  /// Direction from the surface to the viewer. Zeros: three quarters from above. Up is the axis
  /// along which the surface is less than half as long as along the others, or y.
  Point3 direction{0, 0, 0};
  /// Chart of the surface, one point per vertex. The checkerboard of its plane is drawn on the
  /// surface and shows scale and shear. Empty: no checkerboard.
  std::span<const Point2> chart = {};
};

/// \brief Renders the surface from outside: parallel projection without hidden parts, shaded by
/// Lambert's law with a light at the viewer's left shoulder. Both sides look the same.
///
/// \param size length of the longer side in pixels, 16 to 8192; four samples per pixel
/// \throws Error for coordinates that are not finite, and like `area_scales` for a chart
///
/// Cost: like `draw_chart`; 12 bytes per sample.
RgbImage render_shaded(const TriangleMesh& mesh, std::size_t size,
                       const ShadingOptions& options = {});

}  // namespace Tomokkos
