// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the values of a PLY file one by one, as text or binary.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_InputFile.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <impl/Tomokkos_MeshReaders.hpp>
#include <impl/Tomokkos_MeshText.hpp>
#include <impl/Tomokkos_PlyHeader.hpp>
#include <memory>
#include <string>

namespace Tomokkos::Impl {

/// \brief Values as words. Every item of an element is one line.
class PlyTextBody {
 public:
  explicit PlyTextBody(MeshText& text) : text_(text) {}

  void begin_item(const PlyElement& element, std::uint64_t index) {
    do {
      if (!text_.next(line_))
        text_.fail(Impl::text("the file ends after {} of {} items of the element {}", index,
                              element.count, element.name));
      skip_mesh_blanks(line_);
    } while (line_.empty());
  }
  double real(PlyType, const char* what) { return text_.next_coordinate(line_, what); }
  std::int64_t integer(PlyType, const char* what) { return text_.next_integer(line_, what); }
  void pass(PlyType) { text_.pass_number(line_, "value"); }
  void end_item() { text_.expect_line_end(line_); }
  void end_file() {
    while (text_.next(line_)) {
      skip_mesh_blanks(line_);
      if (!line_.empty())
        text_.fail("unexpected text after the last item: " + quote_mesh_word(line_));
    }
  }
  std::uint64_t remaining() const { return text_.remaining() + 1; }
  std::string where() const { return text_.where(); }
  [[noreturn]] void fail(const std::string& message) const { text_.fail(message); }

 private:
  MeshText& text_;
  std::string_view line_;
};

/// \brief Values as bytes.
class PlyBinaryBody {
 public:
  PlyBinaryBody(const std::filesystem::path& path, std::uint64_t begin, PlyEncoding encoding)
      : file_(path),
        swapped_((encoding == PlyEncoding::big_endian) ==
                 (std::endian::native == std::endian::little)) {
    file_.skip(begin);
  }

  void begin_item(const PlyElement& element, std::uint64_t) { element_ = &element; }
  double real(PlyType type, const char* what) {
    last_ = position();
    const double value = load(type);
    if (!(value - value == 0)) fail(std::string("the ") + what + " is not finite");
    return value;
  }
  std::int64_t integer(PlyType type, const char*) {
    last_ = position();
    return static_cast<std::int64_t>(load(type));
  }
  void pass(PlyType type) { take(ply_size(type)); }
  void end_item() {}
  void end_file() {
    if (start_ == filled_) file_.expect_end();
    if (start_ != filled_) file_.fail_at(position(), "there are bytes after the last item");
  }
  std::uint64_t remaining() const { return file_.remaining() + (filled_ - start_); }
  std::string where() const { return Impl::text("{}: byte {}: ", file_.name(), last_); }
  /// \brief Fails with the position of the last number.
  [[noreturn]] void fail(const std::string& message) const { file_.fail_at(last_, message); }

 private:
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

  std::uint64_t position() const { return file_.position() - (filled_ - start_); }

  const unsigned char* take(std::size_t bytes) {
    if (filled_ - start_ < bytes) {
      std::memmove(buffer_.get(), buffer_.get() + start_, filled_ - start_);
      filled_ -= start_;
      start_ = 0;
      filled_ += file_.read_up_to(buffer_.get() + filled_, buffer_bytes - filled_);
      if (filled_ < bytes)
        file_.fail_at(file_.position(), "the file ends within the element " + element_->name);
    }
    const unsigned char* result = buffer_.get() + start_;
    start_ += bytes;
    return result;
  }

  template <class T>
  T load_as() {
    std::array<unsigned char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), take(sizeof(T)), sizeof(T));
    if (swapped_) std::reverse(bytes.begin(), bytes.end());
    return std::bit_cast<T>(bytes);
  }

  /// A double represents every type exactly.
  double load(PlyType type) {
    switch (type) {
      case PlyType::int8:
        return load_as<std::int8_t>();
      case PlyType::uint8:
        return load_as<std::uint8_t>();
      case PlyType::int16:
        return load_as<std::int16_t>();
      case PlyType::uint16:
        return load_as<std::uint16_t>();
      case PlyType::int32:
        return load_as<std::int32_t>();
      case PlyType::uint32:
        return load_as<std::uint32_t>();
      case PlyType::float32:
        return load_as<float>();
      case PlyType::float64:
        return load_as<double>();
    }
    return 0;
  }

  InputFile file_;
  std::unique_ptr<unsigned char[]> buffer_ = std::make_unique<unsigned char[]>(buffer_bytes);
  std::size_t start_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t last_ = 0;
  bool swapped_;
  const PlyElement* element_ = nullptr;
};

namespace {

/// Indices in the header of the elements and properties of a mesh.
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
    throw InputError(
        name + ": the header has no element face" +
        (header.find("tristrips") < 0 ? "" : "; strips of triangles are not supported"));
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
        faces_(fail_, [this] { return body_.where(); }) {}

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
    faces_.finish(contents_);
    return std::move(contents_);
  }

 private:
  /// Checks beforehand that the rest of the file can hold all items of all elements.
  void reserve() {
    std::uint64_t others = 0;
    for (const PlyElement& element : header_.elements) {
      const auto bytes = checked_multiply(element.count, element.least_bytes(header_.encoding));
      if (!bytes || *bytes > body_.remaining())
        throw InputError(
            Impl::text("{}:{}: {} items of the element {} are declared, but the {} bytes after the "
                       "header are too few",
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
