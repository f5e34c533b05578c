// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <charconv>
#include <impl/Tomokkos_MeshReaders.hpp>
#include <impl/Tomokkos_MeshText.hpp>

namespace Tomokkos::Impl {
namespace {

class ObjReader {
 public:
  explicit ObjReader(const std::filesystem::path& path)
      : text_(path),
        faces_([this](const std::string& message) { text_.fail(message); },
               [this] { return text_.where(); }) {}

  MeshFileContents read() {
    std::string_view line;
    while (next_statement(line)) {
      const std::string_view word = next_mesh_word(line);
      if (word == "v") {
        read_vertex(line);
      } else if (word == "f" || word == "fo") {
        read_face(line);
      }
      // Everything else (normals, groups, materials, curves) is ignored.
    }
    if (highest_index_ > num_vertices()) {
      throw InputError(Impl::text("{}the face names vertex {}, but the file has {} vertices",
                                  highest_where_, highest_index_, num_vertices()));
    }
    faces_.finish(contents_);
    return std::move(contents_);
  }

 private:
  std::int64_t num_vertices() const {
    return static_cast<std::int64_t>(contents_.mesh.vertices.size());
  }

  /// Reads a line. A line that ends with a backslash is joined with the following one.
  bool next_statement(std::string_view& line) {
    if (!text_.next(line)) return false;
    // A comment ends with its line, even if the last character is a backslash.
    if (line.find('#') == std::string_view::npos && !line.empty() && line.back() == '\\') {
      joined_.clear();
      bool more = true;
      while (more && !line.empty() && line.back() == '\\' &&
             line.find('#') == std::string_view::npos) {
        joined_.append(line.substr(0, line.size() - 1)) += ' ';
        more = text_.next(line);
      }
      if (more) joined_.append(line);
      line = joined_;
    }
    line = line.substr(0, line.find('#'));
    return true;
  }

  void read_vertex(std::string_view line) {
    Point3 p;
    p[0] = text_.next_coordinate(line, "x coordinate");
    p[1] = text_.next_coordinate(line, "y coordinate");
    p[2] = text_.next_coordinate(line, "z coordinate");
    skip_mesh_blanks(line);
    // A weight or colours may follow.
    for (int extra = 0; !line.empty(); ++extra) {
      if (extra == 4) text_.expect_line_end(line);
      text_.pass_number(line, "value after the coordinates");
      skip_mesh_blanks(line);
    }
    contents_.mesh.vertices.push_back(p);
    check_vertex_count(contents_.mesh.vertices.size(),
                       [this](const std::string& message) { text_.fail(message); });
  }

  void read_face(std::string_view line) {
    corners_.clear();
    for (std::string_view word = next_mesh_word(line); !word.empty(); word = next_mesh_word(line))
      corners_.push_back(corner(word));
    faces_.add(corners_, contents_);
  }

  /// Reads a corner: `v`, `v/vt`, `v//vn` or `v/vt/vn`.
  Ordinal corner(std::string_view word) {
    std::string_view rest = word;
    std::int64_t index = 0;
    if (!take_index(rest, index)) malformed(word);
    for (int part = 0; part < 2 && !rest.empty(); ++part) {
      if (rest.front() != '/') malformed(word);
      rest.remove_prefix(1);
      std::int64_t unused = 0;
      take_index(rest, unused);
    }
    if (!rest.empty()) malformed(word);
    if (index == 0) text_.fail("vertices are counted from 1, but a face names vertex 0");
    if (index < 0) {
      if (index < -num_vertices())
        text_.fail(Impl::text("the index {} counts back beyond the first of the {} vertices so far",
                              quote_mesh_word(word), num_vertices()));
      index += num_vertices() + 1;
    } else if (index > num_vertices() && index > highest_index_) {
      // A face may precede its vertices, so the index is checked at the end of the file.
      check_vertex_count(static_cast<std::uint64_t>(index), [&](const std::string&) {
        text_.fail(Impl::text("the face names vertex {}, which exceeds the largest possible index",
                              index));
      });
      highest_index_ = index;
      highest_where_ = text_.where();
    }
    return static_cast<Ordinal>(index - 1);
  }

  /// Removes an integer from the beginning of \p text.
  bool take_index(std::string_view& text, std::int64_t& index) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
  }

  [[noreturn]] void malformed(std::string_view word) const {
    text_.fail("a corner of a face is v, v/vt, v//vn or v/vt/vn with whole numbers, not " +
               quote_mesh_word(word));
  }

  MeshText text_;
  FaceCollector faces_;
  MeshFileContents contents_;
  std::vector<Ordinal> corners_;
  std::string joined_;
  std::int64_t highest_index_ = 0;
  std::string highest_where_;
};

}  // namespace

MeshFileContents read_obj(const std::filesystem::path& path) { return ObjReader(path).read(); }

}  // namespace Tomokkos::Impl
