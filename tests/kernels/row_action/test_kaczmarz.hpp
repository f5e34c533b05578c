// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps by levels compared with the plain loop, and their bits with a sweep of single visits.
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <impl/Tomokkos_HostRows.hpp>
#include <numeric>
#include <random>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

template <class Scalar>
class KaczmarzTest : public ::testing::Test {};
TYPED_TEST_SUITE(KaczmarzTest, Scalars);

constexpr KaczmarzVariant every_way[] = {KaczmarzVariant::automatic, KaczmarzVariant::per_level,
                                         KaczmarzVariant::one_launch};

/// Rows of 0 to 400 entries. A warp keeps some of them in registers and others not.
PlainCsr wide_matrix() {
  return battery::make("wide", 240, 900, [](int i) {
    return i % 17 == 5 ? 0 : i % 11 == 3 ? 400 : 1 + (i * 7) % 60;
  });
}

std::vector<int> shuffled_rows(const PlainCsr& A, unsigned seed) {
  std::vector<int> order(static_cast<std::size_t>(A.rows));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

/// Visits one row after the other, in levels of one visit each: the levels must give the same
/// result, with the same sums.
template <class Schedule>
Schedule visit_after_visit(const TestSpace& exec, Schedule schedule, const PlainCsr& A,
                           const std::vector<int>& order) {
  schedule.levels.rows.clear();
  schedule.levels.offsets = {0};
  for (const int row : order) {
    if (A.offsets[row] == A.offsets[row + 1]) continue;
    schedule.levels.rows.push_back(row);
    schedule.levels.offsets.push_back(schedule.levels.num_visits());
  }
  schedule.rows = to_device<TestSpace, Ordinal>(exec, schedule.levels.rows);
  schedule.offsets = to_device<TestSpace, Offset>(exec, schedule.levels.offsets);
  return schedule;
}

template <class Scalar>
Values plain_sweep(const PlainCsr& A, const Values& b, Values x,
                   const KaczmarzCoefficients<Scalar>& by, const std::vector<int>& order) {
  for (const int i : order) {
    double projection = 0, squared = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      projection += A.values[k] * x[A.indices[k]];
      squared += A.values[k] * A.values[k];
    }
    if (squared == 0) continue;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      double& value = x[A.indices[k]];
      value += by.relaxation * (b[i] - projection) / squared * A.values[k];
      value = std::clamp<double>(value, by.minimum, by.maximum);
    }
  }
  return x;
}

TYPED_TEST(KaczmarzTest, levels_are_the_plain_loop_with_the_bits_of_visit_after_visit) {
  using Scalar = TypeParam;
  const TestSpace exec;
  for (const PlainCsr& A : {positive_matrix(), wide_matrix(), dense_matrix()}) {
    const auto device = to_device<TestSpace, Scalar>(exec, A);
    const auto norms = csr_row_squared_norms(exec, device);
    const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
    const auto device_b = make_vector<Scalar>(exec, b);
    for (unsigned seed = 0; seed < 4; ++seed)
      for (const bool boxed : {false, true}) {
        KaczmarzCoefficients<Scalar> by;
        by.relaxation = Scalar(0.75);
        if (boxed) by.minimum = Scalar(-0.25), by.maximum = Scalar(0.5);
        const std::vector<int> order = shuffled_rows(A, seed);
        const auto device_order = to_device<TestSpace, Ordinal>(exec, order);
        const auto schedule = make_csr_kaczmarz_schedule(exec, device, device_order, norms);
        EXPECT_NO_THROW(validate(schedule.levels, A.columns, A.offsets, A.indices, order));
        EXPECT_EQ(to_std_vector(schedule.rows), schedule.levels.rows);
        const auto sweep = [&](const KaczmarzSchedule<TestSpace>& levels, KaczmarzVariant way) {
          const auto x = make_vector<Scalar>(exec, start);
          for (int k = 0; k < 2; ++k)
            csr_kaczmarz_sweep_levels(exec, device, levels, by, device_b, x, way);
          return to_std_vector(x);
        };
        const auto expected =
            sweep(visit_after_visit(exec, schedule, A, order), KaczmarzVariant::per_level);
        for (const KaczmarzVariant way : every_way)
          for (int repeat = 0; repeat < 2; ++repeat)
            EXPECT_TRUE(same_bits(sweep(schedule, way), expected))
                << A.name << ", seed " << seed << ", way " << static_cast<int>(way);
        const Values plain = plain_sweep(A, b, plain_sweep(A, b, start, by, order), by, order);
        EXPECT_LT(relative_difference(expected, plain), tolerance<Scalar>(2e-5, 1e-12)) << A.name;
      }
  }
}

/// Checks the bits against one thread that sums in the documented order, in plain C++.
TYPED_TEST(KaczmarzTest, sums_a_row_by_32_partial_sums_in_halves) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr A = wide_matrix();
  const auto device = to_device<TestSpace, Scalar>(exec, A);
  const auto norms = to_std_vector(csr_row_squared_norms(exec, device));
  for (int i = 0; i < A.rows; ++i) {
    double partial[32] = {};
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      double& sum = partial[(k - A.offsets[i]) % 32];
      sum = A.values[k] * A.values[k] + sum;  // the square of a float is exact in double
    }
    for (int half = 16; half > 0; half /= 2)
      for (int lane = 0; lane < half; ++lane) partial[lane] += partial[lane + half];
    EXPECT_EQ(norms[static_cast<std::size_t>(i)], partial[0]) << "row " << i;
  }
}

