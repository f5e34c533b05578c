// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System matrices of scanners and cone beams that are not stored, compared with the stored ones.
#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_TracedOperator.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "SolverTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace solver_testing;
using TestMemory = TestSpace::memory_space;

template <class Scalar>
using Csr = CsrMatrix<Scalar, TestMemory>;

/// A matrix that is stored, and the same traced in every product.
template <class Scalar>
struct Both {
  std::string name;
  Csr<Scalar> matrix;
  AnyOperator<TestSpace, Scalar> stored, traced;

  Both(std::string of, const Csr<Scalar>& A,
       std::shared_ptr<const TracedProjection<TestSpace, Scalar>> projection)
      : name(std::move(of)),
        matrix(A),
        stored(MatrixOperator<TestSpace, Csr<Scalar>>(TestSpace(), A)),
        traced(TracedOperator<TestSpace, Scalar>(projection)) {}
};

const VolumeGeometry3D box{5, 7, 6, 1.3, 1.1};

RingScanner scanner() {
  RingScanner result;
  result.modules = 8;
  result.crystals = {2, 2};
  result.crystal_pitch = {1.9, 1.7};
  result.crystal_size = {1.8, 1.5};
  result.layers = {{10.0, 2.0}};
  result.rays = 8;
  return result;
}

const PolarVolume cylinder{6.5, 4.2, 5, 3, 12, 1};

ConeBeamScan cone_beam() {
  ConeBeamScan scan;
  scan.views = 12;
  scan.detectors = {9, 4};
  scan.detector_width = {3.1, 2.7};
  scan.source_to_origin = 20;
  scan.origin_to_detector = 14;
  scan.rays = 2;
  return scan;
}

/// Every third index from the end, then some others.
std::vector<Ordinal> some_indices(Ordinal count) {
  std::vector<Ordinal> result;
  for (Ordinal i = count - 1; i >= 0; i -= 3) result.push_back(i);
  for (Ordinal i = 1; i < count; i += 6)
    if ((count - 1 - i) % 3 != 0) result.push_back(i);
  return result;
}

template <class Scalar>
Csr<Scalar> stored_cone_beam() {
  const TestSpace exec;
  return csr_from_block_circulant<TestSpace, Scalar>(
      exec, build_cone_beam_matrix<TestSpace, Scalar>(exec, cylinder, cone_beam()),
      CirculantOrder::rotations);
}

template <class Scalar>
std::vector<Both<Scalar>> matrices() {
  const TestSpace exec;
  const auto pairs = build_scanner_matrix<TestSpace, Scalar>(exec, box, scanner());
  const auto pair_map = make_index_map(exec, pairs.num_rows, some_indices(pairs.num_rows));
  const auto voxel_map = make_index_map(exec, pairs.num_cols, some_indices(pairs.num_cols));
  const auto rays = stored_cone_beam<Scalar>();
  const auto ray_map = make_index_map(exec, rays.num_rows, some_indices(rays.num_rows));
  std::vector<Both<Scalar>> result;
  result.emplace_back("scanner", pairs,
                      make_traced_projection<TestSpace, Scalar>(exec, box, scanner()));
  result.emplace_back(
      "some pairs and voxels of a scanner",
      csr_mapped<TestSpace, Scalar>(exec, pairs, pair_map, voxel_map),
      make_traced_projection<TestSpace, Scalar>(exec, box, scanner(), pair_map, voxel_map));
  result.emplace_back("cone beam", rays,
                      make_traced_projection<TestSpace, Scalar>(exec, cylinder, cone_beam()));
  result.emplace_back(
      "some rays of a cone beam",
      csr_mapped<TestSpace, Scalar>(exec, rays, ray_map, identity_map(exec, rays.num_cols)),
      make_traced_projection<TestSpace, Scalar>(exec, cylinder, cone_beam(), ray_map));
  return result;
}

/// Computes `0.5 A(rows, :) X - 2 Y` or the transposed product for \p vectors vectors.
template <class Scalar>
std::vector<Scalar> product(const AnyOperator<TestSpace, Scalar>& A, bool transposed,
                            const Values& x, const Values& y, std::size_t vectors,
                            RowRange rows = all_rows, double beta = -2) {
  const TestSpace exec;
  const auto X = to_device<TestSpace, Scalar>(exec, x);
  const auto Y = to_device<TestSpace, Scalar>(exec, y);
  const MultiVectorView<const Scalar, TestMemory> in(X.data(), x.size() / vectors, vectors);
  const MultiVectorView<Scalar, TestMemory> out(Y.data(), y.size() / vectors, vectors);
  if (transposed)
    A.apply_transpose(exec, Scalar(0.5), in, static_cast<Scalar>(beta), out, rows);
  else
    A.apply(exec, Scalar(0.5), in, static_cast<Scalar>(beta), out, rows);
  exec.fence();
  return to_std_vector(Y);
}

