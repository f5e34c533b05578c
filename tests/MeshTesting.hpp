// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small meshes and what the tests of meshes do with them.
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace Tomokkos::Testing {

/// \brief A flat grid of rows x columns cells in z = 0, normals up.
inline TriangleMesh flat_grid(Ordinal rows, Ordinal columns) {
  TriangleMesh mesh;
  for (Ordinal i = 0; i <= rows; ++i) {
    for (Ordinal j = 0; j <= columns; ++j)
      mesh.vertices.push_back({static_cast<double>(j), static_cast<double>(i), 0.0});
  }
  const auto at = [&](Ordinal i, Ordinal j) { return i * (columns + 1) + j; };
  for (Ordinal i = 0; i < rows; ++i) {
    for (Ordinal j = 0; j < columns; ++j) {
      mesh.triangles.push_back({at(i, j), at(i, j + 1), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i + 1, j)});
    }
  }
  return mesh;
}

/// \brief A tetrahedron, normals outwards.
inline TriangleMesh tetrahedron() {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  return mesh;
}

/// \brief A torus of rows x columns squares.
inline TriangleMesh torus(Ordinal rows, Ordinal columns) {
  TriangleMesh mesh;
  for (Ordinal i = 0; i < rows; ++i) {
    for (Ordinal j = 0; j < columns; ++j) {
      const double a = 2 * M_PI * i / rows, b = 2 * M_PI * j / columns;
      mesh.vertices.push_back(
          {(3 + std::cos(b)) * std::cos(a), (3 + std::cos(b)) * std::sin(a), std::sin(b)});
    }
  }
  const auto at = [&](Ordinal i, Ordinal j) { return i % rows * columns + j % columns; };
  for (Ordinal i = 0; i < rows; ++i) {
    for (Ordinal j = 0; j < columns; ++j) {
      mesh.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      mesh.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  }
  return mesh;
}

/// \brief The same surface with its vertices numbered, and its triangles ordered, at random.
/// \p numbers receives the new index of every vertex.
inline TriangleMesh shuffled(const TriangleMesh& mesh, unsigned seed,
                             std::vector<Ordinal>* numbers = nullptr) {
  std::mt19937 random(seed);
  std::vector<Ordinal> order(mesh.vertices.size());
  std::iota(order.begin(), order.end(), Ordinal{0});
  std::shuffle(order.begin(), order.end(), random);
  TriangleMesh result;
  result.vertices.resize(mesh.vertices.size());
  for (std::size_t v = 0; v < order.size(); ++v)
    result.vertices[static_cast<std::size_t>(order[v])] = mesh.vertices[v];
  for (Triangle triangle : mesh.triangles) {
    for (Ordinal& v : triangle) v = order[static_cast<std::size_t>(v)];
    std::rotate(triangle.begin(), triangle.begin() + random() % 3, triangle.end());
    result.triangles.push_back(triangle);
  }
  std::shuffle(result.triangles.begin(), result.triangles.end(), random);
  if (numbers != nullptr) *numbers = order;
  return result;
}

}  // namespace Tomokkos::Testing
