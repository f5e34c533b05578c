// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EquationWriter.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief Two equations for every triangle of a least squares conformal map, for `EquationRows`.
///
/// Rows 2 t and 2 t + 1 are the real and imaginary parts of
/// `(c - a + i d) z_i - (c + i d) z_j + a z_k = 0`, multiplied by `1 / sqrt(2 A)`. The variables
/// `2 i` and `2 i + 1` are u and v of vertex i. `ConformalSystem` has the same normal matrix,
/// without inner entries that cancel.
template <class Scalar, class MemorySpace>
struct LscmEquations {
  /// `3 vertices` coordinates and `3 triangles` corners.
  VectorView<const double, MemorySpace> vertices;
  VectorView<const Ordinal, MemorySpace> triangles;

  KOKKOS_FUNCTION double edge(Ordinal from, Ordinal to, int d) const {
    return vertices(3 * static_cast<Offset>(to) + d) - vertices(3 * static_cast<Offset>(from) + d);
  }

  KOKKOS_FUNCTION void operator()(const Offset row, EquationWriter<Scalar>& equation) const {
    const Offset t = row / 2;
    const Ordinal i = triangles(3 * t), j = triangles(3 * t + 1), k = triangles(3 * t + 2);
    double along[3], to[3];
    for (int d = 0; d < 3; ++d) {
      along[d] = edge(i, j, d);
      to[d] = edge(i, k, d);
    }
    const double nx = along[1] * to[2] - along[2] * to[1];
    const double ny = along[2] * to[0] - along[0] * to[2];
    const double nz = along[0] * to[1] - along[1] * to[0];
    const double double_area = Impl::sqrt(nx * nx + ny * ny + nz * nz);
    const double a = Impl::sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
    const double c = (along[0] * to[0] + along[1] * to[1] + along[2] * to[2]) / a;
    const double d = double_area / a;
    const bool real = row % 2 == 0;
    const auto add = [&](Ordinal vertex, double alpha, double beta) {
      equation.add(2 * vertex, static_cast<Scalar>(real ? alpha : beta));
      equation.add(2 * vertex + 1, static_cast<Scalar>(real ? -beta : alpha));
    };
    add(i, c - a, d);
    add(j, -c, -d);
    add(k, a, 0);
    equation.scale(1 / Impl::sqrt(double_area));
  }
};

}  // namespace Tomokkos
