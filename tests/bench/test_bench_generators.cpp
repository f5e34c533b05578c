// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_BenchGenerators.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_TwoComponentConversion.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <cmath>
#include <set>
#include <vector>

namespace {

template <class View>
std::vector<double> to_std(const View& view) {
  return {view.data(), view.data() + view.extent(0)};
}

using namespace Tomokkos;
using namespace Tomokkos::Bench;

const TOMOKKOS_HOST_SPACE host;

std::vector<double> product(const HostCsrMatrix<double>& A, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(A.num_rows), 0.0);
  for (Ordinal i = 0; i < A.num_rows; ++i)
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
      y[static_cast<std::size_t>(i)] += A.values(k) * x[static_cast<std::size_t>(A.columns(k))];
  return y;
}

void expect_zero(const std::vector<double>& y) {
  for (const double value : y) ASSERT_NEAR(value, 0.0, 1e-12);
}

TEST(ConformalMap, has_two_rows_per_triangle_and_two_unknowns_per_vertex) {
  const auto A = generate<double>(ConformalMap{7, 5, 0.2, 3});
  validate(host, A);
  EXPECT_EQ(A.num_rows, 2 * 2 * 7 * 5);
  EXPECT_EQ(A.num_cols, 2 * 8 * 6);
  for (Ordinal i = 0; i < A.num_rows; ++i)
    ASSERT_EQ(A.row_offsets(i + 1) - A.row_offsets(i), 6) << "row " << i;
  std::set<Ordinal> used_columns;
  for (Offset k = 0; k < A.num_nonzeros(); ++k) used_columns.insert(A.columns(k));
  EXPECT_EQ(used_columns.size(), static_cast<std::size_t>(A.num_cols));
}

TEST(ConformalMap, angle_preserving_maps_are_in_its_null_space) {
  const Ordinal nx = 6, ny = 4;
  const auto plain = generate<double>(ConformalMap{nx, ny, 0.0, 1});
  const auto moved = generate<double>(ConformalMap{nx, ny, 0.2, 1});
  std::vector<double> identity, shift, turned, stretched;
  for (Ordinal j = 0; j <= ny; ++j)
    for (Ordinal i = 0; i <= nx; ++i) {
      const double x = i, y = j;
      identity.insert(identity.end(), {x, y});
      shift.insert(shift.end(), {2.5, -1.0});
      turned.insert(turned.end(), {0.6 * x - 0.8 * y, 0.8 * x + 0.6 * y});
      stretched.insert(stretched.end(), {2 * x, y});
    }
  expect_zero(product(plain, identity));
  expect_zero(product(plain, turned));
  expect_zero(product(plain, shift));
  expect_zero(product(moved, shift));
  double squares = 0;
  for (const double value : product(plain, stretched)) squares += value * value;
  // A stretch by the factors 2 and 1 costs (2 - 1)^2 times twice the area.
  EXPECT_NEAR(squares, 2 * nx * ny, 1e-9);
  double difference = 0;
  for (const double value : product(moved, identity)) difference += std::abs(value);
  EXPECT_GT(difference, 1.0) << "the vertices have not moved";
}

TEST(Lscm, is_a_symmetric_matrix_of_conformal_blocks) {
  Lscm spec;
  spec.vertices = 300;
  const auto A = generate<double>(spec);
  ASSERT_EQ(A.num_rows, A.num_cols);
  const auto blocks = complex_from_csr(A);  // throws for a matrix without such blocks
  EXPECT_NEAR(static_cast<double>(A.num_nonzeros()) / A.num_rows, 14, 1.5);
  EXPECT_NEAR(A.num_rows, 2 * 300 - 4, 60);
  const auto find = [&](Ordinal i, Ordinal j) {
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
      if (A.columns(k) == j) return A.values(k);
    ADD_FAILURE() << i << ' ' << j;
    return 0.0;
  };
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
      ASSERT_EQ(A.values(k), find(A.columns(k), i)) << i;
    ASSERT_GT(find(i, i), 0);
  }
  // u is coupled with v only along the border.
  const auto shared = shared_from_complex(blocks);
  EXPECT_LT(shared.coupled_rows.extent(0), 100U);
  EXPECT_GT(shared.coupled_rows.extent(0), 20U);
  EXPECT_EQ(to_std(complex_from_shared(shared).values), to_std(blocks.values));
}

using Rows = std::vector<std::vector<double>>;

Rows to_dense(const HostCsrMatrix<double>& A) {
  Rows rows(static_cast<std::size_t>(A.num_rows),
            std::vector<double>(static_cast<std::size_t>(A.num_cols), 0.0));
  for (Ordinal i = 0; i < A.num_rows; ++i)
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
      rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(A.columns(k))] = A.values(k);
  return rows;
}

