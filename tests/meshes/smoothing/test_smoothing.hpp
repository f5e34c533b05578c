// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Smoothing of meshes: comparison with dense systems in double, and properties for all meshes.
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_Smoothing.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <set>

#include "EquationTesting.hpp"
#include "MeshTesting.hpp"

using namespace equation_testing;
using Tomokkos::Testing::flat_grid;
using Tomokkos::Testing::shuffled;
using Tomokkos::Testing::torus;

namespace {

template <class Scalar>
class Smoothing : public ::testing::Test {};
TYPED_TEST_SUITE(Smoothing, Scalars);

template <class Scalar>
constexpr double rounding = std::is_same_v<Scalar, float> ? 1e-6 : 1e-14;

template <class Scalar>
PcgParams tight() {
  PcgParams params;
  params.stop = PcgParams::relative(std::is_same_v<Scalar, float> ? 3e-6 : 1e-13);
  return params;
}

TriangleMesh rough_grid(Ordinal rows, Ordinal columns, unsigned seed = 1) {
  TriangleMesh mesh = shuffled(flat_grid(rows, columns), seed);
  add_noise(mesh, 0.4, seed);
  return mesh;
}

std::vector<Ordinal> free_vertices(const std::vector<char>& locked) {
  std::vector<Ordinal> free;
  for (std::size_t v = 0; v < locked.size(); ++v)
    if (locked[v] == 0) free.push_back(static_cast<Ordinal>(v));
  return free;
}

/// Rows of all vertices, including those on the border, found by searching the triangles.
std::vector<Values> dense_rows(const TriangleMesh& mesh, const Values& weights) {
  const std::size_t n = mesh.vertices.size();
  std::vector<Values> rows(n, Values(n, 0));
  for (std::size_t v = 0; v < n; ++v) {
    std::set<Ordinal> ring;
    for (const Triangle& triangle : mesh.triangles)
      if (std::find(triangle.begin(), triangle.end(), v) != triangle.end())
        ring.insert(triangle.begin(), triangle.end());
    ring.erase(static_cast<Ordinal>(v));
    if (ring.empty()) continue;
    rows[v][v] = 1;
    for (const Ordinal j : ring) rows[v][j] = -1.0 / static_cast<double>(ring.size());
    const double length = norm(rows[v]);
    for (double& value : rows[v]) value *= std::sqrt(weights.empty() ? 1 : weights[v]) / length;
  }
  return rows;
}

/// Matrix and right-hand sides for the free vertices as in a textbook.
struct DenseSmoothing {
  std::vector<Values> matrix, right_hand_sides;

  DenseSmoothing(const TriangleMesh& mesh, const std::vector<char>& locked, const Values& weights,
                 const Point3& origin) {
    const auto rows = dense_rows(mesh, weights);
    const auto free = free_vertices(locked);
    matrix.assign(free.size(), Values(free.size(), 0));
    right_hand_sides.assign(free.size(), Values(3, 0));
    for (const Values& row : rows) {
      Point3 kept{};
      for (std::size_t v = 0; v < row.size(); ++v)
        for (std::size_t d = 0; d < 3; ++d)
          if (locked[v] != 0) kept[d] += row[v] * (mesh.vertices[v][d] - origin[d]);
      for (std::size_t i = 0; i < free.size(); ++i) {
        for (std::size_t j = 0; j < free.size(); ++j) matrix[i][j] += row[free[i]] * row[free[j]];
        for (std::size_t d = 0; d < 3; ++d) right_hand_sides[i][d] -= row[free[i]] * kept[d];
      }
    }
  }

