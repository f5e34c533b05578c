// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string>
#include <string_view>

namespace Tomokkos {
namespace {

// Values that a reader would reject must not be written.
template <class Point>
void check_finite(const std::filesystem::path& path, std::span<const Point> points,
                  const char* what) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const double x : points[i]) {
      if (!std::isfinite(x))
        throw OutputError(Impl::text("cannot write '{}': the {} of vertex {} are not finite",
                                     path.string(), what, i + 1));
    }
  }
}

/// Line of text, in a buffer that is long enough for nine numbers.
class Line {
 public:
  void text(const char* word) {
    while (*word != '\0') *end_++ = *word++;
  }
  /// Appends the shortest text that reads back to the same bits; at most 24 characters.
  template <class Number>
  void number(Number value) {
    end_ = std::to_chars(end_, buffer_ + sizeof buffer_, value).ptr;
  }
  void write(AtomicFile& file) {
    *end_++ = '\n';
    file.write(buffer_, static_cast<std::size_t>(end_ - buffer_));
    end_ = buffer_;
  }

 private:
  char buffer_[256];
  char* end_ = buffer_;
};

template <class T>
void append_little_endian(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  if constexpr (std::endian::native == std::endian::little) {
    bytes.append(raw, sizeof(T));
  } else {
    for (std::size_t k = sizeof(T); k > 0; --k) bytes += raw[k - 1];
  }
}

}  // namespace

const OutputKind obj_output{"an OBJ mesh", [](const std::filesystem::path& file) {
                              std::istringstream lines(Impl::first_bytes(file, 4096));
                              constexpr std::array<std::string_view, 8> keywords{
                                  "v", "vt", "vn", "f", "o", "g", "mtllib", "usemtl"};
                              std::string word;
                              for (std::string line; std::getline(lines, line);)
                                if (std::istringstream(line) >> word && !word.starts_with('#'))
                                  return std::find(keywords.begin(), keywords.end(), word) !=
                                         keywords.end();
                              return false;
                            }};

const OutputKind ply_output{"a PLY mesh", [](const std::filesystem::path& file) {
                              return Impl::first_bytes(file, 3) == "ply";
                            }};

void write_obj(const std::filesystem::path& path, const TriangleMesh& mesh,
               std::span<const Point2> texture_coordinates) {
  const bool textured = !texture_coordinates.empty();
  if (textured) {
    require_equal("number of texture coordinates",
                  static_cast<long long>(texture_coordinates.size()), "number of vertices",
                  static_cast<long long>(mesh.vertices.size()));
  }
  check_finite(path, std::span<const Point3>(mesh.vertices), "coordinates");
  check_finite(path, texture_coordinates, "texture coordinates");
  AtomicFile file(path, obj_output);
  Line line;
  const auto write_points = [&](const char* keyword, const auto& points) {
    for (const auto& point : points) {
      line.text(keyword);
      for (const double x : point) {
        line.text(" ");
        line.number(x);
      }
      line.write(file);
    }
  };
  write_points("v", mesh.vertices);
  write_points("vt", texture_coordinates);
  for (const Triangle& triangle : mesh.triangles) {
    line.text("f");
    for (const Ordinal v : triangle) {
      line.text(" ");
      line.number(static_cast<Offset>(v) + 1);
      if (!textured) continue;
      line.text("/");
      line.number(static_cast<Offset>(v) + 1);
    }
    line.write(file);
  }
  file.commit();
}

void write_ply(const std::filesystem::path& path, const TriangleMesh& mesh) {
  check_finite(path, std::span<const Point3>(mesh.vertices), "coordinates");
  AtomicFile file(path, ply_output);
  file.write(
      Impl::text("ply\nformat binary_little_endian 1.0\n"
                 "element vertex {}\nproperty double x\nproperty double y\nproperty double z\n"
                 "element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                 mesh.vertices.size(), mesh.triangles.size()));
  std::string bytes;
  for (const Point3& p : mesh.vertices) {
    bytes.clear();
    for (const double x : p) append_little_endian(bytes, x);
    file.write(bytes);
  }
  for (const Triangle& triangle : mesh.triangles) {
    bytes.assign(1, '\3');
    for (const Ordinal v : triangle) append_little_endian(bytes, v);
    file.write(bytes);
  }
  file.commit();
}

}  // namespace Tomokkos
