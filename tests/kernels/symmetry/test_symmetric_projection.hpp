// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System matrices that store one ray of each orbit: their expansion bit by bit, refused scans, and
// products.
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_SymmetricOperator.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SystemMatrix.hpp>

#include "SymmetricScans.hpp"

using namespace Tomokkos;
using namespace symmetric_testing;

namespace {

template <class View>
bool equal_bits(const View& a, const View& b) {
  const auto x = to_std_vector(a), y = to_std_vector(b);
  return x == y;
}

TEST(SquareSymmetry, is_a_group_of_maps_of_pixels) {
  for (const Ordinal side : {1, 5, 6})
    for (unsigned g = 0; g < num_square_symmetries; ++g)
      for (Ordinal pixel = 0; pixel < side * side; ++pixel) {
        const Ordinal image = symmetric_pixel(side, g, pixel);
        ASSERT_GE(image, 0);
        ASSERT_LT(image, side * side);
        ASSERT_EQ(symmetric_pixel(side, inverse_symmetry(g), image), pixel) << side << " " << g;
        for (unsigned h = 0; h < num_square_symmetries; ++h)
          ASSERT_EQ(symmetric_pixel(side, h, image),
                    symmetric_pixel(side, composed_symmetry(h, g), pixel))
              << side << " " << g << " " << h;
      }
}

TEST(SquareSymmetry, keeps_distances_and_turns_as_it_says) {
  const VolumeGeometry volume{6, 6, 1.0};
  const auto point = [&](Ordinal pixel) {
    return std::pair(volume.x(pixel % 6), volume.y(pixel / 6));
  };
  // Two neighbouring pixels in the upper right. Their orientation about the centre reveals
  // reflections.
  const Ordinal first = 4, second = 11;
  for (unsigned g = 0; g < num_square_symmetries; ++g) {
    const auto [x, y] = point(first);
    double u = (g & flip_x) != 0 ? -x : x, v = (g & flip_y) != 0 ? -y : y;
    if ((g & swap_axes) != 0) std::swap(u, v);
    EXPECT_EQ(point(symmetric_pixel(6, g, first)), std::pair(u, v)) << g;
    const auto [a, b] = point(symmetric_pixel(6, g, second));
    const auto [c, d] = point(second);
    EXPECT_EQ(u * b - v * a, (is_rotation(g) ? 1 : -1) * (x * d - y * c)) << g;
  }
}

template <class Scalar>
void check_expansion(const SymmetricScan& of, Ordinal side, Projector projector) {
  const TestSpace exec;
  const VolumeGeometry volume{side, side, 0.9};
  SCOPED_TRACE(of.name + ", " + std::to_string(side) + " pixels, " +
               std::string(to_string(projector)));
  const auto A = build_symmetric_projection<TestSpace, Scalar>(exec, volume, of.scan, projector);
  validate<TestSpace, Scalar>(exec, A);
  const auto whole = build_system_matrix<TestSpace, Scalar>(exec, volume, of.scan, projector);
  const auto expanded = expanded_projection<TestSpace, Scalar>(exec, A);
  EXPECT_EQ(expanded.num_rows, whole.num_rows);
  EXPECT_EQ(expanded.num_cols, whole.num_cols);
  EXPECT_TRUE(equal_bits(expanded.row_offsets, whole.row_offsets));
  EXPECT_TRUE(equal_bits(expanded.columns, whole.columns));
  EXPECT_TRUE(equal_bits(expanded.values, whole.values));
  const RowStatistics of_whole = row_statistics(exec, whole);
  const RowStatistics found = expanded_statistics<TestSpace, Scalar>(exec, A);
  EXPECT_EQ(found.nonzeros, whole.num_nonzeros());
  EXPECT_EQ(found.rows, whole.num_rows);
  EXPECT_EQ(found.columns, whole.num_cols);
  EXPECT_EQ(found.shortest, of_whole.shortest);
  EXPECT_EQ(found.longest, of_whole.longest);
  EXPECT_EQ(found.empty_rows, of_whole.empty_rows);
  EXPECT_DOUBLE_EQ(found.mean, of_whole.mean);
  EXPECT_NEAR(found.sigma, of_whole.sigma, 1e-9 * of_whole.sigma);
  // Orbits on axes and diagonals are smaller.
  EXPECT_GE(A.stored.num_nonzeros() * of.share, whole.num_nonzeros());
  EXPECT_LE(A.stored.num_nonzeros() * of.share, 2 * whole.num_nonzeros());
}

TEST(SymmetricProjection, expands_to_the_bits_of_the_whole_matrix) {
  for (const SymmetricScan& of : symmetric_scans())
    for (const Ordinal side : {11, 16})
      for (const Projector projector : {Projector::line, Projector::linear, Projector::strip}) {
        check_expansion<double>(of, side, projector);
        if (projector == Projector::line) check_expansion<float>(of, side, projector);
      }
}

TEST(SymmetricProjection, stores_one_ray_in_sixteen_of_a_whole_turn) {
  // No view on an axis or a diagonal, no centre ray: all orbits are whole.
  const auto orbits = find_ray_orbits({8, 8, 1.0}, scan_of(Beam::parallel, 16, true, true, 10));
  EXPECT_EQ(orbits.stored.size(), 10u);
  EXPECT_EQ(
      find_ray_orbits({8, 8, 1.0}, scan_of(Beam::parallel, 16, true, false, 10)).stored.size(),
      20u);
  EXPECT_EQ(find_ray_orbits({8, 8, 1.0}, scan_of(Beam::fan, 16, true, true, 10)).stored.size(),
            20u);
}

TEST(SymmetricProjection, refuses_scans_without_the_symmetries) {
  const VolumeGeometry square{8, 8, 1.0};
  const auto refusal = [&](const VolumeGeometry& volume, const ScanGeometry& scan) {
    return error_of([&] { find_ray_orbits(volume, scan); });
  };
  EXPECT_TRUE(contains(refusal({8, 9, 1.0}, scan_of(Beam::parallel, 12, false, false, 8)),
                       "8 x 9 pixels does not have the symmetries of the square"));
  // 90 - 12 k degrees are no views; 60 deg has them, 12 deg has not.
  const std::string odd = refusal(square, scan_of(Beam::parallel, 15, false, false, 8));
  EXPECT_TRUE(contains(odd, "view 0 at 0 deg needs a view at 90 deg")) << odd;
  EXPECT_TRUE(contains(odd, "an even number over 180 deg")) << odd;
  ScanGeometry shifted = scan_of(Beam::parallel, 12, true, false, 8);
  shifted.detector_offset = 0.5;
  const std::string off = refusal(square, shifted);
  EXPECT_TRUE(contains(off, "the detector is not centred (detector_offset: 0)")) << off;
  ScanGeometry fan = scan_of(Beam::fan, 16, true, true, 8);
  fan.detector_offset = 0.5;
  EXPECT_TRUE(contains(refusal(square, fan), "the detector is not centred"));
  EXPECT_TRUE(contains(refusal(square, scan_of(Beam::fan, 18, true, true, 8)), "a multiple of 4"));
  // A fan beam over half a turn has no opposite views.
  EXPECT_TRUE(contains(refusal(square, scan_of(Beam::fan, 16, true, false, 8)), "needs a view at"));
  ScanGeometry quarter = scan_of(Beam::parallel, 12, true, false, 8);
  quarter.views = ViewAngles::evenly_spaced(12, Angle::turns(1, 96));
  EXPECT_TRUE(contains(refusal(square, quarter), "half a step"));
}

TEST(SymmetricProjection, validate_finds_what_is_broken) {
  const TestSpace exec;
  const auto A = build_symmetric_projection<TestSpace, double>(
      exec, {8, 8, 1.0}, scan_of(Beam::parallel, 12, false, false, 9), Projector::line);
  const auto broken = [&](auto member, std::size_t at, Ordinal by) {
    auto B = A.symmetry;
    auto values = to_std_vector(B.*member);
    values[at] += by;
    const auto changed = to_device<TestSpace, Ordinal>(exec, values);
    B.*member = changed;
    return error_of([&] { validate(exec, B); });
  };
  using Symmetry = RaySymmetry<TestMemory>;
  EXPECT_EQ(error_of([&] { validate(exec, A.symmetry); }), "");
  EXPECT_TRUE(contains(broken(&Symmetry::slots, 5, 1), "the slot of ray 5"));
  EXPECT_TRUE(contains(broken(&Symmetry::slots, 3, 1000000), "the slot of ray 3"));
  EXPECT_TRUE(contains(broken(&Symmetry::slot_offsets, 0, 1), "slot 0"));
  EXPECT_NE(broken(&Symmetry::slot_rays, 7, 1), "");
  auto B = A;
  B.symmetry.side = 9;
  EXPECT_NE(error_of([&] { validate<TestSpace, double>(exec, B); }), "");
}

template <class Scalar>
void check_products() {
  const TestSpace exec;
  for (const SymmetricScan& of : symmetric_scans()) {
    const VolumeGeometry volume{13, 13, 0.8};
    const auto A =
        build_symmetric_projection<TestSpace, Scalar>(exec, volume, of.scan, Projector::linear);
    const PlainCsr C = plain_of<Scalar>(
        build_system_matrix<TestSpace, Scalar>(exec, volume, of.scan, Projector::linear));
    for (const auto& made : operators_of<Scalar>(exec, A)) {
      const AnyOperator<TestSpace, Scalar> op = made;
      EXPECT_TRUE(op.supports_ranges());
      for (const int s : {1, 3})
        for (const RowRange rows : {all_rows, RowRange{9, 38}, RowRange{5, 5}}) {
          const PlainCsr part = some_rows(C, rows);
          const std::string what = of.name + ", " + std::to_string(s) + " vectors, rows from " +
                                   std::to_string(rows.begin);
          expect_products(exec, op, part, s, rows, what);
        }
    }
  }
}

TEST(SymmetricOperator, multiplies_as_the_whole_matrix_float) { check_products<float>(); }
TEST(SymmetricOperator, multiplies_as_the_whole_matrix_double) { check_products<double>(); }

TEST(SymmetricOperator, overwrites_what_is_not_finite) {
  const TestSpace exec;
  const auto A = build_symmetric_projection<TestSpace, double>(
      exec, {8, 8, 1.0}, scan_of(Beam::parallel, 12, false, false, 9), Projector::line);
  const AnyOperator<TestSpace, double> op = operators_of<double>(exec, A).front();
  const auto x = to_device<TestSpace, double>(exec, Values(64, 1.0));
  const auto y =
      to_device<TestSpace, double>(exec, Values(12 * 9, std::numeric_limits<double>::quiet_NaN()));
  op.apply(exec, 1.0, as_multivector(VectorView<const double, TestMemory>(x)), 0.0,
           as_multivector(VectorView<double, TestMemory>(y)));
  for (const double value : to_std_vector(y)) EXPECT_TRUE(std::isfinite(value));
}

TEST(SymmetricOperator, repeats_its_bits_and_says_what_it_holds) {
  const TestSpace exec;
  const auto A = build_symmetric_projection<TestSpace, float>(
      exec, {32, 32, 1.0}, scan_of(Beam::parallel, 24, true, false, 46), Projector::line);
  const auto op = operators_of<float>(exec, A).front();
  op.reserve(exec, 1);
  EXPECT_EQ(op.memory_bytes(), A.symmetry.memory_bytes() + op.stored().memory_bytes() +
                                   8 * sizeof(float) * (1024 + A.stored.num_rows));
  EXPECT_GT(op.apply_bytes(), op.stored().apply_bytes(8));
  const auto y = to_device<TestSpace, float>(exec, random_vector(24 * 46, 1));
  std::vector<std::vector<float>> images;
  for (int run = 0; run < 3; ++run) {
    const auto x = to_device<TestSpace, float>(exec, Values(1024, 0.0));
    op.apply_transpose(exec, 1, as_multivector(VectorView<const float, TestMemory>(y)), 0,
                       as_multivector(VectorView<float, TestMemory>(x)));
    images.push_back(to_std_vector(x));
  }
  EXPECT_TRUE(same_bits(images[0], images[1]));
  EXPECT_TRUE(same_bits(images[0], images[2]));
}

TEST(SymmetricOperator, wants_a_matrix_that_fits) {
  const TestSpace exec;
  const auto A = build_symmetric_projection<TestSpace, double>(
      exec, {8, 8, 1.0}, scan_of(Beam::parallel, 12, false, false, 9), Projector::line);
  const auto B = build_symmetric_projection<TestSpace, double>(
      exec, {9, 9, 1.0}, scan_of(Beam::parallel, 12, false, false, 9), Projector::line);
  EXPECT_THROW((SymmetricOperator<TestSpace, double>(
                   A.symmetry, CsrOperator<TestSpace, double>(exec, B.stored))),
               DimensionMismatch);
}

}  // namespace
