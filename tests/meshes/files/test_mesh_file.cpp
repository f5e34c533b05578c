// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MeshFile.hpp>
#include <cmath>
#include <sstream>

#include "FileTesting.hpp"
#include "TestData.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

MeshFileContents parse(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  write_bytes(folder / name, text);
  return read_mesh(folder / name);
}

template <class... Pieces>
void refuse(const std::string& name, const std::string& text, const Pieces&... pieces) {
  SCOPED_TRACE(text);
  expect_input_error([&] { parse(name, text); }, name, pieces...);
}

const std::vector<Point3> square{{0, 0, 0}, {1, 0, 0}, {1, 1, 0.5}, {0, 1, 0}};
const std::vector<Triangle> fan{{0, 1, 2}, {0, 2, 3}};
const std::string square_obj = "v 0 0 0\nv 1 0 0\nv 1 1 0.5\nv 0 1 0\n";

void expect_square(const MeshFileContents& contents) {
  EXPECT_EQ(contents.mesh.vertices, square);
  EXPECT_EQ(contents.mesh.triangles, fan);
  EXPECT_EQ(contents.num_faces, 1);
  EXPECT_EQ(contents.num_polygons, 1);
}

TEST(ObjFile, every_way_to_write_a_face_is_read) {
  for (const std::string face :
       {"f 1 2 3 4\n", "f 1/1 2/2 3/3 4/4", "f 1//1 2//1 3//1 4//1 \r\n",
        "f 1/1/7 2/1/7 3/1/7 4/1/7", "f -4 -3 -2 -1\n", "f 1 2 \\\n3 \\\r\n4\n",
        "f\t1/ 2/ 3 4 # a square\n", "fo 1 2 3 4\n"}) {
    SCOPED_TRACE(face);
    expect_square(parse("a.obj", square_obj + face));
  }
  // Old Macs ended lines with a carriage return.
  std::string text = square_obj + "f 1 2 \\\n3 4\n";
  std::replace(text.begin(), text.end(), '\n', '\r');
  expect_square(parse("a.obj", text));
}

TEST(ObjFile, a_comment_ends_with_its_line) {
  expect_square(
      parse("a.obj", "# of C:\\models\\\n" + std::string(square_obj) + "f 1 2 3 4 # \\\n"));
}

TEST(ObjFile, lines_that_do_not_describe_the_surface_are_skipped) {
  const std::string text =
      "\xEF\xBB\xBFv +0 0 0\r\n# v 9 9 9\r\n  v 1 0 0 1.0\r\nmtllib a.mtl\nvn 0 0 x\nvt 1\nusemtl "
      "red\n"
      "v 1 1 5e-1 0.1 0.2 0.3\nv 0 1 0 1 0 0 1\ng a\ns off\nl 1 2\np 1\n\nf 1 2 3 4\n";
  expect_square(parse("a.OBJ", text));
}

TEST(ObjFile, faces_may_come_before_their_vertices) {
  expect_square(parse("a.obj", "f 1 2 3 4\n" + square_obj));
}

TEST(ObjFile, errors_are_reported_with_their_line) {
  refuse("a.obj", square_obj + "f 1 2 5\n", ":5: ", "vertex 5", "4 vertices");
  refuse("a.obj", square_obj + "f 0 1 2\n", ":5: ", "counted from 1");
  refuse("a.obj", square_obj + "f 1 2 -5\n", ":5: ", "'-5'");
  refuse("a.obj", square_obj + "f 1 2 -9223372036854775808\n", ":5: ");
  refuse("a.obj", square_obj + "f 1 2 4294967297\n", ":5: ", "4294967297");
  refuse("a.obj", square_obj + "f 1 2 99999999999999999999\n", ":5: ", "whole numbers");
  refuse("a.obj", square_obj + "f 1 2 3.5\n", ":5: ", "'3.5'");
  refuse("a.obj", square_obj + "f 1 2 3/x\n", ":5: ", "'3/x'");
  refuse("a.obj", square_obj + "f 1 2 3/1/1/1\n", ":5: ", "'3/1/1/1'");
  refuse("a.obj", square_obj + "f 1 2\n", ":5: ", "2 corners");
  refuse("a.obj", square_obj + "f\n", ":5: ", "0 corners");
  refuse("a.obj", square_obj + "f 1 2 3 1\n", ":5: ", "vertex 1", "twice");
  refuse("a.obj", square_obj + "f 1 2 2\n", ":5: ", "face 1", "twice");
  refuse("a.obj", "v 0 0\n", ":1: ", "z coordinate is missing");
  refuse("a.obj", "v 0 0 0\nv 0 nan 0\n", ":2: ", "y coordinate", "not finite");
  refuse("a.obj", "v 0 inf 0\n", ":1: ", "not finite");
  refuse("a.obj", "v 0 0 1e999\n", ":1: ", "1e999");
  refuse("a.obj", "v 0 0 1,5\n", ":1: ", "not a number", "'1,5'");
  refuse("a.obj", "v 0 0 0 0 0 0 0 0\n", ":1: ", "end of the line");
  refuse("a.obj", square_obj, "no face", "4 vertices");
  refuse("a.obj", "", "no face");
  refuse("a.stl", "", ".obj, .off and .ply");
}

