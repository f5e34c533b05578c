// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with a range of the rays of a scan from one ray of each orbit, and SART with them.
#include <Tomokkos_Sart.hpp>
#include <functional>

#include "SymmetricScans.hpp"

using namespace Tomokkos;
using namespace symmetric_testing;

namespace {

TEST(RayBands, hold_the_stored_rays_of_a_range_and_no_more) {
  ScanGeometry scan = scan_of(Beam::parallel, 144, true, false, 21);
  const RayOrbits orbits = find_ray_orbits({20, 20, 1.0}, scan);
  const RayBands bands(orbits.slots);
  const auto rays = static_cast<Ordinal>(orbits.slots.size());
  for (const RowRange range : {RowRange{0, rays}, RowRange{0, 0}, RowRange{3, 5}, RowRange{0, 64},
                               RowRange{64, 128}, RowRange{1, 130}, RowRange{63, 129},
                               RowRange{21 * 30, 21 * 50}, RowRange{rays - 70, rays}}) {
    StoredBands expected;
    for (Ordinal ray = range.begin; ray < range.end; ++ray)
      expected.add(orbits.slots[static_cast<std::size_t>(ray)]);
    const StoredBands found = bands.of(range);
    Offset length = 0;
    for (unsigned g = 0; g < num_square_symmetries; ++g) {
      EXPECT_EQ(found.begin[g], expected.begin[g]) << range.begin << " " << g;
      EXPECT_EQ(found.end[g], expected.end[g]) << range.begin << " " << g;
      length += found.end[g] - found.begin[g];
    }
    EXPECT_EQ(found.rows(), length);
  }
  // A view results from two of the maps of one stored view, which shares its tile with eight
  // others.
  const auto stored = static_cast<Offset>(orbits.stored.size());
  for (Ordinal view = 0; view < 144; ++view)
    EXPECT_LE(bands.of({view * 21, view * 21 + 21}).rows() * 36, 2 * 9 * stored + 100) << view;
}

/// Function that computes a product from X and Y.
template <class Scalar>
using Product = std::function<void(Scalar, const MultiVectorView<const Scalar, TestMemory>&, Scalar,
                                   const MultiVectorView<Scalar, TestMemory>&)>;

template <class Scalar>
void check_product(const PlainCsr& C, int s, const std::string& what,
                   const Product<Scalar>& product) {
  const auto x = random_vector(static_cast<std::size_t>(C.columns) * s, 1);
  const auto y = random_vector(static_cast<std::size_t>(C.rows) * s, 2);
  const auto from = to_device<TestSpace, Scalar>(TestSpace(), x);
  const auto to = to_device<TestSpace, Scalar>(TestSpace(), y);
  const MultiVectorView<const Scalar, TestMemory> X(from.data(), C.columns, s);
  const MultiVectorView<Scalar, TestMemory> Y(to.data(), C.rows, s);
  product(Scalar(-1.5), X, Scalar(0.25), Y);
  expect_product(C, to_std_vector(to), x, y, s, what);
  Kokkos::deep_copy(to, std::numeric_limits<Scalar>::quiet_NaN());
  product(Scalar(1), X, Scalar(0), Y);
  for (const Scalar value : to_std_vector(to)) ASSERT_TRUE(std::isfinite(value)) << what;
}

template <class Scalar>
void check_ranges(const SymmetricScan& of) {
  const TestSpace exec;
  const auto [A, whole] = matrices_of<Scalar>(exec, of.scan, 19, Projector::linear);
  const PlainCsr C = plain_of<Scalar>(whole);
  const SymmetricRows<Scalar, TestMemory> rows(A.symmetry, A.stored);
  using Pairs = PairRows<Scalar, TestMemory>;
  const auto pairs = pair_blocked_from_csr<TestSpace, Scalar>(exec, A.stored, {true, {1e30}});
  const auto index = pair_row_index<TestSpace, Scalar>(exec, pairs);
  const SymmetricRows<Scalar, TestMemory, Pairs> of_pairs(A.symmetry, Pairs(pairs, index));
  OperatorOptions at_once;
  at_once.transpose = TransposeMethod::stored;
  const CsrOperator<TestSpace, Scalar> stored(exec, A.stored, at_once);
  const auto* const transpose = stored.csr_transpose();
  ASSERT_NE(transpose, nullptr);
  const RayBands bands(to_std_vector(A.symmetry.slots));
  const Ordinal n = of.scan.detectors, views = of.scan.views.count();
  // One view in each eighth of a turn, several views, parts of views, none.
  std::vector<RowRange> ranges{{0, 0}, {n / 2, n + 3}, {3 * n + 1, 3 * n + 2}, {0, 5 * n}};
  for (int eighth = 0; eighth < 8; ++eighth) {
    const Ordinal view = static_cast<Ordinal>(eighth * views / 8);
    ranges.push_back({view * n, view * n + n});
  }
  ranges.push_back({(views / 4 - 1) * n, (views / 4 + 2) * n});
  ranges.push_back({(views - 1) * n, views * n});
  ranges.push_back({0, views * n});
  for (const int s : {1, 3, 5}) {
    const DeviceVector<Scalar> images("images", A.symmetry.num_slots() * s);
    // The remains of other products must not matter.
    Kokkos::deep_copy(images, Scalar(1e30));
    const MultiVectorView<Scalar, TestMemory> Y8(images.data(), A.symmetry.num_stored, 8 * s);
    for (const RowRange range : ranges) {
      const PlainCsr part = some_rows(C, range);
      const std::string what = of.name + ", " + std::to_string(s) + " vectors, rays " +
                               std::to_string(range.begin) + " to " + std::to_string(range.end);
      check_product<Scalar>(part, s, what, [&](Scalar a, const auto& X, Scalar b, const auto& Y) {
        symmetric_product_of_rows<TestSpace, Scalar>(exec, rows, range, a, X, b, Y);
      });
      check_product<Scalar>(
          part, s, what + ", pairs", [&](Scalar a, const auto& X, Scalar b, const auto& Y) {
            symmetric_product_of_rows<TestSpace, Scalar>(exec, of_pairs, range, a, X, b, Y);
          });
      const PlainCsr back = part.transposed();
      check_product<Scalar>(
          back, s, what + ", pairs, atomic", [&](Scalar a, const auto& X, Scalar b, const auto& Y) {
            symmetric_transpose_atomic<TestSpace, Scalar>(exec, of_pairs, range, a, X, b, Y);
          });
      check_product<Scalar>(
          back, s, what + ", atomic", [&](Scalar a, const auto& X, Scalar b, const auto& Y) {
            symmetric_transpose_atomic<TestSpace, Scalar>(exec, rows, range, a, X, b, Y);
          });
      check_product<Scalar>(
          back, s, what + ", bands", [&](Scalar a, const auto& X, Scalar b, const auto& Y) {
            symmetric_transpose_of_bands<TestSpace, Scalar>(exec, A.symmetry, *transpose,
                                                            bands.of(range), range, a, X, Y8, b, Y);
          });
    }
  }
}

std::vector<SymmetricScan> scans_of_many_views() {
  return {{"parallel, half a turn", scan_of(Beam::parallel, 96, true, false, 25), 8},
          {"parallel, half a turn from 0", scan_of(Beam::parallel, 96, false, false, 24), 8},
          {"parallel, a whole turn", scan_of(Beam::parallel, 96, false, true, 25), 16},
          {"fan", scan_of(Beam::fan, 96, true, true, 25, 1.1), 8}};
}

TEST(SymmetricRanges, are_those_of_the_whole_matrix_float) {
  for (const SymmetricScan& of : scans_of_many_views()) check_ranges<float>(of);
}
TEST(SymmetricRanges, are_those_of_the_whole_matrix_double) {
  for (const SymmetricScan& of : scans_of_many_views()) check_ranges<double>(of);
}

TEST(SymmetricRanges, refuse_what_does_not_fit) {
  const TestSpace exec;
  const auto A =
      matrices_of<double>(exec, scan_of(Beam::parallel, 8, true, false, 9), 8, Projector::line).A;
  const SymmetricRows<double, TestMemory> rows(A.symmetry, A.stored);
  const DeviceVector<double> x("x", 64), y("y", 9);
  const MultiVectorView<const double, TestMemory> X(x.data(), 64, 1);
  const MultiVectorView<double, TestMemory> Y(y.data(), 9, 1);
  const auto refusal = [&](RowRange range) {
    return error_of(
        [&] { symmetric_product_of_rows<TestSpace, double>(exec, rows, range, 1.0, X, 0.0, Y); });
  };
  EXPECT_EQ(refusal({0, 9}), "");
  EXPECT_TRUE(contains(refusal({70, 79}), "range of rays"));
  EXPECT_TRUE(contains(refusal({0, 8}), "rays of the range"));
}

/// Checks that the operator uses the range if it is short, and otherwise all rays at once.
template <class Scalar>
void check_operator(const SymmetricScan& of) {
  const TestSpace exec;
  const auto [A, whole] = matrices_of<Scalar>(exec, of.scan, 19, Projector::linear);
  const PlainCsr C = plain_of<Scalar>(whole);
  const Ordinal n = of.scan.detectors, views = of.scan.views.count();
  for (const auto& made : operators_of<Scalar>(exec, A)) {
    const AnyOperator<TestSpace, Scalar> op = made;
    for (const RowRange range :
         {RowRange{0, n}, RowRange{7 * n, 12 * n}, RowRange{n + 3, views * n / 4},
          RowRange{views * n / 4, views * n}, all_rows})
      for (const int s : {1, 2}) {
        const PlainCsr part = some_rows(C, range);
        const std::string what = of.name + ", rays from " + std::to_string(range.begin);
        check_product<Scalar>(part, s, what, [&](Scalar a, const auto& X, Scalar b, const auto& Y) {
          op.apply(exec, a, X, b, Y, range);
        });
        check_product<Scalar>(part.transposed(), s, what + ", transposed",
                              [&](Scalar a, const auto& X, Scalar b, const auto& Y) {
                                op.apply_transpose(exec, a, X, b, Y, range);
                              });
      }
  }
}

TEST(SymmetricRanges, of_the_operator_are_those_of_the_whole_matrix) {
  for (const SymmetricScan& of : scans_of_many_views()) {
    check_operator<float>(of);
    check_operator<double>(of);
  }
}

TEST(SymmetricRanges, sart_is_that_of_the_whole_matrix_and_repeats_its_bits) {
  const TestSpace exec;
  for (const SymmetricScan& of : scans_of_many_views()) {
    const auto [A, whole] = matrices_of<double>(exec, of.scan, 19, Projector::linear);
    const auto b =
        make_vector<double>(exec, positive_vector(static_cast<std::size_t>(whole.num_rows), 1));
    SartParams params;
    params.sweeps = 2;
    params.view_rows = of.scan.detectors;
    params.minimum = 0;
    const auto solve = [&](const AnyOperator<TestSpace, double>& op) {
      Sart<TestSpace, double> solver(exec, op.num_rows(), op.num_cols(), params);
      const auto x = make_vector<double>(exec, Values(19 * 19, 0));
      solver.solve(exec, op, b, x);
      return to_std_vector(x);
    };
    const auto expected = solve(CsrOperator<TestSpace, double>(exec, whole));
    const auto operators = operators_of<double>(exec, A);
    for (const auto& op : operators)
      EXPECT_LT(relative_difference(solve(op), expected), 1e-11) << of.name;
    const auto first = solve(operators.front());
    EXPECT_TRUE(same_bits(solve(operators.front()), first));
  }
}

}  // namespace
