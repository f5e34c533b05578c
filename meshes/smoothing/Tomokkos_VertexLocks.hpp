// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks of vertices: one mark per vertex, nonzero for vertices that keep their positions.
#pragma once

#include <Tomokkos_VertexRings.hpp>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Locks a random \p share, in (0, 1], of \p num_vertices vertices: exactly
/// `round(share num_vertices)`, at least one, those with the smallest random numbers (Philox) of
/// \p seed.
///
/// \throws Error for another share
std::vector<char> lock_share(Ordinal num_vertices, double share, std::uint64_t seed = 1);

/// \brief Locks the ends of edges with a single triangle.
std::vector<char> lock_border(const TriangleMesh& mesh);

/// \brief Locks the vertices listed in \p path, numbered from 0: a `.npy` array, or a `.txt` file
/// of numbers separated by blanks and line ends, with comments after `#`. Numbers may be repeated.
///
/// \throws InputError with file and line (text) or entry (array) for an invalid vertex number, and
/// for a file without numbers
std::vector<char> read_locks(const std::filesystem::path& path, Ordinal num_vertices);

/// \brief Checks that every component of the mesh has a locked vertex. Without one, the smoothest
/// surface would be a single arbitrary point.
///
/// \param name name of the mesh, the beginning of the message
/// \param coinciding_vertices number from `MeshSummary`; if positive, the message explains how to
/// merge these vertices
/// \throws InputError otherwise
void check_locks(const VertexRings& rings, std::span<const char> locked, std::string_view name,
                 Ordinal coinciding_vertices = 0);

/// \brief Returns the number of locked vertices, those whose mark is not 0.
Ordinal num_locked(std::span<const char> locked);

}  // namespace Tomokkos
