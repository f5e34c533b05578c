// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a whole system matrix from one ray of each orbit: their entries, and ART and block ART
// with them.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_BlockArt.hpp>
#include <Tomokkos_RowOrder.hpp>

#include "SymmetricScans.hpp"

using namespace Tomokkos;
using namespace symmetric_testing;

namespace {

/// Writes the entries of each row to the positions of that row in a CSR matrix.
template <class Rows>
struct CopyEntries {
  Rows rows;
  const Offset* offsets;
  Ordinal* columns;
  typename Rows::scalar_type* values;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    for (Ordinal e = 0; e < rows.size(row); ++e) {
      columns[offsets[row] + e] = rows.column(row, e);
      values[offsets[row] + e] = rows.value(row, e);
    }
  }
};

template <class Rows>
struct CopySize {
  Rows rows;
  Ordinal* sizes;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const { sizes[row] = rows.size(row); }
};

template <class Scalar, class Rows>
void check_rows(const Rows& rows, const CsrMatrix<Scalar, TestMemory>& whole) {
  const TestSpace exec;
  ASSERT_EQ(rows.num_rows, whole.num_rows);
  ASSERT_EQ(rows.num_cols, whole.num_cols);
  const Kokkos::RangePolicy<TestSpace, Kokkos::IndexType<Ordinal>> all(exec, 0, whole.num_rows);
  const DeviceVector<Ordinal> sizes("sizes", whole.num_rows);
  Kokkos::parallel_for("test::sizes", all, CopySize<Rows>{rows, sizes.data()});
  const auto offsets = to_std_vector(whole.row_offsets);
  const auto found_sizes = to_std_vector(sizes);
  for (std::size_t i = 0; i < found_sizes.size(); ++i)
    ASSERT_EQ(found_sizes[i], offsets[i + 1] - offsets[i]) << "row " << i;
  const DeviceVector<Ordinal> columns("columns", whole.num_nonzeros());
  const DeviceVector<Scalar> values("values", whole.num_nonzeros());
  Kokkos::parallel_for(
      "test::entries", all,
      CopyEntries<Rows>{rows, whole.row_offsets.data(), columns.data(), values.data()});
  const auto found_columns = to_std_vector(columns),
             expected_columns = to_std_vector(whole.columns);
  const auto found_values = to_std_vector(values), expected_values = to_std_vector(whole.values);
  using Entries = std::vector<std::pair<Ordinal, Scalar>>;
  for (std::size_t i = 0; i < found_sizes.size(); ++i) {
    Entries found, expected;
    for (auto k = static_cast<std::size_t>(offsets[i]);
         k < static_cast<std::size_t>(offsets[i + 1]); ++k) {
      found.emplace_back(found_columns[k], found_values[k]);
      expected.emplace_back(expected_columns[k], expected_values[k]);
    }
    std::sort(found.begin(), found.end());
    ASSERT_EQ(found, expected) << "row " << i;
  }
}

template <class Scalar>
void check_entries(const SymmetricScan& of, Ordinal side, Projector projector) {
  const TestSpace exec;
  SCOPED_TRACE(of.name + ", " + std::to_string(side) + " pixels, " +
               std::string(to_string(projector)));
  const auto [A, whole] = matrices_of<Scalar>(exec, of.scan, side, projector);
  check_rows(SymmetricRows<Scalar, TestMemory>(A.symmetry, A.stored), whole);
  const auto pairs = pair_blocked_from_csr<TestSpace, Scalar>(exec, A.stored, {true, {1e30}});
  const auto index = pair_row_index<TestSpace, Scalar>(exec, pairs);
  using Stored = PairRows<Scalar, TestMemory>;
  check_rows(SymmetricRows<Scalar, TestMemory, Stored>(A.symmetry, Stored(pairs, index)), whole);
}

TEST(SymmetricRows, are_those_of_the_whole_matrix_bit_by_bit) {
  for (const SymmetricScan& of : symmetric_scans())
    for (const Ordinal side : {1, 11, 16})
      for (const Projector projector : {Projector::line, Projector::strip}) {
        check_entries<double>(of, side, projector);
        check_entries<float>(of, side, projector);
      }
}

/// Orders of visit. The first one is the natural order.
std::vector<std::vector<Ordinal>> orders_of(const ScanGeometry& scan) {
  const Ordinal views = scan.views.count(), detectors = scan.detectors;
  return {{},
          row_visits(views, detectors, ViewOrder::multilevel, WithinView::strided, 3),
          row_visits(views, detectors, ViewOrder::random, WithinView::sequential, 1, 7)};
}