TEST(ObjFile, values_that_underflow_are_read_as_zero) {
  const auto mesh = parse("a.obj", "v 1e-999 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3").mesh;
  EXPECT_EQ(mesh.vertices[0][0], 0.0);
}

TEST(OffFile, columns_comments_and_headers_are_read) {
  expect_square(parse("a.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n4 0 1 2 3\n"));
  expect_square(parse("a.off",
                      "# first\r\nOFF 4 1 # counts\r\n\r\n0 0 0\r\n1 0 0 # x\r\n1 1 .5\r\n"
                      "0 1 0\r\n4 0 1 2 3 255 0 0\r\n"));
  expect_square(parse("a.off",
                      "COFF\n4 1 4\n0 0 0 1 1 1 1\n1 0 0 1 1 1 1\n1 1 0.5 1 1 1 1\n"
                      "0 1 0 1 1 1 1\n4 0 1 2 3"));
  expect_square(parse("a.off",
                      "NOFF\n4 1 4\n0 0 0 0 0 1\n1 0 0 0 0 1\n1 1 0.5 0 0 1\n"
                      "0 1 0 0 0 1\n4 0 1 2 3"));
}

TEST(OffFile, errors_are_reported_with_their_line) {
  const std::string vertices = "0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n";
  const std::string head = "OFF\n4 1 0\n" + vertices;
  refuse("a.off", "", "empty");
  refuse("a.off", "4 1 0\n", ":1: ", "begin with OFF", "'4'");
  refuse("a.off", "4OFF\n4 1 0\n", ":1: ", "three dimensions");
  refuse("a.off", "OFF BINARY\n4 1 0\n", ":1: ", "binary");
  refuse("a.off", "OFF\n", "ends before the numbers");
  refuse("a.off", "OFF\n4\n", ":2: ", "number of faces is missing");
  refuse("a.off", "OFF\n-4 1 0\n", ":2: ", "negative");
  refuse("a.off", "OFF\n4 1 0 0\n" + vertices, ":2: ", "end of the line");
  refuse("a.off", "OFF\n1000000000 1000000000 0\n" + vertices, ":2: ", "1000000000", "declared");
  refuse("a.off", "OFF\n9223372036854775807 9223372036854775807 0\n", ":2: ");
  refuse("a.off", head + "4 0 1 2 4\n", ":7: ", "vertex 4", "0 ... 3");
  refuse("a.off", head + "4 0 1 2 -1\n", ":7: ", "vertex -1");
  refuse("a.off", head + "2 0 1   \n", ":7: ", "2 corners");
  refuse("a.off", head + "4 0 1 2 1\n", ":7: ", "twice");
  refuse("a.off", head + "4 0 1 2  \n", ":7: ", "missing");
  refuse("a.off", head + "3 0 1 2\n3 0 2 3\n", ":8: ", "text after the last");
  refuse("a.off", "OFF\n4 1 0\n0 0 nan\n1 0 0\n1 1 0.5\n0 1 0\n3 0 1 2\n", ":3: ", "not finite");
  refuse("a.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0.500000000000000\n", "after 3 of 4 vertices");
}

const std::string ply_head =
    "comment made here\r\nelement vertex 4\r\nproperty uchar red\r\nproperty float z\r\n"
    "property list uchar short tags\r\nproperty double x\r\nproperty short y\r\n"
    "element edge 1\r\nproperty int a\r\nproperty float b\r\n"
    "element face 1\r\nproperty float quality\r\nproperty list ushort uint vertex_index\r\n"
    "property list int double texture\r\nelement last 2\r\nproperty char c\r\nend_header\r\n";

