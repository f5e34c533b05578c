// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Text.hpp>
#include <impl/Tomokkos_MeshReaders.hpp>
#include <impl/Tomokkos_PlyBody.hpp>

namespace Tomokkos::Impl {
namespace {

/// Where the header names what a mesh is made of.
struct PlyPlan {
  int vertex = -1;
  int face = -1;
  std::array<int, 3> coordinates{-1, -1, -1};
  int corners = -1;
};

PlyPlan make_plan(const std::string& name, const PlyHeader& header) {
  const auto fail = [&](std::uint64_t line, const std::string& message) {
    throw InputError(Impl::text("{}:{}: {}", name, line, message));
  };
  PlyPlan plan;
  plan.vertex = header.find("vertex");
  plan.face = header.find("face");
  if (plan.vertex < 0) throw InputError(name + ": the header has no element vertex");
  if (plan.face < 0) {
    throw InputError(name + ": the header has no element face" +
                     (header.find("tristrips") < 0 ? "" : "; strips of triangles are not read"));
  }
  const PlyElement& vertex = header.elements[static_cast<std::size_t>(plan.vertex)];
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string coordinate(1, "xyz"[k]);
    plan.coordinates[k] = vertex.find(coordinate);
    if (plan.coordinates[k] < 0 ||
        vertex.properties[static_cast<std::size_t>(plan.coordinates[k])].is_list)
      fail(vertex.line, "the vertices need a number as property " + coordinate);
  }
  const PlyElement& face = header.elements[static_cast<std::size_t>(plan.face)];
  plan.corners = face.find("vertex_indices");
  if (plan.corners < 0) plan.corners = face.find("vertex_index");
  if (plan.corners < 0) fail(face.line, "the faces need a list as property vertex_indices");
  const PlyProperty& corners = face.properties[static_cast<std::size_t>(plan.corners)];
  if (!corners.is_list || !is_ply_integer(corners.type))
    fail(face.line,
         "the property " + corners.name + " of the faces must be a list of whole numbers");
  return plan;
}

template <class Body>
class PlyReader {
 public:
  PlyReader(std::string name, const PlyHeader& header, Body& body)
      : name_(std::move(name)),
        header_(header),
        plan_(make_plan(name_, header)),
        body_(body),
        fail_([this](const std::string& message) { body_.fail(message); }),
        faces_(fail_) {}

  MeshFileContents read() {
    reserve();
    for (std::size_t e = 0; e < header_.elements.size(); ++e) {
      const PlyElement& element = header_.elements[e];
      if (element.properties.empty()) continue;
      for (std::uint64_t i = 0; i < element.count; ++i) {
        body_.begin_item(element, i);
        if (static_cast<int>(e) == plan_.vertex) {
          read_vertex(element);
        } else if (static_cast<int>(e) == plan_.face) {
          read_face(element);
        } else {
          for (const PlyProperty& property : element.properties) pass(property);
        }
        body_.end_item();
      }
    }
    body_.end_file();
    return std::move(contents_);
  }

 private:
  /// Asks first whether the rest of the file can hold all items of all elements.
  void reserve() {
    std::uint64_t others = 0;
    for (const PlyElement& element : header_.elements) {
      const auto bytes = checked_multiply(element.count, element.least_bytes(header_.encoding));
      if (!bytes || *bytes > body_.remaining())
        throw InputError(
            Impl::text("{}:{}: {} items of the element {} are promised, but the {} bytes after the "
                       "header are too few for so many",
                       name_, element.line, element.count, element.name, body_.remaining()));
      if (&element != &vertices() && &element != &faces()) others += *bytes;
    }
    const bool is_text = header_.encoding == PlyEncoding::ascii;
    const PlyProperty& corners = faces().properties[static_cast<std::size_t>(plan_.corners)];
    const std::uint64_t corner_bytes = is_text ? 2 : ply_size(corners.type);
    const std::uint64_t left = body_.remaining() - std::min(others, body_.remaining());
    const FailHere fail = [this](const std::string& message) {
      throw InputError(Impl::text("{}:{}: {}", name_, vertices().line, message));
    };
    reserve_mesh(name_, vertices().count, vertices().least_bytes(header_.encoding), faces().count,
                 faces().least_bytes(header_.encoding) + 3 * corner_bytes, left, fail, contents_);
  }

  const PlyElement& vertices() const {
    return header_.elements[static_cast<std::size_t>(plan_.vertex)];
  }
  const PlyElement& faces() const { return header_.elements[static_cast<std::size_t>(plan_.face)]; }

  std::int64_t list_length(const PlyProperty& property) {
    const std::int64_t length = body_.integer(property.count_type, "length of a list");
    if (length < 0) body_.fail("the length of the list " + property.name + " is negative");
    return length;
  }

  void pass(const PlyProperty& property) {
    const std::int64_t length = property.is_list ? list_length(property) : 1;
    for (std::int64_t k = 0; k < length; ++k) body_.pass(property.type);
  }

  void read_vertex(const PlyElement& element) {
    static constexpr std::array<const char*, 3> names{"x coordinate", "y coordinate",
                                                      "z coordinate"};
    Point3 p{};
    for (std::size_t k = 0; k < element.properties.size(); ++k) {
      const PlyProperty& property = element.properties[k];
      std::size_t axis = 0;
      while (axis < 3 && plan_.coordinates[axis] != static_cast<int>(k)) ++axis;
      if (axis < 3) {
        p[axis] = body_.real(property.type, names[axis]);
      } else {
        pass(property);
      }
    }
    contents_.mesh.vertices.push_back(p);
  }

  void read_face(const PlyElement& element) {
    for (std::size_t k = 0; k < element.properties.size(); ++k) {
      const PlyProperty& property = element.properties[k];
      if (static_cast<int>(k) != plan_.corners) {
        pass(property);
        continue;
      }
      corners_.clear();
      const std::int64_t length = list_length(property);
      const auto limit = static_cast<std::int64_t>(vertices().count);
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t index = body_.integer(property.type, "index of a corner");
        if (index < 0 || index >= limit)
          body_.fail(
              Impl::text("the face names vertex {}, which is not in 0 ... {}", index, limit - 1));
        corners_.push_back(static_cast<Ordinal>(index));
      }
      faces_.add(corners_, contents_);
    }
  }

  std::string name_;
  const PlyHeader& header_;
  PlyPlan plan_;
  Body& body_;
  FailHere fail_;
  FaceCollector faces_;
  MeshFileContents contents_;
  std::vector<Ordinal> corners_;
};

}  // namespace

MeshFileContents read_ply(const std::filesystem::path& path) {
  MeshText text(path);
  const PlyHeader header = read_ply_header(text);
  if (header.encoding == PlyEncoding::ascii) {
    PlyTextBody body(text);
    return PlyReader(path.string(), header, body).read();
  }
  const std::uint64_t begin = InputFile(path).size() - text.remaining();
  PlyBinaryBody body(path, begin, header.encoding);
  return PlyReader(path.string(), header, body).read();
}

}  // namespace Tomokkos::Impl
