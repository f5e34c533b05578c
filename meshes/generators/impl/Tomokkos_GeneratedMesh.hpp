// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the generators of meshes share.
#pragma once

#include <Tomokkos_MeshGenerators.hpp>
#include <cstdint>

namespace Tomokkos::Impl {

// Items of one seed, apart for different ends: their draws do not meet.
inline constexpr std::uint64_t vertex_draws = 0;
inline constexpr std::uint64_t cell_draws = std::uint64_t{1} << 60;
inline constexpr std::uint64_t shape_draws = std::uint64_t{2} << 60;
inline constexpr std::uint64_t noise_draws = std::uint64_t{3} << 60;
inline constexpr std::uint64_t lock_draws = std::uint64_t{4} << 60;

/// \brief Throws `Error` for a size that is none, or that no mesh can have.
void check_mesh_size(const MeshSize& size);

/// \brief An empty mesh with room for so much. Throws `Error` and `MemoryError`.
TriangleMesh reserve_generated(Offset num_vertices, Offset num_triangles);

}  // namespace Tomokkos::Impl
