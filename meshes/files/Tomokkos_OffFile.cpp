// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <impl/Tomokkos_MeshReaders.hpp>
#include <impl/Tomokkos_MeshText.hpp>

namespace Tomokkos::Impl {
namespace {

class OffReader {
 public:
  explicit OffReader(const std::filesystem::path& path)
      : name_(path.string()),
        text_(path),
        fail_([this](const std::string& message) { text_.fail(message); }),
        faces_(fail_, [this] { return text_.where(); }) {}

  MeshFileContents read() {
    read_header();
    for (std::int64_t i = 0; i < num_vertices_; ++i) read_vertex(i);
    for (std::int64_t i = 0; i < num_faces_; ++i) read_face(i);
    std::string_view line;
    if (text_.next_content(line, '#'))
      text_.fail(Impl::text("unexpected text after the last of the {} faces: {}", num_faces_,
                            quote_mesh_word(line)));
    return std::move(contents_);
  }

 private:
  void read_header() {
    std::string_view line;
    if (!text_.next_content(line, '#')) text_.fail("the file is empty");
    const std::string_view keyword = next_mesh_word(line);
    std::string_view rest = keyword;
    for (const std::string_view prefix : {"ST", "C", "N"}) {
      if (rest.starts_with(prefix)) rest.remove_prefix(prefix.size());
    }
    if (rest == "4OFF" || rest == "nOFF" || rest == "4nOFF")
      text_.fail("vertices must have three dimensions; this keyword is not supported: " +
                 quote_mesh_word(keyword));
    if (rest != "OFF")
      text_.fail(
          "the file must begin with OFF, or with ST, C, N before it, but this one begins with " +
          quote_mesh_word(keyword));
    skip_mesh_blanks(line);
    if (line.starts_with("BINARY"))
      text_.fail("binary OFF files are not supported; write text, or binary PLY");
    if (line.empty() && !text_.next_content(line, '#'))
      text_.fail("the file ends before the numbers of vertices, faces and edges");
    num_vertices_ = take_count(line, "number of vertices");
    num_faces_ = take_count(line, "number of faces");
    skip_mesh_blanks(line);
    // The number of edges is ignored: writers do not count edges, so it is not reliable.
    if (!line.empty()) text_.next_integer(line, "number of edges");
    text_.expect_line_end(line);
    // The shortest items are "0 0 0\n" and "3 0 1 2\n". The last line may have no line end.
    reserve_mesh(name_, static_cast<std::uint64_t>(num_vertices_), 6,
                 static_cast<std::uint64_t>(num_faces_), 8, text_.remaining() + 1, fail_,
                 contents_);
  }

  std::int64_t take_count(std::string_view& line, const char* what) {
    const std::int64_t count = text_.next_integer(line, what);
    if (count < 0) text_.fail(std::string("the ") + what + " is negative");
    return count;
  }

  void next_item(std::string_view& line, const char* what, std::int64_t done, std::int64_t all) {
    if (!text_.next_content(line, '#'))
      text_.fail(Impl::text("the file ends after {} of {} {}", done, all, what));
  }

  /// Skips normals, colours and texture coordinates, whether or not the keyword announces them.
  void pass_extra(std::string_view line) {
    for (skip_mesh_blanks(line); !line.empty(); skip_mesh_blanks(line))
      text_.pass_number(line, "extra value");
  }

  void read_vertex(std::int64_t i) {
    std::string_view line;
    next_item(line, "vertices", i, num_vertices_);
    Point3 p;
    p[0] = text_.next_coordinate(line, "x coordinate");
    p[1] = text_.next_coordinate(line, "y coordinate");
    p[2] = text_.next_coordinate(line, "z coordinate");
    pass_extra(line);
    contents_.mesh.vertices.push_back(p);
  }

  void read_face(std::int64_t i) {
    std::string_view line;
    next_item(line, "faces", i, num_faces_);
    const std::int64_t count = take_count(line, "number of corners");
    corners_.clear();
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t index = text_.next_integer(line, "index of a corner");
      if (index < 0 || index >= num_vertices_)
        text_.fail(Impl::text("the face names vertex {}, which is not in 0 ... {}", index,
                              num_vertices_ - 1));
      corners_.push_back(static_cast<Ordinal>(index));
    }
    pass_extra(line);
    faces_.add(corners_, contents_);
  }

  std::string name_;
  MeshText text_;
  FailHere fail_;
  FaceCollector faces_;
  MeshFileContents contents_;
  std::vector<Ordinal> corners_;
  std::int64_t num_vertices_ = 0;
  std::int64_t num_faces_ = 0;
};

}  // namespace

MeshFileContents read_off(const std::filesystem::path& path) { return OffReader(path).read(); }

}  // namespace Tomokkos::Impl
