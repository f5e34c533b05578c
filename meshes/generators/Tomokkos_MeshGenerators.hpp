// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MeshShape.hpp>
#include <Tomokkos_TriangleMesh.hpp>
#include <cstdint>

namespace Tomokkos {

// Vertices inside are displaced by up to 0.15 of the distance to their neighbours, and which
// diagonal cuts a cell is a matter of chance, both by the seed: between three and nine triangles
// meet at a vertex inside. No triangle has two sides on the border. Sizes are met within one row of
// triangles. The same arguments give the same mesh. Cost: linear, on the calling thread. Throws
// `Error` for a size below 4 vertices or 2 triangles, or beyond `max_triangles`, and `MemoryError`
// where there is too little memory.

/// \brief A height field over [-1, 1]^2, z up: sines of several lengths and bumps at places that
/// the seed chooses.
TriangleMesh hills(const MeshSize& size, std::uint64_t seed = 1);

/// \brief The part of the unit sphere within \p half_angle degrees (up to 175) of the z axis,
/// normals outwards: rings of vertices around the pole.
TriangleMesh cap(const MeshSize& size, std::uint64_t seed = 1, double half_angle = 60);

/// \brief The unit disk in z = 0, normals up: rings around its centre.
TriangleMesh disk(const MeshSize& size, std::uint64_t seed = 1);

/// \brief A strip rolled up: (t cos t, y, t sin t), t from 1.5 pi to 4.5 pi, y from 0 to 21, cells
/// of equal length along the spiral. It unrolls without distortion.
TriangleMesh swiss_roll(const MeshSize& size, std::uint64_t seed = 1);

/// \brief One of the shapes above, by its name.
TriangleMesh generate_mesh(MeshShape shape, const MeshSize& size, std::uint64_t seed = 1);

/// \brief Every triangle cut into four at the middles of its sides, \p levels times.
///
/// Vertices keep their indices; middles follow in the order of the ends of their edges. Triangle t
/// becomes 4 t (at its first corner) ... 4 t + 3 (in the middle). Throws `Error` when triangles or
/// vertices exceed what indices can name, `MemoryError` where there is too little memory.
TriangleMesh refine(const TriangleMesh& mesh, int levels = 1);

/// \brief Adds to every coordinate a normal random number times \p amount mean lengths of an edge.
void add_noise(TriangleMesh& mesh, double amount, std::uint64_t seed = 1);

}  // namespace Tomokkos
