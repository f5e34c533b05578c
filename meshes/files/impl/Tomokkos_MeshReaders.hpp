// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of the mesh formats, and their common helpers.
#pragma once

#include <Tomokkos_MeshFile.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos::Impl {

MeshFileContents read_obj(const std::filesystem::path& path);
MeshFileContents read_off(const std::filesystem::path& path);
MeshFileContents read_ply(const std::filesystem::path& path);

/// \brief Throws an error with the current position of the reader.
using FailHere = std::function<void(const std::string&)>;

/// \brief Collects faces and divides them into triangles.
class FaceCollector {
 public:
  /// \param where returns the file and the current position of the reader, as messages begin
  FaceCollector(FailHere fail, std::function<std::string()> where)
      : fail_(std::move(fail)), where_(std::move(where)) {}

  /// \brief Adds a face with these corners (indices from 0, all in range), divided by
  /// `divide_polygon`. Fails for fewer than three corners, a repeated one, and a polygon that
  /// cannot be divided.
  void add(const std::vector<Ordinal>& corners, MeshFileContents& contents);

  /// \brief Divides the polygons that came before their vertices. Call it after the last vertex.
  void finish(MeshFileContents& contents);

 private:
  /// Polygon that came before its vertices, and where.
  struct Waiting {
    std::vector<Ordinal> corners;
    std::size_t first_triangle;
    Offset face;
    std::string where;
  };

  void check(const std::vector<Ordinal>& corners, const MeshFileContents& contents);
  /// Replaces the triangles from \p first on by those of the polygon. Returns the message of a
  /// polygon that cannot be divided, otherwise nothing.
  std::string divide(const std::vector<Ordinal>& corners, Offset face, std::size_t first,
                     MeshFileContents& contents);

  FailHere fail_;
  std::function<std::string()> where_;
  std::vector<Ordinal> sorted_;
  std::vector<Point3> points_;
  std::vector<Triangle> pieces_;
  std::vector<Waiting> waiting_;
};

/// \brief Reserves memory for a mesh. Rejects, through \p fail, counts that the rest of the file
/// cannot hold, and throws `MemoryError` for counts that exceed the memory.
///
/// \param bytes_left remaining bytes of the file; \p vertex_bytes and \p face_bytes are the fewest
/// bytes of an item
void reserve_mesh(std::string_view name, std::uint64_t vertices, std::uint64_t vertex_bytes,
                  std::uint64_t faces, std::uint64_t face_bytes, std::uint64_t bytes_left,
                  const FailHere& fail, MeshFileContents& contents);

/// \brief Rejects, through \p fail, more vertices than `Ordinal` can index.
void check_vertex_count(std::uint64_t vertices, const FailHere& fail);

}  // namespace Tomokkos::Impl