std::string reversed_if(bool big, std::string bytes) {
  return big ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

/// The square, surrounded by properties and elements that the reader must skip.
std::string ply_square(bool big) {
  const auto put = [big](auto value) { return reversed_if(big, bytes_of(value)); };
  std::string bytes = std::string("ply\r\nformat ") +
                      (big ? "binary_big_endian" : "binary_little_endian") + " 1.0\r\n" + ply_head;
  std::uint8_t tags = 0;
  for (const Point3& p : square) {
    bytes += put(std::uint8_t{200}) + put(static_cast<float>(p[2])) + put(tags);
    for (std::uint8_t k = 0; k < tags; ++k) bytes += put(std::int16_t{-7});
    bytes += put(p[0]) + put(static_cast<std::int16_t>(p[1]));
    ++tags;
  }
  bytes += put(std::int32_t{5}) + put(0.5f);
  bytes += put(std::nanf("")) + put(std::uint16_t{4});
  for (const std::uint32_t v : {0u, 1u, 2u, 3u}) bytes += put(v);
  bytes += put(std::int32_t{2}) + put(0.25) + put(0.75);
  return bytes + "ab";
}

TEST(PlyFile, binary_files_of_both_byte_orders_are_read) {
  expect_square(parse("a.ply", ply_square(false)));
  expect_square(parse("a.ply", ply_square(true)));
}

TEST(PlyFile, text_files_are_read) {
  expect_square(parse("a.ply", "ply\nformat ascii 1.0\nobj_info x\n" + ply_head +
                                   "200 0 0 0 0\n200 0 1 -7 1 0\n\n200 .5 2 8 9 1 1\n1 0 0 0 1\n"
                                   "5 0.5\nnan 4 0 1 2 3 1 0.5\n1\n2\n"));
}

TEST(PlyFile, every_type_of_index_is_read) {
  const auto check = [](const std::string& type, auto zero) {
    using T = decltype(zero);
    std::string bytes =
        "ply\nformat binary_little_endian 1.0\nelement vertex 4\nproperty double x\n"
        "property double y\nproperty double z\nelement face 1\nproperty list " +
        type + " " + type + " vertex_indices\nend_header\n";
    for (const Point3& p : square) {
      for (const double x : p) bytes += bytes_of(x);
    }
    for (const int v : {4, 0, 1, 2, 3}) bytes += bytes_of(static_cast<T>(v));
    SCOPED_TRACE(type);
    expect_square(parse("a.ply", bytes));
  };
  check("char", std::int8_t{});
  check("uint8", std::uint8_t{});
  check("short", std::int16_t{});
  check("uint16", std::uint16_t{});
  check("int", std::int32_t{});
  check("uint32", std::uint32_t{});
}

TEST(PlyFile, truncated_and_lengthened_files_are_refused) {
  const TemporaryFolder folder;
  const auto read = [](const std::filesystem::path& path) { read_mesh(path); };
  for (const bool big : {false, true}) {
    const std::string bytes = ply_square(big);
    expect_every_truncation_refused(folder / "a.ply", bytes, read);
    refuse("a.ply", bytes + "x", "byte " + std::to_string(bytes.size()), "after the last item");
    refuse("a.ply", bytes.substr(0, bytes.size() - 1), "byte " + std::to_string(bytes.size() - 1));
    expect_no_crash_on_changed_bytes(folder / "a.ply", bytes, read);
  }
}

TEST(PlyFile, errors_are_reported_with_their_position) {
  const std::string start = "ply\nformat ascii 1.0\n";
  const std::string vertices =
      "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
  const std::string faces = "element face 1\nproperty list uchar int vertex_indices\n";
  const std::string head = start + vertices + faces + "end_header\n";
  const std::string points = "0 0 0\n1 0 0\n0 1 0\n";
  EXPECT_EQ(parse("a.ply", head + points + "3 0 1 2").mesh.triangles.size(), 1u);

  refuse("a.ply", "", "empty");
  refuse("a.ply", "plyx\n", ":1: ", "the line ply");
  refuse("a.ply", "ply\nend_header\n", ":2: ", "format");
  refuse("a.ply", "ply\nformat ascii 1.1\n", ":2: ", "'1.1'");
  refuse("a.ply", "ply\nformat text 1.0\n", ":2: ", "'text'", "ascii");
  refuse("a.ply", start + "format ascii 1.0\n", ":3: ", "twice");
  refuse("a.ply", start + "elemnt vertex 3\n", ":3: ", "'elemnt'");
  refuse("a.ply", start + "element vertex -3\n", ":3: ", "negative");
  refuse("a.ply", start + "element vertex 3\nelement vertex 3\n", ":4: ", "twice");
  refuse("a.ply", start + "property float x\n", ":3: ", "precedes the first element");
  refuse("a.ply", start + "element vertex 3\nproperty half x\n", ":4: ", "'half'");
  refuse("a.ply", start + "element vertex 3\nproperty list float int x\n", ":4: ", "integer type");
  refuse("a.ply", start + vertices + "property float x\n", ":7: ", "'x'", "twice");
  refuse("a.ply", start + vertices, "before end_header");
  refuse("a.ply", start + faces + "end_header\n", "no element vertex");
  refuse("a.ply", start + vertices + "end_header\n" + points, "no element face");
  refuse("a.ply", start + vertices + "element tristrips 0\nend_header\n" + points, "strips");
  refuse("a.ply", start + "element vertex 3\nproperty float x\n" + faces + "end_header\n",
         ":3: ", "property y");
  refuse(
      "a.ply",
      start + vertices + "element face 1\nproperty list uchar float vertex_indices\nend_header\n",
      ":7: ", "whole numbers");
  refuse("a.ply", start + vertices + "element face 1\nproperty int vertex_indices\nend_header\n",
         ":7: ", "list");
  refuse("a.ply", head + "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2", ":11: ", "z coordinate", "not finite");
  refuse("a.ply", head + points + "3 0 1 3", ":13: ", "vertex 3", "0 ... 2");
  refuse("a.ply", head + points + "3 0 1 2 9", ":13: ", "end of the line");
  refuse("a.ply", head + points + "2 0 1    ", ":13: ", "2 corners");
  refuse("a.ply", head + points + "3 0 1 1", ":13: ", "twice");
  refuse("a.ply", head + points + "-1 0 1 2", ":13: ", "negative");
  refuse("a.ply", head + points + "3 0 1 2\n1", ":14: ", "text after the last");
  refuse("a.ply", head + points + "         ", "after 0 of 1 items", "face");
  refuse("a.ply",
         start +
             "element vertex 2000000000000\nproperty float x\nproperty float y\n"
             "property float z\n" +
             faces + "end_header\n" + points,
         ":3: ", "2000000000000", "declared");
  refuse("a.ply",
         start + vertices +
             "element face 2000000000\nproperty list uchar int vertex_index\n"
             "end_header\n" +
             points,
         ":7: ", "2000000000", "declared");
}

TEST(PlyFile, errors_in_binary_files_are_reported_with_their_byte) {
  std::string bytes = ply_square(false);
  // The file ends with four indices, the list of the texture (20 bytes) and "ab".
  const std::size_t third = bytes.size() - 2 - 20 - 8;
  bytes[third] = 4;
  refuse("a.ply", bytes, "byte " + std::to_string(third), "vertex 4", "0 ... 3");
  std::string infinite = ply_square(false);
  const std::size_t z = infinite.find("end_header\r\n") + 12 + 1;
  infinite.replace(z, 4, bytes_of(INFINITY));
  refuse("a.ply", infinite, "byte " + std::to_string(z), "z coordinate");
}

TEST(MeshFile, no_changed_byte_crashes_a_reader) {
  const TemporaryFolder folder;
  const auto read = [](const std::filesystem::path& path) { read_mesh(path); };
  expect_no_crash_on_changed_bytes(folder / "a.obj",
                                   square_obj + "f 1/1/1 2//2 \\\n3 -1\nvt 0 0\n# end\n", read);
  expect_no_crash_on_changed_bytes(
      folder / "a.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n4 0 1 2 3 0.5\n", read);
  expect_no_crash_on_changed_bytes(folder / "a.ply",
                                   "ply\nformat ascii 1.0\n" + ply_head +
                                       "200 0 0 0 0\n200 0 1 -7 1 0\n200 .5 2 8 9 1 1\n1 0 0 0 1\n"
                                       "5 0.5\nnan 4 0 1 2 3 1 0.5\n1\n2\n",
                                   read);
}

TEST(MeshFile, long_lines_and_many_corners_are_read) {
  // The line of the polygon is continued many times and longer than any buffer on the stack.
  std::string text, face = "f";
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * M_PI * i / count;
    std::ostringstream vertex;
    vertex.precision(17);  // fewer digits are not convex
    vertex << "v " << std::cos(angle) << " " << std::sin(angle) << " 0\n";
    text += vertex.str();
    face.append(" ").append(std::to_string(i + 1)).append(i % 100 == 0 ? " \\\n" : "");
  }
  const MeshFileContents contents = parse("a.obj", text + face);
  EXPECT_EQ(contents.mesh.triangles.size(), count - 2u);
  EXPECT_EQ(contents.num_polygons, 1);
  EXPECT_EQ(contents.mesh.triangles.back(), (Triangle{0, count - 2, count - 1}));
}