template <class Scalar>
class TracedOperatorTest : public ::testing::Test {};
TYPED_TEST_SUITE(TracedOperatorTest, Scalars);

TYPED_TEST(TracedOperatorTest, has_the_products_of_the_matrix_and_repeats_their_bits) {
  for (const auto& of : matrices<TypeParam>()) {
    const Ordinal height = of.stored.num_rows();
    const auto width = static_cast<std::size_t>(of.stored.num_cols());
    ASSERT_EQ(of.traced.num_rows(), height);
    ASSERT_EQ(of.traced.num_cols(), of.stored.num_cols());
    for (const RowRange rows : {RowRange{0, height}, RowRange{height / 3, height / 2 + 3},
                                RowRange{height / 4, height / 4}})
      for (const std::size_t vectors : {1, 3, 10})
        for (const bool transposed : {false, true}) {
          SCOPED_TRACE(of.name + ", rows " + std::to_string(rows.begin) + " to " +
                       std::to_string(rows.end) + ", " + std::to_string(vectors) + " vectors" +
                       (transposed ? ", transposed" : ""));
          const auto some = static_cast<std::size_t>(rows.end - rows.begin);
          const Values x = random_vector((transposed ? some : width) * vectors, 1);
          const Values y = random_vector((transposed ? width : some) * vectors, 2);
          const auto found = product(of.traced, transposed, x, y, vectors, rows);
          const auto expected = product(of.stored, transposed, x, y, vectors, rows);
          double largest = 1;
          for (const auto value : expected)
            largest = std::max(largest, std::abs(static_cast<double>(value)));
          for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_NEAR(found[i], expected[i], tolerance<TypeParam>(1e-6, 1e-13) * largest) << i;
          EXPECT_EQ(product(of.traced, transposed, x, y, vectors, rows), found);
        }
  }
}

TYPED_TEST(TracedOperatorTest, has_adjoint_products) {
  for (const auto& of : matrices<TypeParam>()) {
    const auto height = static_cast<std::size_t>(of.traced.num_rows());
    const auto width = static_cast<std::size_t>(of.traced.num_cols());
    const Values x = random_vector(width, 1), y = random_vector(height, 2);
    const auto forward = product(of.traced, false, x, Values(height), 1);
    const auto back = product(of.traced, true, y, Values(width), 1);
    double by_rows = 0, by_columns = 0, size = 0;
    for (std::size_t i = 0; i < height; ++i) {
      by_rows += static_cast<double>(forward[i]) * y[i];
      size += std::abs(static_cast<double>(forward[i]) * y[i]);
    }
    for (std::size_t j = 0; j < width; ++j) by_columns += static_cast<double>(back[j]) * x[j];
    EXPECT_NEAR(by_rows, by_columns, tolerance<TypeParam>(1e-6, 1e-13) * size) << of.name;
    EXPECT_GT(size, 0) << of.name;
  }
}

// The unit of the integers follows the largest entry, so sums cannot overflow.
TYPED_TEST(TracedOperatorTest, sums_entries_of_any_size) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const auto& of : matrices<TypeParam>()) {
    const auto height = static_cast<std::size_t>(of.traced.num_rows());
    const auto width = static_cast<std::size_t>(of.traced.num_cols());
    const Values ones(height, 1), nothing(width);
    const auto sums = product(of.traced, true, ones, nothing, 1, all_rows, 0);
    for (const double size : {1e-4 * Limits::max(), tolerance<TypeParam>(1e-30, 1e-280)}) {
      const auto scaled = product(of.traced, true, Values(height, size), nothing, 1, all_rows, 0);
      for (std::size_t j = 0; j < width; ++j)
        ASSERT_NEAR(scaled[j] / size, sums[j], tolerance<TypeParam>(1e-5, 1e-12)) << of.name;
    }
    for (const double none : {0.0, -0.0})
      for (const auto value : product(of.traced, true, Values(height, none), nothing, 1))
        ASSERT_EQ(value, 0) << of.name;
  }
}

