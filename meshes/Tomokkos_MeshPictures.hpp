// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

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

/// \brief The colours of charts.
inline constexpr Rgb chart_background{255, 255, 255};
inline constexpr Rgb chart_fill{214, 226, 240};
inline constexpr Rgb chart_edge{150, 158, 168};
inline constexpr Rgb chart_flip{214, 39, 40};

/// \brief The triangles of a chart in the plane, u to the right and v upwards.
///
/// The longer side of the box around the chart fills \p size pixels less a margin; the other side
/// of the picture follows. Flipped triangles are red, on top, and at least one pixel large. Edges
/// are drawn where they are long enough to be seen: when the mean side of a triangle has 4 pixels.
/// Triangles with coordinates that are not finite are left out.
///
/// \param size in pixels, 16 to 16384.
/// \param sense +1 where counter-clockwise triangles are right, -1 else.
/// Cost: one pass over the triangles and their pixels, on the calling thread.
RgbImage draw_chart(const TriangleMesh& mesh, std::span<const Point2> uv, std::size_t size,
                    int sense = 1);

/// \brief How a surface is looked at.
struct ShadingOptions {
  /// Normals interpolated between the vertices, instead of one per triangle.
  bool smooth = false;
  /// From the surface to the eye; zeros: three quarters from above, where above is the axis along
  /// which the surface is less than half as long as along the others, or y.
  Point3 direction{0, 0, 0};
};

/// \brief The surface from outside, parallel projection, hidden parts hidden, shaded by Lambert's
/// law with a light at the eye's left shoulder; both sides alike.
///
/// \param size of the longer side in pixels, 16 to 8192. Four samples per pixel.
/// Throws `Error` for coordinates that are not finite. Cost: as `draw_chart`; 12 bytes per sample.
RgbImage render_shaded(const TriangleMesh& mesh, std::size_t size,
                       const ShadingOptions& options = {});

}  // namespace Tomokkos
