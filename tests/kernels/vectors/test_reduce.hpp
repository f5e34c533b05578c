// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_VectorOps.hpp>
#include <cmath>
#include <impl/Tomokkos_PackedAxpby.hpp>

#include "DeviceCsr.hpp"

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;

const std::size_t lengths[] = {0,   1,    2,    7,    8,    9,      255,    256,
                               257, 2047, 2048, 2049, 5000, 100000, 3000000};

/// Three sums in one pass, and a write, as in the updates of the solvers.
template <class Scalar>
struct ThreeSums {
  VectorView<Scalar, MemorySpace> x;
  KOKKOS_FUNCTION Sums<3> operator()(const Offset i) const {
    const double value = x(i);
    x(i) = static_cast<Scalar>(-value);
    return {{value, value * value, 1.0}};
  }
};

/// Two sums for the columns of an array, and the corresponding functor for one vector.
template <class Scalar>
struct TwoColumnSums {
  VectorView<Scalar, MemorySpace> x;
  KOKKOS_FUNCTION void operator()(const ArrayEntry& entry, Sums<2>& sums) const {
    const double value = x(entry.at);
    x(entry.at) = static_cast<Scalar>(-value);
    sums.value[0] = multiply_add(value, value, sums.value[0]);
    sums.value[1] += value / static_cast<double>(entry.row % 3 + 1);
  }
};
template <class Scalar>
struct TwoSums {
  VectorView<Scalar, MemorySpace> x;
  KOKKOS_FUNCTION Sums<2> operator()(const Offset i) const {
    const double value = x(i);
    // The square of a float is exact in double, so the result does not depend on the order of
    // additions.
    return {{value * value, value / static_cast<double>(i % 3 + 1)}};
  }
};

/// Final step that the reduction itself applies to the sums.
struct TakeDifference {
  VectorView<double, MemorySpace> differences;
  VectorView<int, MemorySpace> calls;
  KOKKOS_FUNCTION void operator()(const Offset column, const Sums<2>& sums) const {
    const double second = sums.value[1] < 0 ? -sums.value[1] : sums.value[1];
    differences(column) = sums.value[0] - second;
    Kokkos::atomic_add(&calls(column), 1);
  }
};

/// Checks that the functor gets the sums of each column once, as a view would hold them.
template <class Scalar>
void check_finish(std::size_t n, std::size_t s) {
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace(exec, static_cast<Offset>(s));
  const auto x = to_device<TestSpace, Scalar>(exec, random_vector(n * s, 4));
  const Vector<double, MemorySpace> result("result", 2 * s), differences("differences", s);
  const Vector<int, MemorySpace> calls("calls", s);
  const auto rows = static_cast<Offset>(n), columns = static_cast<Offset>(s);
  reduce_columns_to_device<2>(exec, "Tomokkos::test::columns", rows, columns,
                              TwoColumnSums<Scalar>{x}, workspace, result);
  for (int run = 1; run <= 3; ++run) {
    // Restores the sign that the terms changed.
    reduce_columns_to_device<2>(exec, "Tomokkos::test::columns", rows, columns,
                                TwoColumnSums<Scalar>{x}, workspace, result);
    const auto sums = to_std_vector(result);
    reduce_columns_and_finish<2>(exec, "Tomokkos::test::finish", rows, columns,
                                 TwoColumnSums<Scalar>{x}, workspace,
                                 TakeDifference{differences, calls});
    const auto made = to_std_vector(differences);
    const auto called = to_std_vector(calls);
    for (std::size_t j = 0; j < s; ++j) {
      ASSERT_EQ(called[j], run) << n << " x " << s;
      const double wanted = sums[2 * j] - std::abs(sums[2 * j + 1]);
      ASSERT_EQ(made[j], wanted) << n << " x " << s;
    }
  }
}