template <class Scalar>
std::vector<Scalar> swept(const TestSpace& exec, const AnyOperator<TestSpace, Scalar>& A,
                          const Values& b, const std::vector<Ordinal>& order,
                          const ArtParams& params, SolveResult& result) {
  Art<TestSpace, Scalar> solver(exec, A.num_rows(), A.num_cols(), params);
  const auto device_order = to_device<TestSpace, Ordinal>(exec, order);
  solver.set_order(exec, device_order);
  const auto x = make_vector<Scalar>(exec, Values(static_cast<std::size_t>(A.num_cols()), 0));
  result = solver.solve(exec, A, make_vector<Scalar>(exec, b), x);
  return to_std_vector(x);
}

template <class Scalar>
void check_art(const SymmetricScan& of, Ordinal side, Projector projector, bool by_pairs = false) {
  const TestSpace exec;
  const auto [A, whole] = matrices_of<Scalar>(exec, of.scan, side, projector);
  const auto operators = operators_of<Scalar>(exec, A);
  const AnyOperator<TestSpace, Scalar> stored = by_pairs ? operators.back() : operators.front();
  const AnyOperator<TestSpace, Scalar> plain = CsrOperator<TestSpace, Scalar>(exec, whole);
  const PlainCsr C = plain_of<Scalar>(whole);
  const Values b = positive_vector(static_cast<std::size_t>(whole.num_rows), 1);
  ArtParams params;
  params.sweeps = 3;
  params.relaxation = 0.75;
  params.minimum = 0;
  for (const auto& order : orders_of(of.scan)) {
    SCOPED_TRACE(of.name + (order.empty() ? ", natural order" : ", row ") +
                 (order.empty() ? "" : std::to_string(order[1])));
    const auto device_order = to_device<TestSpace, Ordinal>(exec, order);
    const auto schedule = stored.capabilities().rows->schedule(exec, device_order);
    ASSERT_TRUE(schedule);
    EXPECT_NO_THROW(validate(schedule->levels, whole.num_cols, C.offsets, C.indices, order));
    SolveResult expected_result, result;
    const auto expected = swept<Scalar>(exec, plain, b, order, params, expected_result);
    const auto found = swept<Scalar>(exec, stored, b, order, params, result);
    EXPECT_LT(relative_difference(found, expected), tolerance<Scalar>(2e-5, 1e-12));
    EXPECT_GT(norm(Values(found.begin(), found.end())), 0.1);
    const auto* const own = result.figures<ArtFigures>();
    const auto* const wanted = expected_result.figures<ArtFigures>();
    ASSERT_TRUE(own != nullptr && wanted != nullptr);
    EXPECT_EQ(own->levels, wanted->levels);
    EXPECT_EQ(own->mean_width, wanted->mean_width);
    EXPECT_EQ(own->largest_width, wanted->largest_width);
    EXPECT_EQ(own->excluded_rows, wanted->excluded_rows);
    for (int repeat = 0; repeat < 2; ++repeat)
      EXPECT_TRUE(same_bits(swept<Scalar>(exec, stored, b, order, params, result), found));
  }
}

TEST(SymmetricRows, art_is_that_of_the_whole_matrix) {
  for (const SymmetricScan& of : symmetric_scans()) {
    check_art<double>(of, 13, Projector::line);
    check_art<float>(of, 14, Projector::linear);
  }
}

// Rows with more entries than a warp keeps in registers.
TEST(SymmetricRows, art_of_long_rows_is_that_of_the_whole_matrix) {
  const SymmetricScan wide{"wide rays", scan_of(Beam::parallel, 4, true, false, 11, 8), 8};
  check_art<double>(wide, 90, Projector::strip);
  check_art<float>(wide, 90, Projector::strip);
}

TEST(SymmetricRows, art_on_pairs_of_stored_rays_is_that_of_the_whole_matrix) {
  for (const SymmetricScan& of : symmetric_scans()) {
    check_art<double>(of, 13, Projector::line, true);
    check_art<float>(of, 14, Projector::linear, true);
  }
}

TEST(SymmetricRows, every_way_of_a_sweep_has_the_same_bits) {
  const TestSpace exec;
  const ScanGeometry scan = scan_of(Beam::fan, 16, false, true, 15, 1.1);
  const auto A = matrices_of<float>(exec, scan, 14, Projector::linear).A;
  const SymmetricRows<float, TestMemory> rows(A.symmetry, A.stored);
  const auto norms = rows_squared_norms(exec, rows);
  const auto order = to_device<TestSpace, Ordinal>(exec, orders_of(scan)[1]);
  const auto schedule = make_rows_kaczmarz_schedule(exec, rows, order, norms);
  const auto b = make_vector<float>(exec, positive_vector(16 * 15, 2));
  std::vector<std::vector<float>> images;
  for (const KaczmarzVariant way :
       {KaczmarzVariant::automatic, KaczmarzVariant::per_level, KaczmarzVariant::one_launch}) {
    const auto x = make_vector<float>(exec, Values(14 * 14, 0));
    for (int sweep = 0; sweep < 2; ++sweep)
      rows_kaczmarz_sweep_levels(exec, rows, schedule, {}, b, x, way);
    images.push_back(to_std_vector(x));
  }
  EXPECT_TRUE(same_bits(images[0], images[1]));
  EXPECT_TRUE(same_bits(images[0], images[2]));
  const auto shorter = make_vector<float>(exec, Values(14 * 14 - 1, 0));
  EXPECT_TRUE(
      contains(error_of([&] { rows_kaczmarz_sweep_levels(exec, rows, schedule, {}, b, shorter); }),
               "length of x"));
}

