// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small meshes, and helpers for tests with meshes.
#pragma once

#include <Tomokkos_TriangleMesh.hpp>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace Tomokkos::Testing {

/// \brief Flat grid of rows x columns cells in z = 0 with normals upwards.
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

/// \brief Tetrahedron with normals outwards.
inline TriangleMesh tetrahedron() {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  return mesh;
}

/// \brief Torus of rows x columns squares.
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

/// \brief Gives every triangle three vertices of its own, as in a file without shared vertices.
inline TriangleMesh torn_apart(const TriangleMesh& mesh) {
  TriangleMesh result;
  for (const Triangle& triangle : mesh.triangles) {
    const Ordinal first = num_vertices(result);
    for (const Ordinal v : triangle)
      result.vertices.push_back(mesh.vertices[static_cast<std::size_t>(v)]);
    result.triangles.push_back({first, first + 1, first + 2});
  }
  return result;
}

/// \brief Strip of length x width cells in the plane, and the same strip folded.
struct FoldedStrip {
  std::vector<Point2> flat;
  TriangleMesh folded;
};

/// \brief Folds a strip every 10 cells by 80 degrees, alternately up and down. The flat strip is
/// its exact chart.
inline FoldedStrip folded_strip(Ordinal length, Ordinal width) {
  FoldedStrip strip;
  double x = 0, z = 0;
  for (Ordinal i = 0; i <= length; ++i) {
    for (Ordinal j = 0; j <= width; ++j) {
      strip.folded.vertices.push_back({x, static_cast<double>(j), z});
      strip.flat.push_back({static_cast<double>(i), static_cast<double>(j)});
    }
    const double angle = (i / 10 % 2 == 0 ? 80 : -80) * M_PI / 180;
    x += std::cos(angle);
    z += std::sin(angle);
  }
  const auto at = [&](Ordinal i, Ordinal j) { return i * (width + 1) + j; };
  for (Ordinal i = 0; i < length; ++i) {
    for (Ordinal j = 0; j < width; ++j) {
      const Ordinal a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      if ((7 * i + 3 * j) % 2 == 0)
        strip.folded.triangles.insert(strip.folded.triangles.end(), {{a, b, d}, {b, c, d}});
      else
        strip.folded.triangles.insert(strip.folded.triangles.end(), {{a, b, c}, {a, c, d}});
    }
  }
  return strip;
}

/// \brief Returns the largest distance between two charts after the best similarity transform,
/// divided by the largest distance from the centre.
inline double distance_of_charts(const std::vector<Point2>& a, const std::vector<Point2>& b) {
  using Complex = std::complex<double>;
  Complex middle_a = 0, middle_b = 0;
  const auto n = static_cast<double>(a.size());
  for (std::size_t v = 0; v < a.size(); ++v) {
    middle_a += Complex(a[v][0], a[v][1]) / n;
    middle_b += Complex(b[v][0], b[v][1]) / n;
  }
  Complex product = 0;
  double square = 0, size = 0, largest = 0;
  const auto from = [](const std::vector<Point2>& uv, std::size_t v, Complex middle) {
    return Complex(uv[v][0], uv[v][1]) - middle;
  };
  for (std::size_t v = 0; v < a.size(); ++v) {
    product += std::conj(from(a, v, middle_a)) * from(b, v, middle_b);
    square += std::norm(from(a, v, middle_a));
  }
  for (std::size_t v = 0; v < a.size(); ++v) {
    const Complex target = from(b, v, middle_b);
    largest = std::max(largest, std::abs(product / square * from(a, v, middle_a) - target));
    size = std::max(size, std::abs(target));
  }
  return largest / size;
}

/// \brief Numbers the vertices and orders the triangles of a surface at random.
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