/// Checks that every column has the bits of a separate reduction.
template <class Scalar>
void check_columns(std::size_t n, std::size_t s) {
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace(exec, static_cast<Offset>(s));
  const auto plain = random_vector(n * s, 4);
  const auto x = to_device<TestSpace, Scalar>(exec, plain);
  const std::size_t stride = 3;
  const Vector<double, MemorySpace> result("result", s * stride);
  Kokkos::deep_copy(result, -1.0);
  reduce_columns_to_device<2>(exec, "Tomokkos::test::columns", static_cast<Offset>(n),
                              static_cast<Offset>(s), TwoColumnSums<Scalar>{x}, workspace, result,
                              static_cast<Offset>(stride));
  const auto sums = to_std_vector(result);
  const auto updated = to_std_vector(x);
  for (std::size_t i = 0; i < n * s; ++i) ASSERT_EQ(updated[i], static_cast<Scalar>(-plain[i]));
  const Vector<double, MemorySpace> alone("alone", 2);
  for (std::size_t j = 0; j < s; ++j) {
    std::vector<double> column(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = plain[i * s + j];
    reduce_to_device<2>(exec, "Tomokkos::test::column", static_cast<Offset>(n),
                        TwoSums<Scalar>{to_device<TestSpace, Scalar>(exec, column)}, workspace,
                        alone);
    const auto expected = to_std_vector(alone);
    ASSERT_EQ(sums[j * stride], expected[0]) << n << " x " << s << ", column " << j;
    ASSERT_EQ(sums[j * stride + 1], expected[1]) << n << " x " << s << ", column " << j;
    ASSERT_EQ(sums[j * stride + 2], -1) << "between the results";
  }
}

template <class Scalar>
void check_dot(std::size_t n) {
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace(exec);
  const auto x_plain = random_vector(n, 1), y_plain = random_vector(n, 2);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
  const Vector<double, MemorySpace> result("result", 1);
  dot(exec, workspace, x, y, result);
  long double expected = 0, magnitude = 0;
  for (std::size_t i = 0; i < n; ++i) {
    expected += static_cast<long double>(x_plain[i]) * y_plain[i];
    magnitude += std::abs(x_plain[i] * y_plain[i]);
  }
  const double computed = to_host(exec, result);
  EXPECT_NEAR(computed, static_cast<double>(expected), 1e-13 * static_cast<double>(magnitude)) << n;
  for (int run = 0; run < 3; ++run) {
    dot(exec, workspace, x, y, result);
    EXPECT_EQ(to_host(exec, result), computed) << n;
  }
}

}  // namespace

TEST(Reduce, dot_of_every_length) {
  for (const auto n : lengths) {
    check_dot<float>(n);
    check_dot<double>(n);
  }
}

TEST(Reduce, several_sums_and_an_update_in_one_pass) {
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace(exec);
  const Vector<double, MemorySpace> result("result", 3);
  for (const auto n : lengths) {
    const auto plain = random_vector(n, 4);
    const auto x = to_device<TestSpace, float>(exec, plain);
    reduce_to_device<3>(exec, "Tomokkos::test::three_sums", static_cast<Offset>(n),
                        ThreeSums<float>{x}, workspace, result);
    const auto sums = to_std_vector(result);
    long double sum = 0, squares = 0;
    for (const auto value : plain) {
      sum += value;
      squares += static_cast<long double>(value) * value;
    }
    const double size = static_cast<double>(n);
    EXPECT_NEAR(sums[0], static_cast<double>(sum), 1e-13 * size);
    EXPECT_NEAR(sums[1], static_cast<double>(squares), 1e-13 * size);
    EXPECT_EQ(sums[2], size);
    const auto updated = to_std_vector(x);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(updated[i], static_cast<float>(-plain[i]));
  }
}

TEST(Reduce, columns_have_the_bits_of_vectors) {
  for (const std::size_t s : {1, 2, 3, 5, 8, 17, 33, 65, 130})
    for (const std::size_t n : {0, 1, 7, 9, 257, 2049, 5000}) {
      check_columns<float>(n, s);
      check_columns<double>(n, s);
    }
  check_columns<float>(300000, 3);
}

TEST(Reduce, sums_are_handed_over_once_for_every_column) {
  for (const std::size_t s : {1, 2, 5, 33, 130})
    for (const std::size_t n : {0, 1, 257, 5000}) {
      check_finish<float>(n, s);
      check_finish<double>(n, s);
    }
  check_finish<double>(300000, 1);
}

TEST(Reduce, dot_of_columns) {
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace(exec, 3);
  const auto X = to_device<TestSpace, float>(exec, std::vector<double>{1, 2, 3, 4, 5, 6});
  const MultiVectorView<const float, MemorySpace> view(X.data(), 2, 3);
  const Vector<double, MemorySpace> result("result", 3);
  dot_columns<TestSpace, float>(exec, workspace, view, view, result);
  EXPECT_EQ((to_host_vector<TestSpace>(exec, result)), (std::vector<double>{17, 29, 45}));
  const MultiVectorView<const float, MemorySpace> other(X.data(), 3, 2);
  EXPECT_THROW((dot_columns<TestSpace, float>(exec, workspace, view, other, result)),
               DimensionMismatch);
  const ReductionWorkspace<MemorySpace> small(exec, 2);
  EXPECT_THROW((dot_columns<TestSpace, float>(exec, small, view, view, result)), Error);
}

TEST(Reduce, floats_are_added_in_double) {
  // In float the sum would stop growing at 2^24.
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace(exec);
  const Vector<double, MemorySpace> result("result", 1);
  const std::size_t n = (std::size_t(1) << 24) + 1000;
  const Vector<float, MemorySpace> ones("ones", n);
  fill(exec, ones, 1.0F);
  sum(exec, workspace, ones, result);
  EXPECT_EQ(to_host(exec, result), static_cast<double>(n));
}