TEST(SymmetricRows, are_not_there_without_csr) {
  const TestSpace exec;
  const ScanGeometry scan = scan_of(Beam::parallel, 4, true, false, 9);
  const auto [A, whole] = matrices_of<double>(exec, scan, 6, Projector::line);
  const SymmetricOperator<TestSpace, double> op(
      A.symmetry, ProductsAlone<double>{CsrOperator<TestSpace, double>(exec, A.stored)});
  EXPECT_FALSE(op.has_rows());
  EXPECT_TRUE(contains(error_of([&] { op.with_rows(exec, [](const auto&) {}); }), "not in CSR"));
  EXPECT_FALSE(op.kaczmarz_schedule(exec, {}));
  // Without rows ART uses products for one ray after the other, which is slow.
  ArtParams params;
  params.sweeps = 1;
  const Values b = positive_vector(36, 3);
  SolveResult result;
  const auto x = swept<double>(exec, op, b, {}, params, result);
  EXPECT_EQ(result.figures<ArtFigures>(), nullptr);
  const AnyOperator<TestSpace, double> plain = CsrOperator<TestSpace, double>(exec, whole);
  EXPECT_LT(relative_difference(x, swept<double>(exec, plain, b, {}, params, result)), 1e-12);
}

TEST(SymmetricRows, take_another_order_of_the_rays) {
  const TestSpace exec;
  const ScanGeometry scan = scan_of(Beam::parallel, 16, false, true, 15);
  const auto [A, whole] = matrices_of<double>(exec, scan, 12, Projector::linear);
  const std::vector<Ordinal> order = orders_of(scan)[1];
  SymmetricProjection<double, TestMemory> moved = A;
  moved.symmetry = rays_in_order(exec, A.symmetry, order);
  EXPECT_NO_THROW((validate<TestSpace, double>(exec, moved)));
  const AnyOperator<TestSpace, double> op = operators_of<double>(exec, moved).front();
  const PlainCsr C = plain_of<double>(whole);
  const Values x = random_vector(static_cast<std::size_t>(C.columns), 1);
  const Values y = multiply(C, x);
  const auto found = to_device<TestSpace, double>(exec, Values(y.size(), 0));
  const auto from = make_vector<double>(exec, x);
  op.apply(exec, 1, as_multivector(VectorView<const double, TestMemory>(from)), 0,
           as_multivector(VectorView<double, TestMemory>(found)));
  const auto values = to_std_vector(found);
  for (std::size_t k = 0; k < order.size(); ++k)
    EXPECT_NEAR(values[k], y[static_cast<std::size_t>(order[k])], 1e-12) << k;
  std::vector<Ordinal> twice = order;
  twice[5] = twice[4];
  EXPECT_THROW(rays_in_order(exec, A.symmetry, twice), Error);
  twice.pop_back();
  EXPECT_THROW(rays_in_order(exec, A.symmetry, twice), Error);
}

TEST(SymmetricRows, block_art_is_that_of_the_whole_matrix) {
  const TestSpace exec;
  for (const SymmetricScan& of : symmetric_scans()) {
    const auto [A, whole] = matrices_of<double>(exec, of.scan, 13, Projector::linear);
    const AnyOperator<TestSpace, double> plain = CsrOperator<TestSpace, double>(exec, whole);
    const auto b =
        make_vector<double>(exec, positive_vector(static_cast<std::size_t>(whole.num_rows), 1));
    for (const Ordinal block_rows : {1, 14, 40, 1000}) {
      BlockArtParams params;
      params.sweeps = 2;
      params.block_rows = block_rows;
      const auto solve = [&](const AnyOperator<TestSpace, double>& op) {
        BlockArt<TestSpace, double> solver(exec, op.num_rows(), op.num_cols(), params);
        const auto x = make_vector<double>(exec, Values(13 * 13, 0));
        const SolveResult result = solver.solve(exec, op, b, x);
        return std::pair(to_std_vector(x), result.figures<BlockArtFigures>()->excluded_rows);
      };
      const auto [expected, excluded] = solve(plain);
      const auto operators = operators_of<double>(exec, A);
      for (const auto& stored : operators) {
        const auto [found, found_excluded] = solve(stored);
        EXPECT_LT(relative_difference(found, expected), 1e-11) << of.name << ", " << block_rows;
        EXPECT_EQ(found_excluded, excluded);
      }
      EXPECT_TRUE(same_bits(solve(operators.front()).first, solve(operators.front()).first));
    }
  }
}

}  // namespace
