// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "FileTesting.hpp"
#include "MeshTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(VertexRings, contain_every_neighbour_once) {
  TriangleMesh separate = tetrahedron();
  separate.vertices.resize(5);
  for (const TriangleMesh& mesh :
       {flat_grid(3, 4), torus(4, 5), tetrahedron(), separate, shuffled(flat_grid(7, 2), 3)}) {
    std::vector<std::set<Ordinal>> expected(mesh.vertices.size());
    for (const Triangle& triangle : mesh.triangles)
      for (const Ordinal a : triangle)
        for (const Ordinal b : triangle)
          if (a != b) expected[a].insert(b);
    const VertexRings rings = vertex_rings(mesh);
    ASSERT_EQ(rings.num_vertices(), num_vertices(mesh));
    for (Ordinal v = 0; v < rings.num_vertices(); ++v) {
      const auto ring = rings[v];
      EXPECT_EQ(std::vector<Ordinal>(ring.begin(), ring.end()),
                std::vector<Ordinal>(expected[v].begin(), expected[v].end()));
    }
  }
  // Vertices inside, on a side and at two corners of a grid whose cells are cut along a diagonal.
  const VertexRings rings = vertex_rings(flat_grid(3, 3));
  EXPECT_EQ(rings[5].size(), 6u);
  EXPECT_EQ(rings[1].size(), 4u);
  EXPECT_EQ(rings[0].size(), 3u);
  EXPECT_EQ(rings[3].size(), 2u);
}

TEST(VertexRings, give_the_connected_pieces) {
  TriangleMesh mesh = tetrahedron();
  const auto first = num_vertices(mesh);
  mesh.vertices.resize(9);
  mesh.triangles.push_back({8, 5, 7});
  EXPECT_EQ(connected_pieces(vertex_rings(mesh)),
            (std::vector<Ordinal>{0, 0, 0, 0, first, 5, 6, 5, 5}));
}

TEST(VertexLocks, lock_exactly_the_requested_share) {
  for (const Ordinal n : {1, 2, 10, 997})
    for (const double share : {1e-9, 0.1, 1.0 / 3, 0.5, 1.0}) {
      const auto locked = lock_share(n, share, 4);
      const auto wanted = std::max(1LL, std::llround(share * n));
      EXPECT_EQ(num_locked(locked), wanted) << n << " " << share;
      EXPECT_EQ(locked, lock_share(n, share, 4));
    }
  const auto few = lock_share(500, 0.1, 1), more = lock_share(500, 0.2, 1);
  EXPECT_NE(few, lock_share(500, 0.1, 2));
  for (std::size_t v = 0; v < few.size(); ++v) EXPECT_LE(few[v], more[v]);
  // The locks are spread over all vertices.
  int in_front = 0;
  for (std::size_t v = 0; v < 250; ++v) in_front += more[v];
  EXPECT_GT(in_front, 30);
  EXPECT_LT(in_front, 70);
  for (const double share : {0.0, -1.0, 1.5, std::nan("")})
    EXPECT_THROW(lock_share(10, share), Error);
}

TEST(VertexLocks, lock_exactly_the_vertices_of_the_border) {
  const auto locked = lock_border(flat_grid(3, 4));
  for (Ordinal i = 0; i <= 3; ++i)
    for (Ordinal j = 0; j <= 4; ++j)
      EXPECT_EQ(locked[i * 5 + j] != 0, i == 0 || i == 3 || j == 0 || j == 4);
  EXPECT_EQ(num_locked(lock_border(torus(4, 5))), 0);
}

TEST(VertexLocks, are_read_from_text_and_arrays) {
  const TemporaryFolder folder;
  const std::vector<char> expected{1, 0, 0, 1, 0, 1};
  write_bytes(folder / "a.txt", "# corners\n0 3\t5\r\n\n3 # again\n");
  EXPECT_EQ(read_locks(folder / "a.txt", 6), expected);
  write_npy<double>(folder / "a.npy", std::vector<double>{5, 0, 3}, {3});
  EXPECT_EQ(read_locks(folder / "a.npy", 6), expected);
}

TEST(VertexLocks, refuse_invalid_numbers_with_their_position) {
  const TemporaryFolder folder;
  const auto refuse = [&](const std::string& text, const auto&... pieces) {
    SCOPED_TRACE(text);
    write_bytes(folder / "a.txt", text);
    expect_input_error([&] { read_locks(folder / "a.txt", 6); }, "a.txt", pieces...);
  };
  refuse("0\n6\n", ":2: ", "vertex 6 does not exist", "from 0 to 5");
  refuse("-1\n", ":1: ", "vertex -1 does not exist");
  refuse("0\n1.5\n", ":2: ", "1.5");
  refuse("0 x\n", ":1: ", "x");
  refuse("99999999999999999999\n", ":1: ");
  refuse("# nothing\n", "contains no vertex number");
  for (const double bad : {6.0, -1.0, 0.5}) {
    write_npy<double>(folder / "b.npy", std::vector<double>{1, bad}, {2});
    expect_input_error([&] { read_locks(folder / "b.npy", 6); }, "b.npy", "entry 2", "from 0 to 5");
  }
  write_bytes(folder / "c.npy", "no array");
  expect_input_error([&] { read_locks(folder / "c.npy", 6); }, "c.npy");
  expect_input_error([&] { read_locks(folder / "none.txt", 6); }, "none.txt");
  expect_input_error([&] { read_locks(folder / "a.csv", 6); }, "a.csv", ".npy and .txt");
}

TEST(VertexLocks, are_needed_in_every_piece) {
  TriangleMesh mesh = tetrahedron();
  mesh.vertices.resize(8);
  mesh.triangles.push_back({6, 5, 4});
  const VertexRings rings = vertex_rings(mesh);
  std::vector<char> locked(8, 0);
  const auto refuse = [&](const auto&... pieces) {
    expect_input_error([&] { check_locks(rings, locked, "a.obj"); }, "a.obj: ", pieces...);
  };
  refuse("component without a lock: none of the 4 vertices", "vertex 1 (counted from 1)");
  locked[2] = 1;
  refuse("component without a lock: none of the 3 vertices", "vertex 5 (counted from 1)");
  locked[6] = 1;
  refuse("unreferenced vertex", "vertex 8 (counted from 1)");
  locked[7] = 1;
  EXPECT_NO_THROW(check_locks(rings, locked, "a.obj"));
  locked.pop_back();
  EXPECT_THROW(check_locks(rings, locked, "a.obj"), DimensionMismatch);
}

}  // namespace
