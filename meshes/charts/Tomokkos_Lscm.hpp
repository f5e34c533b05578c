// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <Tomokkos_TwoComponentConversion.hpp>
#include <array>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Two vertices of a chart with fixed positions, which determine its position, size and
/// orientation.
struct ChartPins {
  std::array<Ordinal, 2> vertices;
  std::array<Point2, 2> positions;
};

/// \brief Places the pins \p vertices at (0, 0) and (their distance, 0), so that a flat mesh keeps
/// its size.
///
/// \throws Error for vertices that the mesh does not have
ChartPins place_pins(const TriangleMesh& mesh, const std::array<Ordinal, 2>& vertices);

/// \brief Projects the vertices along the mean normal of the surface so that the pins have their
/// positions: the start of an iteration. Pins along the normal give a line.
///
/// \throws Error for pins at the same point or that are not vertices
std::vector<Point2> projected_chart(const TriangleMesh& mesh, const ChartPins& pins);

/// \brief Least squares conformal map of a mesh (Levy et al. 2002) as a linear system `A x = b`
/// over the free vertices. u and v of a vertex are adjacent.
///
/// With a triangle placed in the plane at 0, a and c + i d, and with z = u + i v, the energy is the
/// sum of `|(c - a + i d) z_i - (c + i d) z_j + a z_k|^2 / (2 A)` over the triangles, where A is
/// the area of the triangle. Its matrix is `L (x) I_2 + C`. L has the entries `-(cot + cot)` of the
/// two angles opposite to an edge, and their sums on its diagonal. C couples u and v by `b = 1`
/// along the border in the orientation of its triangle (-1 against it). For inner edges, the
/// contributions of the two triangles cancel exactly.
struct ConformalSystem {
  /// Vertex of each pair of unknowns.
  std::vector<Ordinal> vertices;
  SharedCsrMatrix<double, Kokkos::HostSpace> matrix;
  /// Entries `2 i` and `2 i + 1` belong to u and v.
  std::vector<double> right_hand_side;
};

/// \brief Builds the system for a mesh that `check_parameterizable` accepts.
///
/// \param order free vertices in the order of the unknowns; empty: natural order
/// \throws Error for pins that are equal or not vertices
///
/// Cost: about 200 bytes per triangle of temporary memory, one thread.
ConformalSystem conformal_system(const TriangleMesh& mesh, const ChartPins& pins,
                                 std::span<const Ordinal> order = {});

/// \brief Combines the unknowns \p x of \p system and the pins to a chart.
std::vector<Point2> chart_of(const TriangleMesh& mesh, const ChartPins& pins,
                             const ConformalSystem& system, std::span<const double> x);

/// \brief Extracts the unknowns of \p system from a chart.
std::vector<double> unknowns_of(const ConformalSystem& system, std::span<const Point2> uv);

}  // namespace Tomokkos