TYPED_TEST(KaczmarzTest, strided_views_of_a_scan_have_as_many_levels_as_the_stride) {
  using Scalar = TypeParam;
  const TestSpace exec;
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(6, Angle::degrees(3), Angle::degrees(180));
  scan.detectors = 61;
  const VolumeGeometry volume{32, 32, 1.0};
  for (const Projector projector : {Projector::line, Projector::linear, Projector::strip}) {
    const auto A = build_system_matrix<TestSpace, Scalar>(exec, volume, scan, projector);
    const auto norms = csr_row_squared_norms(exec, A);
    const Ordinal stride = independent_stride(projector, 1, 1);
    const auto levels = [&](Ordinal w, Ordinal views) {
      std::vector<Ordinal> order = row_visits(6, 61, ViewOrder::sequential, WithinView::strided, w);
      order.resize(static_cast<std::size_t>(views) * 61);
      return make_csr_kaczmarz_schedule<TestSpace, Scalar>(
                 exec, A, to_device<TestSpace, Ordinal>(exec, order), norms)
          .levels.num_levels();
    };
    EXPECT_EQ(levels(stride, 1), stride) << to_string(projector);
    EXPECT_LE(levels(stride, 6), 6 * stride) << to_string(projector);
    EXPECT_GT(levels(1, 6), 6 * stride) << to_string(projector);
  }
}

TYPED_TEST(KaczmarzTest, rows_come_to_the_host_in_pieces_of_any_size) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr A = wide_matrix();
  const auto device = to_device<TestSpace, Scalar>(exec, A);
  const CsrRows<Scalar, TestSpace::memory_space> rows(device);
  for (const bool natural : {false, true}) {
    std::vector<int> order = natural ? std::vector<int>() : shuffled_rows(A, 5);
    const auto device_order = to_device<TestSpace, Ordinal>(exec, order);
    std::vector<int> expected_rows = order;
    if (natural)
      for (int i = 0; i < A.rows; ++i) expected_rows.push_back(i);
    for (const Offset piece : {1, 40, 399, 400, 1000, 1 << 24}) {
      std::vector<int> visited;
      Impl::for_each_row_in_pieces(exec, rows, device_order, order, piece,
                                   [&](Ordinal row, std::span<const Ordinal> columns) {
                                     visited.push_back(row);
                                     EXPECT_TRUE(std::equal(columns.begin(), columns.end(),
                                                            A.indices.begin() + A.offsets[row],
                                                            A.indices.begin() + A.offsets[row + 1]))
                                         << "row " << row << ", pieces of " << piece;
                                   });
      EXPECT_EQ(visited, expected_rows) << "pieces of " << piece;
    }
  }
}

TYPED_TEST(KaczmarzTest, counts_the_rows_of_a_block_that_share_a_column) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr A = wide_matrix();
  const auto device = to_device<TestSpace, Scalar>(exec, A);
  for (const int rows : {1, 7, 60, A.rows}) {
    std::vector<Ordinal> expected(static_cast<std::size_t>(A.columns), 0);
    for (int begin = 0; begin < A.rows; begin += rows) {
      std::vector<Ordinal> count(static_cast<std::size_t>(A.columns), 0);
      for (int i = begin; i < std::min(A.rows, begin + rows); ++i)
        for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) ++count[A.indices[k]];
      for (std::size_t j = 0; j < count.size(); ++j) expected[j] = std::max(expected[j], count[j]);
    }
    EXPECT_EQ(to_std_vector(csr_largest_block_counts<TestSpace, Scalar>(
                  exec, device, RowSubsets(A.rows, (A.rows - 1) / rows + 1, rows))),
              expected);
  }
}

TYPED_TEST(KaczmarzTest, refuses_what_does_not_fit) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr A = dense_matrix();
  const auto device = to_device<TestSpace, Scalar>(exec, A);
  const auto norms = csr_row_squared_norms(exec, device);
  const auto order = to_device<TestSpace, Ordinal>(exec, std::vector<int>{1, 2, A.rows});
  EXPECT_TRUE(contains(error_of([&] { make_csr_kaczmarz_schedule(exec, device, order, norms); }),
                       "entry 2 of the order"));
  const Vector<double, TestSpace::memory_space> none;
  EXPECT_TRUE(contains(error_of([&] { make_csr_kaczmarz_schedule(exec, device, {}, none); }),
                       "squared norms"));
  const auto schedule = make_csr_kaczmarz_schedule(exec, device, {}, norms);
  const auto b = make_vector<Scalar>(exec, Values(A.rows, 0));
  const auto x = make_vector<Scalar>(exec, Values(A.columns + 1, 0));
  EXPECT_TRUE(
      contains(error_of([&] { csr_kaczmarz_sweep_levels(exec, device, schedule, {}, b, x); }),
               "length of x"));
}

}  // namespace
