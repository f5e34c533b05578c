// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers of the mesh generators.
#pragma once

#include <Tomokkos_MeshGenerators.hpp>
#include <cstdint>

namespace Tomokkos::Impl {

// Separate ranges of items of one seed for different purposes, so that their random numbers are
// independent.
inline constexpr std::uint64_t vertex_draws = 0;
inline constexpr std::uint64_t cell_draws = std::uint64_t{1} << 60;
inline constexpr std::uint64_t shape_draws = std::uint64_t{2} << 60;
inline constexpr std::uint64_t noise_draws = std::uint64_t{3} << 60;
inline constexpr std::uint64_t lock_draws = std::uint64_t{4} << 60;

/// \brief Throws `Error` for an invalid or impossible size.
void check_mesh_size(const MeshSize& size);

/// \brief Creates an empty mesh with reserved memory. Throws `Error` and `MemoryError`.
TriangleMesh reserve_generated(Offset num_vertices, Offset num_triangles);

}  // namespace Tomokkos::Impl