TEST(VectorOps, axpby_overwrites_when_beta_is_zero) {
  const TestSpace exec;
  const auto x = to_device<TestSpace, double>(exec, std::vector<double>{1, 2, 3});
  const auto y = to_device<TestSpace, double>(
      exec, std::vector<double>(3, std::numeric_limits<double>::quiet_NaN()));
  axpby(exec, 2.0, x, 0.0, y);
  EXPECT_EQ(to_std_vector(y), (std::vector<double>{2, 4, 6}));
  axpby(exec, -1.0, x, 0.5, y);
  EXPECT_EQ(to_std_vector(y), (std::vector<double>{0, 0, 0}));
}

/// Computes `y = 3 x + beta y` over the entries [skip_x, skip_x + n) of x and [skip_y, skip_y + n)
/// of y. Expects every entry once, and the others unchanged.
template <class Scalar, class Compute>
void check_axpby(std::size_t n, std::size_t skip_x, std::size_t skip_y, double beta,
                 const Compute& compute) {
  const TestSpace exec;
  std::vector<double> x_plain(skip_x + n + 5), y_plain(skip_y + n + 5);
  for (std::size_t i = 0; i < x_plain.size(); ++i) x_plain[i] = static_cast<double>(i % 31);
  for (std::size_t i = 0; i < y_plain.size(); ++i) y_plain[i] = static_cast<double>(i % 17);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
  compute(VectorView<const Scalar, MemorySpace>(x.data() + skip_x, n),
          VectorView<Scalar, MemorySpace>(y.data() + skip_y, n), Scalar(beta));
  for (std::size_t i = 0; i < n; ++i)
    y_plain[skip_y + i] = 3 * x_plain[skip_x + i] + beta * y_plain[skip_y + i];
  EXPECT_EQ(to_std_vector(y), std::vector<Scalar>(y_plain.begin(), y_plain.end()))
      << n << " from " << skip_x << " and " << skip_y;
}

template <class Scalar>
void check_axpby_everywhere() {
  const TestSpace exec;
  for (const std::size_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 64, 1001})
    for (std::size_t skip_x = 0; skip_x < 5; ++skip_x)
      for (std::size_t skip_y = 0; skip_y < 5; ++skip_y)
        for (const double beta : {0.0, 1.0, -2.0}) {
          check_axpby<Scalar>(n, skip_x, skip_y, beta, [&](auto x, auto y, Scalar factor) {
            axpby<TestSpace, Scalar>(exec, 3, x, factor, y);
          });
          // The packs of GPUs, on every backend.
          check_axpby<Scalar>(n, skip_x, skip_y, beta, [&](auto x, auto y, Scalar factor) {
            const auto range =
                Impl::packed_range<Scalar>(x.data(), y.data(), static_cast<Offset>(n));
            EXPECT_LE(range.head, 3);
            EXPECT_LE(range.head + 4 * range.packs, static_cast<Offset>(n));
            EXPECT_EQ(range.packs > 0, n >= static_cast<std::size_t>(range.head) + 4 &&
                                           Impl::is_pack_aligned(x.data() + range.head) &&
                                           Impl::is_pack_aligned(y.data() + range.head));
            Kokkos::parallel_for("Tomokkos::test::packed_axpby",
                                 Impl::element_range(exec, static_cast<std::size_t>(range.calls())),
                                 Impl::PackedAxpby<Scalar>{3, factor, x.data(), y.data(), range});
          });
        }
}

TEST(VectorOps, axpby_of_any_length_and_alignment) {
  check_axpby_everywhere<float>();
  check_axpby_everywhere<double>();
}

TEST(VectorOps, convert_and_distance) {
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace(exec);
  const auto x = to_device<TestSpace, double>(exec, std::vector<double>{1, -2, 1e-3});
  const Vector<float, MemorySpace> y("y", 3);
  convert<TestSpace, double, float>(exec, x, y);
  EXPECT_EQ(to_std_vector(y), (std::vector<float>{1, -2, 1e-3F}));
  const auto a = to_device<TestSpace, float>(exec, std::vector<double>{1, 2, 3});
  const auto b = to_device<TestSpace, float>(exec, std::vector<double>{1, 4, 0});
  const Vector<double, MemorySpace> result("result", 1);
  squared_distance<TestSpace, float>(exec, workspace, a, b, result);
  EXPECT_EQ(to_host(exec, result), 13);
  const auto shorter = to_device<TestSpace, float>(exec, std::vector<double>{1, 4});
  EXPECT_THROW((squared_distance<TestSpace, float>(exec, workspace, a, shorter, result)),
               DimensionMismatch);
}

TEST(Reduce, a_workspace_without_memory_is_refused) {
  const TestSpace exec;
  const ReductionWorkspace<MemorySpace> workspace;
  const auto x = to_device<TestSpace, float>(exec, std::vector<double>(10));
  const Vector<double, MemorySpace> result("result", 1);
  // Refused even if the vector is so short that the memory would not be used.
  EXPECT_THROW((dot(exec, workspace, x, x, result)), Error);
  EXPECT_THROW((sum(exec, workspace, x, result)), Error);
}
