// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which vertices of a mesh are kept where they are: a mark per vertex, not 0 for those.
#pragma once

#include <Tomokkos_VertexRings.hpp>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief A \p share of \p num_vertices vertices, in (0, 1]: exactly `round(share num_vertices)` of
/// them, one at least, chosen at random by \p seed (Philox): those with the least draws. Throws
/// `Error` for another share.
std::vector<char> lock_share(Ordinal num_vertices, double share, std::uint64_t seed = 1);

/// \brief The vertices at the ends of edges with one triangle.
std::vector<char> lock_border(const TriangleMesh& mesh);

/// \brief The vertices whose numbers, from 0, \p path holds: a `.npy` array, or a `.txt` file of
/// numbers between blanks and line ends with comments behind `#`. Numbers may come again.
///
/// \throw InputError with file and line (text) or entry (array) for what is not the number of a
/// vertex, and for a file without any.
std::vector<char> read_locks(const std::filesystem::path& path, Ordinal num_vertices);

/// \brief Throws `InputError` unless every piece of the mesh has a locked vertex: the smoothest
/// surface of one without would be any single point.
///
/// \param name of the mesh, the beginning of the message
/// \param coinciding_vertices of the mesh, see `MeshSummary`: a message tells how to join them
void check_locks(const VertexRings& rings, std::span<const char> locked, std::string_view name,
                 Ordinal coinciding_vertices = 0);

/// \brief How many vertices are locked.
Ordinal num_locked(std::span<const char> locked);

}  // namespace Tomokkos
