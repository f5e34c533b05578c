// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One reader per format, and what they share.
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

/// \brief Throws with the position where the reader stands.
using FailHere = std::function<void(const std::string&)>;

/// \brief Collects faces and cuts them into triangles.
class FaceCollector {
 public:
  explicit FaceCollector(FailHere fail) : fail_(std::move(fail)) {}

  /// \brief Adds the face with these corners (indices from 0, all in range): the fan about the
  /// first. Fails for fewer than three corners, and for one that is named twice.
  void add(const std::vector<Ordinal>& corners, MeshFileContents& contents);

 private:
  void check(const std::vector<Ordinal>& corners, const MeshFileContents& contents);

  FailHere fail_;
  std::vector<Ordinal> sorted_;
};

/// \brief Refuses, through \p fail, counts that the rest of a file cannot hold, and throws
/// `MemoryError` for those that the memory cannot; then reserves.
///
/// \param bytes_left of the file, and \p vertex_bytes, \p face_bytes the fewest of an item.
void reserve_mesh(std::string_view name, std::uint64_t vertices, std::uint64_t vertex_bytes,
                  std::uint64_t faces, std::uint64_t face_bytes, std::uint64_t bytes_left,
                  const FailHere& fail, MeshFileContents& contents);

/// \brief Refuses, through \p fail, more vertices than indices can name.
void check_vertex_count(std::uint64_t vertices, const FailHere& fail);

}  // namespace Tomokkos::Impl