  /// Solves by elimination without pivoting, because the matrix is positive definite.
  std::vector<Values> solution() const {
    auto A = matrix;
    auto X = right_hand_sides;
    for (std::size_t k = 0; k < A.size(); ++k)
      for (std::size_t i = k + 1; i < A.size(); ++i) {
        const double factor = A[i][k] / A[k][k];
        for (std::size_t j = k; j < A.size(); ++j) A[i][j] -= factor * A[k][j];
        for (std::size_t d = 0; d < 3; ++d) X[i][d] -= factor * X[k][d];
      }
    for (std::size_t i = A.size(); i-- > 0;)
      for (std::size_t d = 0; d < 3; ++d) {
        for (std::size_t j = i + 1; j < A.size(); ++j) X[i][d] -= A[i][j] * X[j][d];
        X[i][d] /= A[i][i];
      }
    return X;
  }
};

Point3 middle(const TriangleMesh& mesh) {
  const BoundingBox box = bounding_box(mesh);
  Point3 result;
  for (std::size_t d = 0; d < 3; ++d) result[d] = (box.low[d] + box.high[d]) / 2;
  return result;
}

double largest_distance(const TriangleMesh& a, const TriangleMesh& b) {
  double largest = 0;
  for (std::size_t v = 0; v < a.vertices.size(); ++v)
    largest = std::max(largest, distance(a.vertices[v], b.vertices[v]));
  return largest;
}

void expect_converged(const std::vector<SolveResult>& results) {
  ASSERT_EQ(results.size(), 3u);
  for (const SolveResult& result : results)
    EXPECT_EQ(result.reason, StopReason::converged) << to_string(result.reason);
}

TYPED_TEST(Smoothing, equals_the_system_in_a_textbook) {
  const TestSpace exec;
  for (const TriangleMesh& mesh : {rough_grid(4, 5), rough_grid(1, 1), torus(5, 7)})
    for (const bool weighted : {false, true}) {
      const auto n = num_vertices(mesh);
      const auto locked = lock_share(n, 0.3, 5);
      const Values weights = weighted ? positive_vector(mesh.vertices.size(), 3) : Values{};
      const MeshSmoothing<TestSpace, TypeParam> smoothing(exec, mesh, vertex_rings(mesh), locked,
                                                          weights);
      const DenseSmoothing dense(mesh, locked, weights, middle(mesh));
      const auto& equations = smoothing.equations();
      validate(exec, equations.matrix());
      const auto matrix = to_dense(equations.matrix());
      const auto right_hand_sides = multivector_rows<TypeParam>(equations.right_hand_sides());
      ASSERT_EQ(matrix.size(), dense.matrix.size());
      for (std::size_t i = 0; i < matrix.size(); ++i) {
        for (std::size_t j = 0; j < matrix.size(); ++j)
          ASSERT_NEAR(matrix[i][j], dense.matrix[i][j], 10 * rounding<TypeParam>);
        for (std::size_t d = 0; d < 3; ++d)
          ASSERT_NEAR(right_hand_sides[i][d], dense.right_hand_sides[i][d],
                      100 * rounding<TypeParam>);
      }
    }
}

TYPED_TEST(Smoothing, has_rows_of_unit_norm) {
  const TestSpace exec;
  const TriangleMesh mesh = rough_grid(6, 3);
  const MeshSmoothing<TestSpace, TypeParam> smoothing(exec, mesh, vertex_rings(mesh),
                                                      lock_border(mesh));
  const auto free = to_dense(smoothing.equations().rows().free_part());
  const auto locked = to_dense(smoothing.equations().rows().locked_part());
  for (std::size_t i = 0; i < free.size(); ++i) {
    EXPECT_NEAR(std::hypot(norm(free[i]), norm(locked[i])), 1, 4 * rounding<TypeParam>);
    double sum = 0;
    for (const double value : free[i]) sum += value;
    for (const double value : locked[i]) sum += value;
    EXPECT_NEAR(sum, 0, 4 * rounding<TypeParam>);
  }
}

TYPED_TEST(Smoothing, converges_to_the_solution_of_the_dense_system) {
  TriangleMesh mesh = rough_grid(5, 6);
  const auto before = mesh;
  const auto rings = vertex_rings(mesh);
  const auto locked = lock_share(num_vertices(mesh), 0.25, 2);
  const auto expected = DenseSmoothing(mesh, locked, {}, {}).solution();
  expect_converged(smooth<TestSpace, TypeParam>(TestSpace(), mesh, locked, tight<TypeParam>()));
  const auto free = free_vertices(locked);
  for (std::size_t i = 0; i < free.size(); ++i)
    for (std::size_t d = 0; d < 3; ++d)
      EXPECT_NEAR(mesh.vertices[free[i]][d], expected[i][d], 1e4 * rounding<TypeParam>);
  // `roughness` is the sum of the squared rows, and the solution minimises it.
  const Point3 after = roughness(mesh, rings);
  const auto rows = dense_rows(mesh, {});
  for (std::size_t d = 0; d < 3; ++d) {
    double sum = 0;
    for (const Values& row : rows) {
      double value = 0;
      for (std::size_t v = 0; v < row.size(); ++v) value += row[v] * mesh.vertices[v][d];
      sum += value * value;
    }
    EXPECT_NEAR(after[d], sum, 1e-12);
    EXPECT_LT(after[d], 0.5 * roughness(before, rings)[d]);
  }
  for (const Ordinal v : free) {
    TriangleMesh other = mesh;
    for (std::size_t d = 0; d < 3; ++d) other.vertices[v][d] += 0.05;
    for (std::size_t d = 0; d < 3; ++d) EXPECT_GT(roughness(other, rings)[d], after[d]);
  }
}

TYPED_TEST(Smoothing, flattens_a_plane_with_a_locked_border) {
  TriangleMesh mesh = shuffled(flat_grid(12, 15), 4);
  const auto plane = [](const Point3& p) { return 0.3 * p[0] - 0.2 * p[1] + 5; };
  const auto locked = lock_border(mesh);
  const auto before = mesh;
  add_noise(mesh, 0.4, 9);
  double bump = 0;
  for (std::size_t v = 0; v < locked.size(); ++v) {
    auto& p = mesh.vertices[v];
    if (locked[v] != 0) p = before.vertices[v];
    p[2] = plane(p) + (locked[v] != 0 ? 0 : p[2]);
    bump = std::max(bump, std::abs(p[2] - plane(p)));
  }
  EXPECT_GT(bump, 0.3);
  expect_converged(smooth<TestSpace, TypeParam>(TestSpace(), mesh, locked, tight<TypeParam>()));
  for (const Point3& p : mesh.vertices) EXPECT_NEAR(p[2], plane(p), 1e4 * rounding<TypeParam>);
}

TYPED_TEST(Smoothing, keeps_every_bit_of_locked_vertices) {
  TriangleMesh mesh = rough_grid(9, 9);
  // The new coordinates are not representable in float.
  for (Point3& p : mesh.vertices) p = {p[0] + 1e6 / 3, p[1] - 1e5 / 7, p[2] / 3};
  const auto before = mesh;
  const auto locked = lock_share(num_vertices(mesh), 0.2, 3);
  expect_converged(smooth<TestSpace, TypeParam>(TestSpace(), mesh, locked, tight<TypeParam>()));
  double moved = 0;
  for (std::size_t v = 0; v < locked.size(); ++v) {
    const double by = distance(mesh.vertices[v], before.vertices[v]);
    if (locked[v] != 0) {
      EXPECT_EQ(mesh.vertices[v], before.vertices[v]);
    } else {
      moved = std::max(moved, by);
      // A mesh far from the origin is smoothed without loss of accuracy.
      EXPECT_LT(by, 3);
    }
  }
  EXPECT_GT(moved, 0.1);
}

TYPED_TEST(Smoothing, does_not_depend_on_the_numbering_of_vertices) {
  TriangleMesh mesh = hills({400, 0}, 3);
  add_noise(mesh, 0.3, 4);
  const auto locked = lock_share(num_vertices(mesh), 0.1, 3);
  std::vector<Ordinal> numbers;
  TriangleMesh other = shuffled(mesh, 8, &numbers);
  std::vector<char> other_locked(locked.size());
  for (std::size_t v = 0; v < locked.size(); ++v) other_locked[numbers[v]] = locked[v];
  expect_converged(smooth<TestSpace, TypeParam>(TestSpace(), mesh, locked, tight<TypeParam>()));
  expect_converged(
      smooth<TestSpace, TypeParam>(TestSpace(), other, other_locked, tight<TypeParam>()));
  TriangleMesh back = mesh;
  for (std::size_t v = 0; v < locked.size(); ++v) back.vertices[v] = other.vertices[numbers[v]];
  EXPECT_LT(largest_distance(mesh, back), 1e4 * rounding<TypeParam>);
}

TYPED_TEST(Smoothing, follows_the_mesh_when_it_is_moved_turned_and_scaled) {
  TriangleMesh mesh = rough_grid(8, 8);
  const auto map = [](const Point3& p) {
    return Point3{2 * (0.6 * p[0] - 0.8 * p[1]) + 3, 2 * (0.8 * p[0] + 0.6 * p[1]) - 7,
                  2 * p[2] + 1};
  };
  TriangleMesh other = mesh;
  for (Point3& p : other.vertices) p = map(p);
  const auto locked = lock_share(num_vertices(mesh), 0.2, 3);
  expect_converged(smooth<TestSpace, TypeParam>(TestSpace(), mesh, locked, tight<TypeParam>()));
  expect_converged(smooth<TestSpace, TypeParam>(TestSpace(), other, locked, tight<TypeParam>()));
  for (Point3& p : mesh.vertices) p = map(p);
  EXPECT_LT(largest_distance(mesh, other), 2e4 * rounding<TypeParam>);
}

TYPED_TEST(Smoothing, changes_nothing_when_all_vertices_are_locked) {
  TriangleMesh mesh = rough_grid(3, 3);
  const auto before = mesh;
  const auto locked = lock_share(num_vertices(mesh), 1);
  for (const auto& result : smooth<TestSpace, TypeParam>(TestSpace(), mesh, locked))
    EXPECT_EQ(result.reason, StopReason::zero_rhs);
  EXPECT_EQ(mesh.vertices, before.vertices);
}

TYPED_TEST(Smoothing, needs_more_iterations_with_fewer_locks) {
  const TriangleMesh rough = rough_grid(40, 40);
  const auto iterations = [&](double share) {
    TriangleMesh mesh = rough;
    PcgParams params;
    params.stop = PcgParams::relative(1e-4);
    params.check_every = 1;
    const auto results = smooth<TestSpace, TypeParam>(
        TestSpace(), mesh, lock_share(num_vertices(mesh), share), params);
    expect_converged(results);
    return results[0].iterations;
  };
  const int many = iterations(0.5), some = iterations(0.1), few = iterations(0.01);
  EXPECT_GT(some, many);
  EXPECT_GT(few, 2 * some);
}

TYPED_TEST(Smoothing, refuses_problems_without_a_unique_solution) {
  const TestSpace exec;
  const auto message = [&](const TriangleMesh& mesh, const std::vector<char>& locked,
                           const Values& weights = {}) -> std::string {
    try {
      const MeshSmoothing<TestSpace, TypeParam> smoothing(exec, mesh, vertex_rings(mesh), locked,
                                                          weights);
    } catch (const Error& error) {
      return error.what();
    }
    return "(accepted)";
  };
  const auto expect = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  TriangleMesh mesh = flat_grid(2, 2);
  std::vector<char> locked(9, 0);
  expect(message(mesh, locked), "component without a lock: none of the 9 vertices");
  locked[4] = 1;
  expect(message(mesh, locked), "(accepted)");
  expect(message(mesh, {1}), "number of marks");
  Values weights(9, 1);
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    weights[6] = bad;
    expect(message(mesh, locked, weights), "the weight of vertex 7 (counted from 1)");
  }
  expect(message(mesh, locked, {1, 1}), "number of weights");
  mesh.vertices.push_back({5, 5, 5});
  locked.push_back(0);
  expect(message(mesh, locked), "unreferenced vertex: no face holds vertex 10");
  locked.back() = 1;
  expect(message(mesh, locked), "(accepted)");
}

}  // namespace
