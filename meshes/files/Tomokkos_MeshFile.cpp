// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_InputFile.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_PolygonTriangles.hpp>
#include <algorithm>
#include <impl/Tomokkos_MeshReaders.hpp>
#include <limits>
#include <string>

namespace Tomokkos {
namespace Impl {

void FaceCollector::check(const std::vector<Ordinal>& corners, const MeshFileContents& contents) {
  const std::string face = Impl::text("face {}", contents.num_faces + 1);
  if (corners.size() < 3)
    fail_(Impl::text("{} has {} corners, but needs at least three", face, corners.size()));
  sorted_ = corners;
  std::sort(sorted_.begin(), sorted_.end());
  const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
  if (twice != sorted_.end())
    fail_(Impl::text("{} names vertex {} (counted from 1) twice", face,
                     static_cast<Offset>(*twice) + 1));
  if (contents.mesh.triangles.size() + corners.size() - 2 > static_cast<std::size_t>(max_triangles))
    fail_(Impl::text("more than {} triangles", max_triangles));
}

void FaceCollector::add(const std::vector<Ordinal>& corners, MeshFileContents& contents) {
  auto& triangles = contents.mesh.triangles;
  const bool is_plain = corners.size() == 3 && corners[0] != corners[1] &&
                        corners[1] != corners[2] && corners[2] != corners[0] &&
                        triangles.size() < static_cast<std::size_t>(max_triangles);
  if (!is_plain) check(corners, contents);
  ++contents.num_faces;
  const std::size_t first = triangles.size();
  triangles.resize(first + corners.size() - 2, {corners[0], corners[1], corners[2]});
  if (corners.size() == 3) return;
  ++contents.num_polygons;
  const auto vertices = static_cast<Ordinal>(contents.mesh.vertices.size());
  if (std::any_of(corners.begin(), corners.end(), [&](Ordinal v) { return v >= vertices; })) {
    waiting_.push_back({corners, first, contents.num_faces, where_()});
    return;
  }
  const std::string fault = divide(corners, contents.num_faces, first, contents);
  if (!fault.empty()) fail_(fault);
}

void FaceCollector::finish(MeshFileContents& contents) {
  for (const Waiting& polygon : waiting_) {
    const std::string fault =
        divide(polygon.corners, polygon.face, polygon.first_triangle, contents);
    if (!fault.empty()) throw InputError(polygon.where + fault);
  }
  waiting_.clear();
}

std::string FaceCollector::divide(const std::vector<Ordinal>& corners, Offset face,
                                  std::size_t first, MeshFileContents& contents) {
  points_.clear();
  for (const Ordinal v : corners)
    points_.push_back(contents.mesh.vertices[static_cast<std::size_t>(v)]);
  pieces_.clear();
  const std::string what = Impl::text("face {} with {} corners ", face, corners.size());
  switch (divide_polygon(points_, pieces_)) {
    case PolygonFault::none:
      break;
    case PolygonFault::no_area:
      return what + "has no area: its corners lie on a line, or its parts cancel; remove it";
    case PolygonFault::crossing:
      return what + "crosses or touches itself; divide it into triangles";
    case PolygonFault::too_large:
      return what + Impl::text(
                        "is not convex and has more than {} corners; divide it into "
                        "triangles",
                        most_concave_corners);
  }
  for (const Triangle& piece : pieces_) {
    Triangle& triangle = contents.mesh.triangles[first++];
    for (std::size_t k = 0; k < 3; ++k) triangle[k] = corners[static_cast<std::size_t>(piece[k])];
  }
  return {};
}

void check_vertex_count(std::uint64_t vertices, const FailHere& fail) {
  constexpr std::uint64_t most = std::numeric_limits<Ordinal>::max();
  if (vertices > most) fail(Impl::text("{} vertices; at most {} are possible", vertices, most));
}

void reserve_mesh(std::string_view name, std::uint64_t vertices, std::uint64_t vertex_bytes,
                  std::uint64_t faces, std::uint64_t face_bytes, std::uint64_t bytes_left,
                  const FailHere& fail, MeshFileContents& contents) {
  check_vertex_count(vertices, fail);
  const auto needed_vertices = checked_multiply(vertices, vertex_bytes);
  const auto needed_faces = checked_multiply(faces, face_bytes);
  const auto needed =
      needed_vertices && needed_faces ? checked_add(*needed_vertices, *needed_faces) : std::nullopt;
  if (!needed || *needed > bytes_left)
    fail(Impl::text(
        "{} vertices and {} faces are declared, but only {} bytes follow, which is too few",
        vertices, faces, bytes_left));
  if (faces > static_cast<std::uint64_t>(max_triangles))
    fail(Impl::text("{} faces; at most {} are possible", faces, max_triangles));
  MemoryNeed()
      .add(vertices, sizeof(Point3))
      .add(faces, sizeof(Triangle))
      .require_available("reading " + std::string(name));
  contents.mesh.vertices.reserve(static_cast<std::size_t>(vertices));
  contents.mesh.triangles.reserve(static_cast<std::size_t>(faces));
}

}  // namespace Impl

MeshFileContents read_mesh(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  MeshFileContents contents;
  if (extension == ".obj") {
    contents = Impl::read_obj(path);
  } else if (extension == ".off") {
    contents = Impl::read_off(path);
  } else if (extension == ".ply") {
    contents = Impl::read_ply(path);
  } else {
    throw InputError(path.string() + ": meshes are read from .obj, .off and .ply files");
  }
  if (contents.num_faces == 0)
    throw InputError(Impl::text("{}: contains no face, only {} vertices", path.string(),
                                contents.mesh.vertices.size()));
  return contents;
}

}  // namespace Tomokkos
