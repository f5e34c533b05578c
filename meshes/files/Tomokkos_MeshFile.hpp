// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_TriangleMesh.hpp>
#include <filesystem>
#include <span>

namespace Tomokkos {

/// \brief Contents of a mesh file.
struct MeshFileContents {
  TriangleMesh mesh;
  /// Number of faces in the file.
  Offset num_faces = 0;
  /// Number of faces with more than three corners, which were divided into triangles.
  Offset num_polygons = 0;
};

/// \brief Reads a surface in the format given by the extension: `.obj`, `.off` or `.ply`.
///
/// A face with n corners becomes n - 2 triangles that do not overlap (`divide_polygon`): the fan
/// about its first corner where this is possible, as for each convex face. Triangles keep the order
/// of the faces. Data other than positions and faces (normals, colours, texture coordinates) are
/// ignored. docs/library/meshes.md describes the supported part of each format.
///
/// \throws InputError with file and line (text) or byte (binary) of a malformed file: indices out
/// of range, coordinates that are not finite, faces with fewer than three corners or a repeated
/// one, polygons that cross or touch themselves or have no area, counts that the rest of the file
/// cannot hold, missing or additional data, or no face \throws MemoryError if the declared counts
/// exceed the memory
MeshFileContents read_mesh(const std::filesystem::path& path);

/// \brief Writes Wavefront OBJ: `v`, one `vt` per vertex if \p texture_coordinates are given, and
/// `f`. Every number reads back to the same bits. The file appears completely or not at all.
///
/// \param texture_coordinates one per vertex, or empty
/// \throws DimensionMismatch if their number is different
/// \throws OutputError for values that are not finite, or like `AtomicFile`
void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh,
               std::span<const Point2> texture_coordinates = {});

/// \brief Writes PLY, binary and little-endian, with 64-bit coordinates. Throws like `write_obj`.
void write_ply(const std::filesystem::path& path, const TriangleMesh& mesh);

/// \brief Kind of the files that `write_obj` writes and may replace.
extern const OutputKind obj_output;

/// \brief Kind of the files that `write_ply` writes and may replace.
extern const OutputKind ply_output;

}  // namespace Tomokkos
