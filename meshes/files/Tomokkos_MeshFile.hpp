// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <filesystem>
#include <span>

namespace Tomokkos {

/// \brief What a file of a mesh holds.
struct MeshFileContents {
  TriangleMesh mesh;
  /// Faces of the file.
  Offset num_faces = 0;
  /// Those with more than three corners, which became several triangles.
  Offset num_polygons = 0;
};

/// \brief Reads a surface; the extension tells the format: `.obj`, `.off` or `.ply`.
///
/// A face with the corners v1 ... vn becomes the n - 2 triangles (v1, vk, vk+1), the fan about its
/// first corner; triangles come in the order of the faces. docs/library/meshes.md says what is read
/// of each format. What is more than positions and faces (normals, colours, texture coordinates) is
/// passed over.
///
/// \throw InputError with file and line (text) or byte (binary) where the file is malformed:
/// indices out of range, coordinates that are not finite, faces with fewer than three corners or
/// with one twice, counts that the rest of the file cannot hold, files that end too soon or too
/// late, or hold no face.
/// \throw MemoryError when the counts that a file promises exceed the memory.
MeshFileContents read_mesh(const std::filesystem::path& path);

/// \brief Writes Wavefront OBJ: `v`, one `vt` per vertex where \p texture_coordinates are given,
/// and `f`. Every number comes back with the same bits.
///
/// \param texture_coordinates one per vertex, or none.
/// \throw DimensionMismatch when their number is another, `OutputError` for values that are not
/// finite or as `AtomicFile` does: the file appears whole or not at all.
void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh,
               std::span<const Point2> texture_coordinates = {});

/// \brief Writes PLY, binary and little-endian, with coordinates of 64 bits. Throws as `write_obj`.
void write_ply(const std::filesystem::path& path, const TriangleMesh& mesh);

}  // namespace Tomokkos
