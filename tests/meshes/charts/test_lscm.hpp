// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Least squares conformal maps: all forms of their matrix, and known properties of their charts.
#include <Tomokkos_AssembledEquations.hpp>
#include <Tomokkos_ChartQuality.hpp>
#include <Tomokkos_Lscm.hpp>
#include <Tomokkos_LscmEquations.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_MeshTopology.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_TwoComponentOperator.hpp>

#include "MeshTesting.hpp"
#include "SolverTesting.hpp"
#include "TestData.hpp"

using namespace solver_testing;

namespace {

using Space = TestSpace::memory_space;

ChartPins pins_of(const TriangleMesh& mesh) {
  return place_pins(mesh, pins(mesh, mesh_topology(mesh)));
}

/// Assembles the system of a mesh from its equations.
AssembledEquations<TestSpace, double> assemble(const TriangleMesh& mesh, const ChartPins& pins) {
  const TestSpace exec;
  std::vector<double> coordinates;
  std::vector<Ordinal> corners;
  for (const auto& v : mesh.vertices) coordinates.insert(coordinates.end(), v.begin(), v.end());
  for (const auto& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
  std::vector<char> locked(2 * mesh.vertices.size(), 0);
  std::vector<double> values(2 * mesh.vertices.size(), 0);
  for (std::size_t pin = 0; pin < 2; ++pin)
    for (std::size_t d = 0; d < 2; ++d) {
      const std::size_t at = 2 * static_cast<std::size_t>(pins.vertices[pin]) + d;
      locked[at] = 1;
      values[at] = pins.positions[pin][d];
    }
  const auto on_device = to_device<TestSpace, double>(exec, coordinates);
  const auto triangles = to_device<TestSpace, Ordinal>(exec, corners);
  const auto is_locked = to_device<TestSpace, char>(exec, locked);
  const auto all = to_device<TestSpace, double>(exec, values);
  EquationVariables<double, Space> variables;
  variables.num_variables = static_cast<Ordinal>(locked.size());
  variables.locked = is_locked;
  variables.values = as_multivector(VectorView<const double, Space>(all));
  return AssembledEquations<TestSpace, double>(exec, 2 * num_triangles(mesh), variables,
                                               LscmEquations<double, Space>{on_device, triangles});
}

std::vector<Point2> chart(const TriangleMesh& mesh, const ChartPins& pins, double tolerance,
                          bool complex = false) {
  const TestSpace exec;
  const ConformalSystem system = conformal_system(mesh, pins);
  const auto A = copy_to<Space>(exec, system.matrix);
  validate(exec, A);
  using Any = AnyOperator<TestSpace, double>;
  const Any op =
      complex
          ? Any(MatrixOperator(exec, copy_to<Space>(exec, complex_from_csr(to_csr(system.matrix)))))
          : Any(MatrixOperator(exec, A));
  const auto b = to_device<TestSpace, double>(exec, system.right_hand_side);
  const auto x =
      to_device<TestSpace, double>(exec, unknowns_of(system, projected_chart(mesh, pins)));
  PcgParams params;
  params.iterations = 50000;
  params.stop = PcgParams::relative(tolerance);
  Pcg<TestSpace, double> solver(exec, op.num_rows(), params);
  const SolveResult result = solver.solve(exec, op, b, x);
  EXPECT_EQ(result.reason, StopReason::converged);
  return chart_of(mesh, pins, system, to_std_vector(x));
}

double largest_difference(const std::vector<Point2>& a, const std::vector<Point2>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max({largest, std::abs(a[i][0] - b[i][0]), std::abs(a[i][1] - b[i][1])});
  return largest;
}

}  // namespace

TEST(Lscm, the_system_represents_the_energy) {
  const TriangleMesh mesh = hills({.vertices = 150}, 3);
  const ChartPins pins = pins_of(mesh);
  const ConformalSystem system = conformal_system(mesh, pins);
  const auto A = to_csr(system.matrix);
  const auto& b = system.right_hand_side;
  const auto energy = [&](const std::vector<double>& x) {
    return chart_quality(mesh, chart_of(mesh, pins, system, x)).lscm_energy;
  };
  const double at_zero = energy(std::vector<double>(b.size(), 0));
  for (unsigned seed = 1; seed < 4; ++seed) {
    const auto x = random_vector(b.size(), seed);
    double quadratic = at_zero;
    for (Ordinal i = 0; i < A.num_rows; ++i) {
      const auto row = static_cast<std::size_t>(i);
      quadratic -= 2 * b[row] * x[row];
      for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
        quadratic += x[row] * A.values(k) * x[static_cast<std::size_t>(A.columns(k))];
    }
    EXPECT_NEAR(quadratic, energy(x), 1e-11 * energy(x));
  }
}

TEST(Lscm, assembled_equations_give_the_same_system) {
  const TestSpace exec;
  const TriangleMesh mesh = hills({.vertices = 80}, 5);
  const ChartPins pins = pins_of(mesh);
  const ConformalSystem system = conformal_system(mesh, pins);
  const auto assembled = assemble(mesh, pins);
  const Ordinal n = assembled.matrix().num_rows;
  ASSERT_EQ(n, system.matrix.num_rows());
  const auto dense = [n](const HostCsrMatrix<double>& A) {
    std::vector<double> entries(static_cast<std::size_t>(n) * n, 0);
    for (Ordinal i = 0; i < n; ++i)
      for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
        entries[static_cast<std::size_t>(i) * n + A.columns(k)] += A.values(k);
    return entries;
  };
  const auto expected = dense(copy_to<Kokkos::HostSpace>(exec, assembled.matrix()));
  const auto found = dense(to_csr(system.matrix));
  for (std::size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(found[k], expected[k], 1e-11) << k;
  const auto b = to_std_vector(assembled.right_hand_sides());
  for (std::size_t i = 0; i < b.size(); ++i)
    ASSERT_NEAR(system.right_hand_side[i], b[i], 1e-11) << i;
  // Entries that cancel inside the mesh are stored in the assembled matrix only.
  EXPECT_LT(to_csr(system.matrix).num_nonzeros(), 0.75 * assembled.matrix().num_nonzeros());
}

TEST(Lscm, a_flat_mesh_gives_a_similarity) {
  TriangleMesh mesh = disk({.vertices = 400});
  // Tilt the mesh in space.
  for (auto& v : mesh.vertices) v = {0.6 * v[0], v[1], 0.8 * v[0]};
  const auto uv = chart(mesh, pins_of(mesh), 1e-13);
  const ChartQuality quality = chart_quality(mesh, uv);
  EXPECT_EQ(quality.flips, 0);
  EXPECT_LT(quality.singular_value_ratio.back(), 1 + 1e-9);
  EXPECT_LT(quality.angle_distortion.back(), 1e-7);
  EXPECT_NEAR(quality.area, area(mesh), 1e-9 * area(mesh)) << "the pins keep their distance";
}

TEST(Lscm, all_forms_have_the_same_solution) {
  const TriangleMesh mesh = cap({.vertices = 600});
  const ChartPins pins = pins_of(mesh);
  const auto shared = chart(mesh, pins, 1e-12);
  EXPECT_LT(largest_difference(shared, chart(mesh, pins, 1e-12, true)), 1e-8);

  const TestSpace exec;
  const auto assembled = assemble(mesh, pins);
  PcgParams params;
  params.stop = PcgParams::relative(1e-12);
  Pcg<TestSpace, double> solver(exec, assembled.matrix().num_rows, params);
  const Vector<double, Space> x("x", static_cast<std::size_t>(assembled.matrix().num_rows));
  const auto result = solver.solve(exec, CsrOperator<TestSpace, double>(exec, assembled.matrix()),
                                   as_vector(assembled.right_hand_sides()), x);
  EXPECT_EQ(result.reason, StopReason::converged);
  const ConformalSystem system = conformal_system(mesh, pins);
  EXPECT_LT(largest_difference(shared, chart_of(mesh, pins, system, to_std_vector(x))), 1e-8);
}

TEST(Lscm, the_chart_does_not_depend_on_position_size_or_numbering) {
  const TriangleMesh mesh = hills({.vertices = 500}, 2);
  const ChartPins pins = pins_of(mesh);
  const auto expected = chart(mesh, pins, 1e-12);

  TriangleMesh moved = mesh;
  for (auto& v : moved.vertices)
    v = {5 + 3 * (0.6 * v[0] - 0.8 * v[1]), 3 * (0.8 * v[0] + 0.6 * v[1]) - 1, 3 * v[2] + 2};
  auto uv = chart(moved, place_pins(moved, pins.vertices), 1e-12);
  for (auto& z : uv) z = {z[0] / 3, z[1] / 3};
  EXPECT_LT(largest_difference(uv, expected), 1e-8);

  std::vector<Ordinal> renamed;
  const TriangleMesh mixed = Testing::shuffled(mesh, 4, &renamed);
  const auto number = [&](Ordinal v) { return renamed[static_cast<std::size_t>(v)]; };
  const ChartPins again = pins_of(mixed);
  EXPECT_EQ(again.vertices[0], number(pins.vertices[0]));
  EXPECT_EQ(again.vertices[1], number(pins.vertices[1]));
  const auto other = chart(mixed, again, 1e-12);
  std::vector<Point2> back;
  for (Ordinal v = 0; v < num_vertices(mesh); ++v)
    back.push_back(other[static_cast<std::size_t>(number(v))]);
  EXPECT_LT(largest_difference(back, expected), 1e-8);
}

TEST(Lscm, an_order_of_the_unknowns_only_permutes_the_system) {
  const TriangleMesh mesh = cap({.vertices = 200});
  const ChartPins pins = pins_of(mesh);
  const ConformalSystem natural = conformal_system(mesh, pins);
  std::vector<Ordinal> order(natural.vertices.rbegin(), natural.vertices.rend());
  const ConformalSystem turned = conformal_system(mesh, pins, order);
  EXPECT_EQ(turned.vertices, order);
  const std::size_t last = natural.vertices.size() - 1;
  for (std::size_t i = 0; i <= last; ++i)
    for (std::size_t d = 0; d < 2; ++d)
      ASSERT_EQ(turned.right_hand_side[2 * i + d], natural.right_hand_side[2 * (last - i) + d]);
  EXPECT_EQ(turned.matrix.shared.num_nonzeros(), natural.matrix.shared.num_nonzeros());
  order.back() = order.front();
  EXPECT_THROW(conformal_system(mesh, pins, order), Error);
  order.pop_back();
  EXPECT_THROW(conformal_system(mesh, pins, order), Error);
}

TEST(Lscm, pins_must_be_two_different_vertices) {
  const TriangleMesh mesh = cap({.vertices = 100});
  EXPECT_THROW(conformal_system(mesh, place_pins(mesh, {3, 3})), Error);
  EXPECT_THROW(conformal_system(mesh, {{0, num_vertices(mesh)}, {{{0, 0}, {1, 0}}}}), Error);
  EXPECT_THROW(projected_chart(mesh, place_pins(mesh, {3, 3})), Error);
}

TEST(Lscm, disks_from_files_have_no_flips) {
  for (const char* name :
       {"cat_head.obj", "cube_no_bottom.obj", "hand_lowres.obj", "demosthenes-low-res.obj"}) {
    TriangleMesh mesh = read_mesh(Testing::test_data_path(std::string("meshes/") + name)).mesh;
    orient(mesh, name);
    check_parameterizable(mesh, name);
    const auto uv = chart(mesh, pins_of(mesh), 1e-6);
    const ChartQuality quality = chart_quality(mesh, uv);
    EXPECT_EQ(quality.flips, 0) << name;
    EXPECT_NEAR(quality.lscm_energy, quality.lscm_energy_by_cotangents,
                1e-10 * std::abs(quality.area))
        << name;
  }
}
