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

/// \brief A colour picture: rows from the top, three bytes per pixel.
struct RgbImage {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<std::uint8_t> pixels;

  Rgb at(std::size_t row, std::size_t column) const {
    const std::size_t k = 3 * (row * columns + column);
    return {pixels[k], pixels[k + 1], pixels[k + 2]};
  }
};

/// \brief Writes a picture as PNG. Throws as `write_png_rgb`.
void write_png(const std::filesystem::path& path, const RgbImage& image);

/// \brief The colours of charts: fields of a checkerboard where the scale is the median, what they
/// turn into where it is four times smaller or larger, and marks.
inline constexpr Rgb chart_background{255, 255, 255};
inline constexpr Rgb chart_fill{222, 231, 242};
inline constexpr Rgb chart_dark_fill{188, 203, 222};
inline constexpr Rgb chart_squeezed{49, 104, 177};
inline constexpr Rgb chart_stretched{240, 160, 40};
inline constexpr Rgb chart_edge{150, 158, 168};
inline constexpr Rgb chart_flip{214, 39, 40};

/// \brief Side of the fields of a checkerboard in the plane of a chart: where the chart has the
/// median scale, 24 of them lie along a square as large as the surface. 0 where there is no such
/// scale. Throws as `area_scales`.
double checkerboard_side(const TriangleMesh& mesh, const AreaScales& scales);

/// \brief The triangles of a chart in the plane, u to the right and v upwards, on a checkerboard.
///
/// The longer side of the box around the chart fills \p size pixels less a margin; the other side
/// of the picture follows. Triangles turn blue the more they are squeezed against the median, and
/// orange the more they are stretched, fully at a factor of 4 in length. Flipped triangles are red,
/// on top, and marked by a cross of at least 7 pixels. The edges of a triangle are drawn where they
/// are long enough to be seen, 4 pixels on average. Fields have `checkerboard_side`, doubled until
/// they are seen. Triangles with coordinates that are not finite are left out.
///
/// \param size in pixels, 16 to 16384.
/// \param sense +1 where counter-clockwise triangles are right, -1 else.
/// Cost: some passes over the triangles and their pixels, on the calling thread.
RgbImage draw_chart(const TriangleMesh& mesh, std::span<const Point2> uv, std::size_t size,
                    int sense = 1);

/// \brief How a surface is looked at.
struct ShadingOptions {
  /// Normals interpolated between the vertices, instead of one per triangle.
  bool smooth = false;
  /// From the surface to the eye; zeros: three quarters from above, where above is the axis along
  /// which the surface is less than half as long as along the others, or y.
  Point3 direction{0, 0, 0};
  /// A chart of the surface, a point per vertex: the checkerboard of its plane is drawn on the
  /// surface, whose fields show scale and shear. Empty: none.
  std::span<const Point2> chart = {};
};

/// \brief The surface from outside, parallel projection, hidden parts hidden, shaded by Lambert's
/// law with a light at the eye's left shoulder; both sides alike.
///
/// \param size of the longer side in pixels, 16 to 8192. Four samples per pixel.
/// Throws `Error` for coordinates that are not finite, and as `area_scales` for a chart. Cost: as
/// `draw_chart`; 12 bytes per sample.
RgbImage render_shaded(const TriangleMesh& mesh, std::size_t size,
                       const ShadingOptions& options = {});

}  // namespace Tomokkos