/// Rows of the smoothing system, found by a search through the triangles. Each row is a vertex
/// minus the mean of its neighbours, scaled to length 1.
Rows smoothing_rows(const TriangleMesh& mesh) {
  const std::size_t n = mesh.vertices.size();
  std::vector<std::set<std::size_t>> rings(n);
  for (const Triangle& triangle : mesh.triangles)
    for (const Ordinal a : triangle)
      for (const Ordinal b : triangle)
        if (a != b) rings[static_cast<std::size_t>(a)].insert(static_cast<std::size_t>(b));
  Rows rows(n, std::vector<double>(n, 0.0));
  for (std::size_t v = 0; v < n; ++v) {
    const double valence = static_cast<double>(rings[v].size());
    const double length = std::sqrt(1 + 1 / valence);
    rows[v][v] = 1 / length;
    for (const std::size_t neighbour : rings[v]) rows[v][neighbour] = -1 / (valence * length);
  }
  return rows;
}

TEST(Smoothing, is_the_system_of_the_unlocked_vertices) {
  for (const MeshShape shape : {MeshShape::hills, MeshShape::cap}) {
    const Smoothing spec{shape, 200, 0.2, 3};
    const TriangleMesh mesh = generate_mesh(shape, {spec.vertices, 0}, spec.seed);
    const auto locked = lock_share(num_vertices(mesh), spec.locked, spec.seed);
    std::vector<std::size_t> free;
    for (std::size_t v = 0; v < locked.size(); ++v)
      if (locked[v] == 0) free.push_back(v);
    const Rows equations = smoothing_rows(mesh);
    const auto A = generate<double>(spec);
    validate(host, A);
    ASSERT_EQ(A.num_rows, static_cast<Ordinal>(free.size()));
    ASSERT_EQ(A.num_cols, A.num_rows);
    EXPECT_LT(A.num_nonzeros(), entry_count(spec));
    const Rows entries = to_dense(A);
    for (std::size_t i = 0; i < free.size(); ++i)
      for (std::size_t j = 0; j < free.size(); ++j) {
        double sum = 0;
        for (const auto& equation : equations) sum += equation[free[i]] * equation[free[j]];
        ASSERT_NEAR(entries[i][j], sum, 1e-14) << i << ' ' << j;
        ASSERT_EQ(entries[i][j], entries[j][i]) << i << ' ' << j;
      }
    const auto B = generate<float>(spec);
    ASSERT_EQ(to_std(B.columns), to_std(A.columns));
    for (Offset k = 0; k < A.num_nonzeros(); ++k) ASSERT_NEAR(B.values(k), A.values(k), 1e-6);
  }
}

TEST(Smoothing, has_the_requested_number_of_locks) {
  Smoothing spec;
  spec.vertices = 900;
  const auto tenth = generate<double>(spec);
  spec.locked = 0.01;
  const auto hundredth = generate<double>(spec);
  EXPECT_NEAR(static_cast<double>(hundredth.num_rows) / tenth.num_rows, 0.99 / 0.9, 2e-3);
  EXPECT_GT(static_cast<double>(hundredth.num_nonzeros()) / hundredth.num_rows, 18);
  spec.seed = 2;
  EXPECT_NE(to_std(generate<double>(spec).columns), to_std(hundredth.columns));
  spec.locked = 1;
  EXPECT_THROW(generate<double>(spec), Error);
  spec.locked = 0;
  EXPECT_THROW(generate<float>(spec), Error);
}

TEST(ConformalMap, refuses_triangles_that_could_turn_over) {
  EXPECT_THROW(generate<float>(ConformalMap{4, 4, 0.25, 1}), Error);
  EXPECT_THROW(generate<float>(ConformalMap{0, 4, 0.1, 1}), Error);
  EXPECT_THROW(generate<float>(ConformalMap{40000, 40000, 0.1, 1}), Error);
}

TEST(DenseRow, is_a_band_with_one_dense_row) {
  const auto A = generate<double>(DenseRow{41, 5, 2});
  validate(host, A);
  EXPECT_EQ(A.num_rows, 41);
  EXPECT_EQ(A.num_cols, 41);
  for (Ordinal i = 0; i < 41; ++i) {
    const Offset begin = A.row_offsets(i), length = A.row_offsets(i + 1) - begin;
    ASSERT_EQ(length, i == 20 ? 41 : 5) << "row " << i;
    if (i == 20) continue;
    EXPECT_LE(A.columns(begin), i);
    EXPECT_GE(A.columns(begin + 4), i);
    EXPECT_EQ(A.columns(begin + 4), A.columns(begin) + 4);
  }
  EXPECT_EQ(generate<float>(DenseRow{1, 1, 1}).num_nonzeros(), 1);
  EXPECT_THROW(generate<float>(DenseRow{4, 5, 1}), Error);
}

}  // namespace
