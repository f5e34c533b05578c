// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <Tomokkos_TwoComponentConversion.hpp>
#include <array>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Two vertices of a chart that stay where they are put: without them its place, size and
/// angle would be free.
struct ChartPins {
  std::array<Ordinal, 2> vertices;
  std::array<Point2, 2> positions;
};

/// \brief The pins \p vertices at (0, 0) and (their distance, 0): a flat mesh then keeps its size.
/// Throws `Error` for vertices that the mesh does not have.
ChartPins place_pins(const TriangleMesh& mesh, const std::array<Ordinal, 2>& vertices);

/// \brief The vertices projected along the mean normal of the surface, so that the pins have their
/// places: where an iteration starts. Pins that lie along the normal give a line. Throws `Error`
/// for pins at one point, or that are no vertices.
std::vector<Point2> projected_chart(const TriangleMesh& mesh, const ChartPins& pins);

/// \brief The least squares conformal map of a mesh (Levy et al. 2002) as a linear system over the
/// vertices that are not pinned, u and v of a vertex side by side: `A x = b`.
///
/// With a triangle laid into the plane at 0, a and c + i d, and z = u + i v, the energy is the sum
/// of `|(c - a + i d) z_i - (c + i d) z_j + a z_k|^2 / (2 A)` over the triangles, A their areas.
/// Its matrix is `L (x) I_2 + C`: L has `-(cot + cot)` of the angles opposite to an edge, the sums
/// of these on its diagonal, and C couples u and v by `b = 1` along the border (the sense of its
/// triangle; -1 against it) - inside, the two triangles of an edge cancel, exactly.
struct ConformalSystem {
  /// The vertex of each pair of unknowns.
  std::vector<Ordinal> vertices;
  SharedCsrMatrix<double, Kokkos::HostSpace> matrix;
  /// `2 i` and `2 i + 1` of u and v.
  std::vector<double> right_hand_side;
};

/// \brief Builds the system. \p order: the free vertices in the order in which they become
/// unknowns; empty: as they are numbered.
///
/// Expects a mesh that `check_parameterizable` accepts. About 200 bytes a triangle while it works,
/// one thread. Throws `Error` for pins that are one vertex or no vertices.
ConformalSystem conformal_system(const TriangleMesh& mesh, const ChartPins& pins,
                                 std::span<const Ordinal> order = {});

/// \brief The chart of the unknowns \p x of \p system, and of the pins.
std::vector<Point2> chart_of(const TriangleMesh& mesh, const ChartPins& pins,
                             const ConformalSystem& system, std::span<const double> x);

/// \brief The unknowns of a chart.
std::vector<double> unknowns_of(const ConformalSystem& system, std::span<const Point2> uv);

}  // namespace Tomokkos
