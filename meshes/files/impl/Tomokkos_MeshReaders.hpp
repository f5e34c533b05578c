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
  explicit FaceCollector(FailHere fail) : fail_(std::move(fail)) {}

  /// \brief Adds a face with these corners (indices from 0, all in range) as the fan about the
  /// first. Fails for fewer than three corners or a repeated one.
  void add(const std::vector<Ordinal>& corners, MeshFileContents& contents);

 private:
  void check(const std::vector<Ordinal>& corners, const MeshFileContents& contents);

  FailHere fail_;
  std::vector<Ordinal> sorted_;
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