TriangleMesh awkward_numbers() {
  TriangleMesh mesh;
  mesh.vertices = {{0.1, -1.0 / 3, 1e-310}, {1.7976931348623157e308, 5e-324, -0.0}, {1, 2, 3}};
  mesh.triangles = {{2, 0, 1}};
  return mesh;
}

TEST(MeshFile, written_meshes_come_back_bit_for_bit) {
  const TemporaryFolder folder;
  const TriangleMesh mesh = awkward_numbers();
  const std::vector<Point2> uv{{0.1, 0.2}, {1.0 / 3, -7}, {1e-20, 3e20}};
  write_obj(folder / "a.obj", mesh);
  write_obj(folder / "b.obj", mesh, uv);
  write_ply(folder / "c.ply", mesh);
  for (const char* name : {"a.obj", "b.obj", "c.ply"}) {
    SCOPED_TRACE(name);
    const MeshFileContents contents = read_mesh(folder / name);
    EXPECT_EQ(contents.mesh.triangles, mesh.triangles);
    ASSERT_EQ(contents.mesh.vertices.size(), mesh.vertices.size());
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
      EXPECT_EQ(bytes_of(contents.mesh.vertices[i]), bytes_of(mesh.vertices[i]));
  }
  const std::string text = read_bytes(folder / "b.obj");
  EXPECT_NE(text.find("\nvt 0.1 0.2\nvt 0.3333333333333333 -7\nvt 1e-20 3e+20\nf 3/3 1/1 2/2\n"),
            std::string::npos)
      << text;
}