TYPED_TEST(TracedOperatorTest, shows_what_is_not_finite) {
  for (const auto& of : matrices<TypeParam>()) {
    const auto offsets = to_std_vector(of.matrix.row_offsets);
    const auto columns = to_std_vector(of.matrix.columns);
    const auto width = static_cast<std::size_t>(of.matrix.num_cols);
    std::size_t row = offsets.size() / 2;
    while (offsets[row] == offsets[row + 1]) row = (row + 1) % (offsets.size() - 1);
    std::vector<char> is_reached(width, 0);
    for (auto k = offsets[row]; k < offsets[row + 1]; ++k)
      is_reached[static_cast<std::size_t>(columns[static_cast<std::size_t>(k)])] = 1;
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Values x(offsets.size() - 1, 1);
      x[row] = bad;
      const auto found = product(of.traced, true, x, Values(width), 1);
      for (std::size_t j = 0; j < width; ++j)
        ASSERT_EQ(std::isfinite(found[j]), is_reached[j] == 0) << of.name << ", column " << j;
      // The next product is not affected.
      for (const auto value : product(of.traced, true, Values(x.size(), 1), Values(width), 1))
        ASSERT_TRUE(std::isfinite(value)) << of.name;
    }
  }
}

TYPED_TEST(TracedOperatorTest, gives_the_rows_of_row_action_methods) {
  const TestSpace exec;
  for (const auto& of : matrices<TypeParam>()) {
    SCOPED_TRACE(of.name);
    const auto* const rows = of.traced.capabilities().rows;
    const auto* const stored = of.stored.capabilities().rows;
    ASSERT_NE(rows, nullptr);
    EXPECT_TRUE(of.traced.supports_ranges());
    EXPECT_LT(relative_difference(to_std_vector(rows->squared_norms(exec)),
                                  to_std_vector(stored->squared_norms(exec))),
              1e-14);
    const RowSubsets blocks(of.traced.num_rows(), 7, 5);
    EXPECT_EQ(to_std_vector(rows->largest_block_counts(exec, blocks, nullptr)),
              to_std_vector(stored->largest_block_counts(exec, blocks, nullptr)));
    std::vector<Ordinal> order;
    for (Ordinal row = of.traced.num_rows() - 1; row >= 0; row -= 2) order.push_back(row);
    order.push_back(0);
    for (const auto& visits : {std::vector<Ordinal>(), order}) {
      const auto visited = to_device<TestSpace, Ordinal>(exec, visits);
      KaczmarzSweep<TypeParam, TestMemory> sweep;
      sweep.order = visited;
      sweep.relaxation = TypeParam(0.7);
      sweep.minimum = TypeParam(-0.4);
      sweep.maximum = TypeParam(0.6);
      const Values start = random_vector(static_cast<std::size_t>(of.traced.num_cols()), 3);
      const auto b = to_device<TestSpace, TypeParam>(
          exec, random_vector(static_cast<std::size_t>(of.traced.num_rows()), 4));
      const auto x = to_device<TestSpace, TypeParam>(exec, start);
      const auto expected = to_device<TestSpace, TypeParam>(exec, start);
      rows->sweep(exec, nullptr, sweep, b, x);
      stored->sweep(exec, stored->schedule(exec, sweep.order).get(), sweep, b, expected);
      exec.fence();
      EXPECT_LT(relative_difference(to_std_vector(x), to_std_vector(expected)),
                tolerance<TypeParam>(1e-4, 1e-12));
    }
  }
}

TEST(TracedProjection, refuses_vectors_and_maps_of_the_wrong_size) {
  const TestSpace exec;
  const TracedOperator<TestSpace, float> A(
      make_traced_projection<TestSpace, float>(exec, box, scanner()));
  const auto x = to_device<TestSpace, float>(exec, Values(static_cast<std::size_t>(A.num_cols())));
  const auto y = to_device<TestSpace, float>(exec, Values(static_cast<std::size_t>(A.num_rows())));
  const MultiVectorView<float, TestMemory> X(x.data(), x.extent(0), 1), Y(y.data(), y.extent(0), 1);
  EXPECT_THROW(A.apply(exec, 1, Y, 0, X), DimensionMismatch);
  EXPECT_THROW(A.apply(exec, 1, X, 0, Y, {0, 3}), DimensionMismatch);
  EXPECT_THROW(A.apply_transpose(exec, 1, X, 0, Y), DimensionMismatch);
  EXPECT_THROW(A.apply_transpose(exec, 1, Y, 0, X, {0, A.num_rows() + 1}), Refused);
  const auto five = identity_map(exec, Ordinal(5));
  EXPECT_THROW((make_traced_projection<TestSpace, float>(exec, box, scanner(), five)),
               DimensionMismatch);
  EXPECT_THROW((make_traced_projection<TestSpace, float>(exec, box, scanner(), {}, five)),
               DimensionMismatch);
  EXPECT_THROW((make_traced_projection<TestSpace, float>(exec, cylinder, cone_beam(), five)),
               DimensionMismatch);
  RingScanner without = scanner();
  without.rays = 0;
  EXPECT_THROW((make_traced_projection<TestSpace, float>(exec, box, without)), Refused);
}

}  // namespace
