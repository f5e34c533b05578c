// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MeshShape.hpp>
#include <Tomokkos_TriangleMesh.hpp>
#include <cstdint>

namespace Tomokkos {

// The seed displaces inner vertices by up to 0.15 of the distance to their neighbours and chooses
// the diagonal of each cell. Between three and nine triangles meet at an inner vertex. No triangle
// has two sides on the border. Sizes are met within one row of triangles. The same arguments give
// the same mesh.
//
// Cost: linear, on the calling thread. All functions throw `Error` for a size below 4 vertices or 2
// triangles or beyond `max_triangles`, and `MemoryError` if there is too little memory.

/// \brief Height field over [-1, 1]^2, z up: sines of several wavelengths, and bumps at random
/// positions.
TriangleMesh hills(const MeshSize& size, std::uint64_t seed = 1);

/// \brief Part of the unit sphere within \p half_angle degrees (up to 175) of the z axis, with
/// outward normals: rings of vertices around the pole.
TriangleMesh cap(const MeshSize& size, std::uint64_t seed = 1, double half_angle = 60);

/// \brief Unit disk in z = 0, normals up: rings around its centre.
TriangleMesh disk(const MeshSize& size, std::uint64_t seed = 1);

/// \brief Rolled-up strip: (t cos t, y, t sin t), t from 1.5 pi to 4.5 pi, y from 0 to 21, cells of
/// equal length along the spiral. It unrolls without distortion.
TriangleMesh swiss_roll(const MeshSize& size, std::uint64_t seed = 1);

/// \brief Generates the surface \p shape.
TriangleMesh generate_mesh(MeshShape shape, const MeshSize& size, std::uint64_t seed = 1);

/// \brief Divides every triangle into four at the midpoints of its sides, \p levels times.
///
/// Vertices keep their indices; midpoints follow in the order of the ends of their edges. Triangle
/// t becomes 4 t (at its first corner) ... 4 t + 3 (in the middle).
///
/// \throws Error if the triangles or vertices exceed the range of indices
/// \throws MemoryError if there is too little memory
TriangleMesh refine(const TriangleMesh& mesh, int levels = 1);

/// \brief Adds normal random numbers to all coordinates, with a standard deviation of \p amount
/// mean edge lengths.
void add_noise(TriangleMesh& mesh, double amount, std::uint64_t seed = 1);

}  // namespace Tomokkos