TEST(MeshFile, failed_writes_leave_no_file) {
  const TemporaryFolder folder;
  TriangleMesh mesh = awkward_numbers();
  const std::vector<Point2> uv{{0, 0}, {1, NAN}, {1, 1}};
  EXPECT_NE(message_of<OutputError>([&] {
              write_obj(folder / "a.obj", mesh, uv);
            }).find("texture coordinates of vertex 2"),
            std::string::npos);
  EXPECT_THROW(write_obj(folder / "a.obj", mesh, std::span(uv).first(2)), DimensionMismatch);
  mesh.vertices[2][1] = INFINITY;
  EXPECT_THROW(write_ply(folder / "a.ply", mesh), OutputError);
  EXPECT_THROW(write_obj(folder / "none" / "a.obj", awkward_numbers()), OutputError);
  EXPECT_EQ(folder.count(), 0u);
}

void check(const std::string& name, std::size_t vertices, std::size_t triangles, Offset polygons) {
  SCOPED_TRACE(name);
  const MeshFileContents contents = read_mesh(test_data_path("meshes/" + name));
  EXPECT_EQ(contents.mesh.vertices.size(), vertices);
  EXPECT_EQ(contents.mesh.triangles.size(), triangles);
  EXPECT_EQ(contents.num_polygons, polygons);
  check_mesh(contents.mesh, name);
}

TEST(MeshFile, files_of_other_programs_are_read) {
  check("cat_head.obj", 131, 248, 0);
  check("cube_no_bottom.obj", 25, 40, 0);
  check("demosthenes-low-res.obj", 8394, 16719, 0);
  check("fan3.obj", 5, 3, 0);
  check("hand_lowres.obj", 810, 1602, 0);
  check("hourglass_ico.obj", 23, 40, 0);
  check("moebius.obj", 280, 448, 224);
  check("plane_holes.obj", 8519, 16747, 0);
  check("spot_low_resolution.obj", 829, 1654, 0);
  check("triple_vierbein.obj", 75, 108, 0);
  check("wingnut.obj", 3047, 6090, 0);
}

TEST(MeshFile, larger_files_of_other_programs_are_read) {
  TOMOKKOS_NEEDS_TEST_DATA("meshes/mountain.obj");
  TOMOKKOS_NEEDS_TEST_DATA("meshes/spot.obj");
  check("mountain.obj", 25600, 50562, 0);
  check("spot.obj", 11533, 23062, 0);
}

}  // namespace
