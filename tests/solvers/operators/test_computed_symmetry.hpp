// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with computed entries by the symmetry of a scan, compared with the stored matrix.
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <array>
#include <string>

#include "SolverTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace solver_testing;
using TestMemory = TestSpace::memory_space;
using Map = IndexMap<TestMemory>;

struct SymmetricScan {
  std::string name;
  VolumeGeometry volume;
  ScanGeometry scan;
  std::size_t maps;
};

std::vector<SymmetricScan> symmetric_scans() {
  std::vector<SymmetricScan> result;
  const auto add = [&](const char* name, Beam beam, Ordinal views, Angle range, double offset,
                       std::size_t maps) {
    SymmetricScan of{name, {41, 41, 1.0}, {}, maps};
    of.scan.beam = beam;
    of.scan.views = ViewAngles::evenly_spaced(views, {}, range);
    of.scan.detectors = 61;
    of.scan.detector_offset = offset;
    of.scan.source_to_origin = 70;
    of.scan.origin_to_detector = 10;
    result.push_back(of);
  };
  add("half a turn", Beam::parallel, 28, ViewAngles::half_turn(), 0, 4);
  add("half a turn, off centre", Beam::parallel, 28, ViewAngles::half_turn(), 1.7, 4);
  add("a whole turn", Beam::parallel, 96, ViewAngles::full_turn(), 0, 4);
  add("a quarter of a turn", Beam::parallel, 20, Angle::degrees(90), 0, 2);
  add("a whole turn of a fan", Beam::fan, 96, ViewAngles::full_turn(), 0, 8);
  add("a whole turn of a fan, off centre", Beam::fan, 40, ViewAngles::full_turn(), -0.6, 4);
  add("opposite views of a wide image", Beam::parallel, 32, ViewAngles::full_turn(), 0, 1);
  result.back().volume = {30, 47, 1.0};
  return result;
}

/// Computes `Y = 0.5 A X - 2 Y`, or with the transpose.
template <class Scalar, class Operator>
Values product(const Operator& A, const Values& in, const Values& out, std::size_t vectors,
               bool transposed, RowRange rows = all_rows) {
  const TestSpace exec;
  const auto X = to_device<TestSpace, Scalar>(exec, in);
  const auto Y = to_device<TestSpace, Scalar>(exec, out);
  const MultiVectorView<const Scalar, TestMemory> x(X.data(), in.size() / vectors, vectors);
  const MultiVectorView<Scalar, TestMemory> y(Y.data(), out.size() / vectors, vectors);
  if (transposed)
    A.apply_transpose(exec, Scalar(0.5), x, Scalar(-2), y, rows);
  else
    A.apply(exec, Scalar(0.5), x, Scalar(-2), y, rows);
  exec.fence();
  const auto found = to_std_vector(Y);
  return Values(found.begin(), found.end());
}

double relative_to_largest(const Values& found, const Values& expected) {
  double difference = 0, largest = 1e-300;
  for (std::size_t i = 0; i < found.size(); ++i) {
    difference = std::max(difference, std::abs(found[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return difference / largest;
}

template <class Scalar>
void expect_products(const SymmetricScan& of, Projector projector, const Map& rays,
                     const Map& pixels) {
  const TestSpace exec;
  const auto A = make_computed_projection(exec, of.volume, of.scan, projector, rays, pixels);
  if (!A.is_stepped()) {  // strips of a fan beam
    EXPECT_EQ(A.orbits, nullptr);
    return;
  }
  ASSERT_NE(A.orbits, nullptr);
  EXPECT_EQ(A.orbits->views.maps.size(), of.maps);
  const ComputedOperator<TestSpace, Scalar> computed(A);
  const auto complete = [&](const Map& map, std::int64_t size) {
    return map.size() > 0 ? map : identity_map(exec, static_cast<Ordinal>(size));
  };
  const auto stored = build_mapped_system_matrix<TestSpace, double>(
      exec, of.volume, of.scan, projector, complete(rays, of.scan.num_rays()),
      complete(pixels, static_cast<std::int64_t>(of.volume.num_pixels())));
  const MatrixOperator<TestSpace, CsrMatrix<double, TestMemory>> csr(exec, stored);
  for (const std::size_t vectors : {1, 2, 3, 9})
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE(std::to_string(vectors) + (transposed ? " vectors, back" : " vectors"));
      const auto m = static_cast<std::size_t>(stored.num_rows) * vectors,
                 n = static_cast<std::size_t>(stored.num_cols) * vectors;
      const Values in = random_vector(transposed ? m : n, 1);
      const Values out = random_vector(transposed ? n : m, 2);
      const Values found = product<Scalar>(computed, in, out, vectors, transposed);
      EXPECT_LT(relative_to_largest(found, product<double>(csr, in, out, vectors, transposed)),
                tolerance<Scalar>(4e-6, 1e-12));
      EXPECT_EQ(found, product<Scalar>(computed, in, out, vectors, transposed));
    }
}

template <class Scalar>
class ComputedSymmetryTest : public ::testing::Test {};
TYPED_TEST_SUITE(ComputedSymmetryTest, Scalars);

TYPED_TEST(ComputedSymmetryTest, products_are_those_of_the_matrix) {
  for (const SymmetricScan& of : symmetric_scans())
    for (const Projector projector : {Projector::line, Projector::linear, Projector::strip}) {
      SCOPED_TRACE(of.name + ", " + std::string(to_string(projector)));
      expect_products<TypeParam>(of, projector, {}, {});
    }
}

TYPED_TEST(ComputedSymmetryTest, masks_and_orders_need_no_symmetry) {
  const TestSpace exec;
  for (const SymmetricScan& of : symmetric_scans()) {
    SCOPED_TRACE(of.name);
    std::vector<Ordinal> rays, pixels;
    for (auto ray = static_cast<Ordinal>(of.scan.num_rays()) - 1; ray >= 0; --ray)
      if (ray % 7 != 0) rays.push_back(ray);
    for (Ordinal pixel = 0; pixel < static_cast<Ordinal>(of.volume.num_pixels()); ++pixel)
      if (pixel % 5 != 1 && pixel % 41 < 38) pixels.push_back(pixel);
    std::rotate(pixels.begin(), pixels.begin() + 100, pixels.end());
    expect_products<TypeParam>(
        of, Projector::line, make_index_map(exec, static_cast<Ordinal>(of.scan.num_rays()), rays),
        make_index_map(exec, static_cast<Ordinal>(of.volume.num_pixels()), pixels));
  }
}

// The views of a rank, whose images among each other are fewer than those of the scan.
TYPED_TEST(ComputedSymmetryTest, a_share_of_the_views_uses_its_own_symmetry) {
  const TestSpace exec;
  SymmetricScan of = symmetric_scans()[0];
  of.maps = 2;
  std::vector<Ordinal> rays;
  for (Ordinal ray = 0; ray < 14 * of.scan.detectors; ++ray) rays.push_back(ray);
  expect_products<TypeParam>(of, Projector::line,
                             make_index_map(exec, static_cast<Ordinal>(of.scan.num_rays()), rays),
                             {});
}

TYPED_TEST(ComputedSymmetryTest, both_ways_are_adjoint_and_agree_with_ranges_and_without_it) {
  const TestSpace exec;
  for (const SymmetricScan& of : symmetric_scans()) {
    SCOPED_TRACE(of.name);
    const ComputedOperator<TestSpace, TypeParam> A(
        make_computed_projection(exec, of.volume, of.scan, Projector::line));
    const ComputedOperator<TestSpace, TypeParam> without(
        make_computed_projection(exec, of.volume, of.scan, Projector::line, {}, {}, false));
    EXPECT_EQ(without.projection().orbits, nullptr);
    const auto m = static_cast<std::size_t>(A.num_rows()),
               n = static_cast<std::size_t>(A.num_cols());
    const Values x = random_vector(n, 1), y = random_vector(m, 2);
    const Values forward = product<TypeParam>(A, x, Values(m), 1, false);
    const Values back = product<TypeParam>(A, y, Values(n), 1, true);
    double by_rays = 0, by_pixels = 0, size = 0;
    for (std::size_t i = 0; i < m; ++i) {
      by_rays += forward[i] * y[i];
      size += std::abs(forward[i] * y[i]);
    }
    for (std::size_t j = 0; j < n; ++j) by_pixels += back[j] * x[j];
    EXPECT_NEAR(by_rays, by_pixels, tolerance<TypeParam>(1e-6, 1e-13) * size);
    EXPECT_LT(relative_to_largest(forward, product<TypeParam>(without, x, Values(m), 1, false)),
              tolerance<TypeParam>(4e-6, 1e-12));
    EXPECT_LT(relative_to_largest(back, product<TypeParam>(without, y, Values(n), 1, true)),
              tolerance<TypeParam>(4e-6, 1e-12));
    // Ranges, whose sum is the product with all rows.
    const Ordinal cut = A.num_rows() / 3 + 5;
    const auto first = static_cast<std::size_t>(cut);
    const Values head = product<TypeParam>(A, x, Values(first), 1, false, {0, cut});
    EXPECT_LT(relative_to_largest(head, Values(forward.begin(), forward.begin() + cut)),
              tolerance<TypeParam>(4e-6, 1e-12));
    const Values part =
        product<TypeParam>(A, Values(y.begin(), y.begin() + cut), Values(n), 1, true, {0, cut});
    const Values rest = product<TypeParam>(A, Values(y.begin() + cut, y.end()), Values(n), 1, true,
                                           {cut, A.num_rows()});
    Values sum(n);
    for (std::size_t j = 0; j < n; ++j) sum[j] = part[j] + rest[j];
    EXPECT_LT(relative_to_largest(sum, back), tolerance<TypeParam>(4e-6, 1e-12));
  }
}

TEST(ComputedSymmetry, the_workspace_is_what_is_announced) {
  const TestSpace exec;
  for (const SymmetricScan& of : symmetric_scans())
    for (const int vectors : {1, 3, 20}) {
      const ComputedOperator<TestSpace, float> A(
          make_computed_projection(exec, of.volume, of.scan, Projector::line));
      const std::size_t before = A.memory_bytes();
      A.reserve(exec, vectors);
      EXPECT_EQ(A.memory_bytes(),
                before + stepped_workspace_values<float>(A.projection(), vectors) * sizeof(float));
      // Products with ranges need another one.
      A.reserve(exec, vectors, {0, 61});
      EXPECT_GE(A.memory_bytes(), before);
    }
}

}  // namespace
