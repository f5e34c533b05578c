// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of the formats with a dot: y as without it, and sums that add up to x . y. On a host
// they are the sums of a plain loop over fixed blocks of rows, for any number of threads.
#include <gtest/gtest.h>

#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <Tomokkos_Pcg.hpp>

#include "FlatFormat.hpp"
#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

constexpr bool on_host = Impl::is_host_space<TestSpace>;

/// Square matrices of the battery, and matrices with sizes close to those of warps, teams, chunks
/// and the blocks of a host.
std::vector<PlainCsr> square_matrices() {
  std::vector<PlainCsr> all;
  for (auto& plain : format_battery())
    if (plain.rows == plain.columns) all.push_back(std::move(plain));
  for (const int n : {2, 7, 31, 32, 33, 127, 128, 129, 255, 256, 257, 515, 1023})
    all.push_back(battery::make("square " + std::to_string(n), n, n,
                                [&](int i) { return (i * 7 + n) % 19; }));
  // If the rows were sorted by length, the first threads would get all long rows.
  all.push_back(
      battery::make("mostly short", 3000, 3000, [](int i) { return i % 40 == 0 ? 200 : 2; }));
  return all;
}

bool has_dot(const std::string& name) {
  if (name.find("coo") == 0 || name.find("hyb") == 0) return false;
  // On a GPU the plan may use several threads per row of ELLPACK-R.
  return on_host || name.find("ell_r") != 0 || name.find("threads 1") != std::string::npos;
}

/// Number of rows that a host adds to one sum.
template <class Matrix>
int rows_per_sum() {
  if constexpr (requires { Matrix::block_size; })
    return Impl::format_dot_rows / Matrix::block_size * Matrix::block_size;
  else
    return Impl::format_dot_rows;
}

/// Row of each slot.
template <class Matrix>
std::vector<Ordinal> row_order(const Matrix& A) {
  std::vector<Ordinal> order;
  if constexpr (requires { A.rows.extent(0); }) order = to_std_vector(A.rows);
  for (auto i = static_cast<Ordinal>(order.size()); i < A.num_rows; ++i) order.push_back(i);
  order.resize(static_cast<std::size_t>(A.num_rows));
  return order;
}

/// Vector of powers of two. Its products are exact, so fused and separate additions give the same
/// bits.
std::vector<double> powers_of_two(std::size_t size) {
  std::vector<double> x(size);
  for (std::size_t i = 0; i < size; ++i)
    x[i] = std::ldexp(i % 3 == 0 ? -1.0 : 1.0, static_cast<int>(i * i % 7) - 3);
  return x;
}

template <class Scalar>
std::vector<double> blockwise_sums(const std::vector<Ordinal>& order, int rows,
                                   const std::vector<Scalar>& y, const std::vector<double>& x) {
  std::vector<double> sums((order.size() + static_cast<std::size_t>(rows) - 1) /
                           static_cast<std::size_t>(rows));
  for (std::size_t slot = 0; slot < order.size(); ++slot) {
    const auto row = static_cast<std::size_t>(order[slot]);
    sums[slot / static_cast<std::size_t>(rows)] += static_cast<double>(y[row]) * x[row];
  }
  return sums;
}

template <class Scalar>
void check_dots(const PlainCsr& plain) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, Scalar>(exec, plain);
  const auto size = static_cast<std::size_t>(plain.rows);
  const auto x_plain = powers_of_two(size);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
    using Matrix = std::decay_t<decltype(A)>;
    const std::string what = plain.name + ", " + name;
    const SpmvPlan<TestSpace, Matrix> plan(exec, A, options);
    const Offset count = spmv_dot_sums(plan, A);
    const Vector<Scalar, TestMemory> y("y", size), alone("alone", size);
    const Vector<double, TestMemory> sums("sums", static_cast<std::size_t>(count));
    if (plain.rows > 0 && count == 0) {
      EXPECT_FALSE(has_dot(name)) << what;
      EXPECT_THROW(spmv_dot(exec, plan, A, x, y, sums), Error) << what;
      return;
    }
    Kokkos::deep_copy(y, std::numeric_limits<Scalar>::quiet_NaN());
    Kokkos::deep_copy(sums, std::numeric_limits<double>::quiet_NaN());
    spmv_dot(exec, plan, A, x, y, sums);
    spmv(exec, plan, A, Scalar(1), x, Scalar(0), alone);
    const auto result = to_std_vector(y);
    EXPECT_EQ(result, to_std_vector(alone)) << what;

    const auto parts = to_std_vector(sums);
    double dot = 0, expected = 0, scale = 0;
    for (const double part : parts) dot += part;
    for (std::size_t i = 0; i < size; ++i) {
      expected += static_cast<double>(result[i]) * x_plain[i];
      scale += std::abs(static_cast<double>(result[i]) * x_plain[i]);
    }
    EXPECT_NEAR(dot, expected, 1e-14 * scale) << what;
    if (on_host) {
      EXPECT_EQ(parts, blockwise_sums(row_order(A), rows_per_sum<Matrix>(), result, x_plain))
          << what;
    }

    spmv_dot(exec, plan, A, x, y, sums);
    EXPECT_EQ(to_std_vector(sums), parts) << what << ": the same bits on every run";
    const Vector<double, TestMemory> one_more("sums", static_cast<std::size_t>(count) + 1);
    EXPECT_THROW(spmv_dot(exec, plan, A, x, y, one_more), DimensionMismatch) << what;
  });
}

/// Negative Laplacian of a grid for two coupled components: symmetric positive definite, made of
/// blocks, with rows of several lengths.
PlainCsr coupled_laplacian(int n) {
  PlainCsr A;
  A.name = "coupled laplacian";
  A.columns = 2 * n * n;
  for (int i = 0; i < n * n; ++i)
    for (int c = 0; c < 2; ++c) {
      const int x = i % n, y = i / n;
      const auto couple = [&](bool there, int j) {
        if (there) A.add(2 * j + c, -1);
      };
      couple(y > 0, i - n);
      couple(x > 0, i - 1);
      A.add(2 * i, c == 0 ? 4.25 : 0.125);
      A.add(2 * i + 1, c == 0 ? 0.125 : 4.25);
      couple(x + 1 < n, i + 1);
      couple(y + 1 < n, i + n);
      A.end_row();
    }
  return A;
}

std::vector<FlatFormat> formats_with_dot() {
  std::vector<FlatFormat> all(4);
  all[0].format = MatrixFormat::ell;
  all[1].format = MatrixFormat::ell_r;
  all[1].threads_per_row = 1;
  all[2].format = all[3].format = MatrixFormat::sell;
  all[3].sigma = 0;
  for (const int block : {2, 3, 4, 8}) {
    all.emplace_back();
    all.back().format = MatrixFormat::bcsr;
    all.back().block = block;
    all.back().largest_fill = 64;
  }
  return all;
}

}  // namespace

TEST(FormatDots, y_as_without_a_dot_and_sums_that_add_up) {
  for (const auto& plain : square_matrices()) {
    check_dots<float>(plain);
    check_dots<double>(plain);
  }
}

TEST(FormatDots, wrong_shapes_are_named) {
  const TestSpace exec;
  const auto csr =
      to_device<TestSpace, float>(exec, battery::make("wide", 10, 20, [](int) { return 3; }));
  const auto x = to_device<TestSpace, float>(exec, std::vector<double>(20));
  const auto y = to_device<TestSpace, float>(exec, std::vector<double>(10));
  for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
    const SpmvPlan<TestSpace, std::decay_t<decltype(A)>> plan(exec, A, options);
    const Vector<double, TestMemory> sums("sums", static_cast<std::size_t>(spmv_dot_sums(plan, A)));
    EXPECT_THROW(spmv_dot(exec, plan, A, x, y, sums), DimensionMismatch) << name;
  });
}

TEST(FormatDots, a_block_of_rows_that_is_not_finite_spoils_its_own_sums_alone) {
  const TestSpace exec;
  constexpr int n = 2048;
  PlainCsr diagonal;
  diagonal.columns = n;
  for (int i = 0; i < n; ++i) {
    diagonal.add(i, 1);
    diagonal.end_row();
  }
  auto x_plain = random_vector(n, 3);
  x_plain[1100] = std::numeric_limits<double>::quiet_NaN();
  const auto x = to_device<TestSpace, double>(exec, x_plain);
  const auto csr = to_device<TestSpace, double>(exec, diagonal);
  for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
    const SpmvPlan<TestSpace, std::decay_t<decltype(A)>> plan(exec, A, options);
    const Offset count = spmv_dot_sums(plan, A);
    if (count == 0) return;
    const Vector<double, TestMemory> y("y", n), sums("sums", static_cast<std::size_t>(count));
    spmv_dot(exec, plan, A, x, y, sums);
    int spoiled = 0;
    for (const double sum : to_std_vector(sums)) spoiled += std::isnan(sum) ? 1 : 0;
    EXPECT_EQ(spoiled, 1) << name;
  });
}

TEST(FormatDots, conjugate_gradients_have_the_iterates_of_csr) {
  const TestSpace exec;
  const auto plain = coupled_laplacian(24);
  const auto csr = to_device<TestSpace, double>(exec, plain);
  const auto b =
      to_device<TestSpace, double>(exec, random_vector(static_cast<std::size_t>(plain.rows), 5));
  for (const bool scaled : {true, false}) {
    PreconditionerOptions preconditioner;
    preconditioner.scale_matrix = scaled;
    for (const int iterations : {1, 5, 20}) {
      const auto solve = [&](const AnyOperator<TestSpace, double>& A, PcgLaunches launches) {
        PcgParams params;
        params.scheme = PcgScheme::standard;  // the scheme that uses dots from products
        params.launches = launches;
        params.iterations = iterations;
        params.check_every = 4;
        const PreconditionedSystem<TestSpace, double> system(exec, A, preconditioner);
        Pcg<TestSpace, double> solver(exec, plain.rows, params);
        const auto x = to_device<TestSpace, double>(
            exec, std::vector<double>(static_cast<std::size_t>(plain.rows), 0.0));
        const auto result = solver.solve(exec, system, b, x);
        EXPECT_EQ(result.iterations, iterations);
        return to_std_vector(x);
      };
      const auto expected = solve(CsrOperator<TestSpace, double>(exec, csr), PcgLaunches::direct);
      for (const auto& options : formats_with_dot()) {
        const auto A = make_format_operator<TestSpace, double>(exec, csr, options, false).A;
        const std::string name =
            std::string(to_string(options.format)) + " " + std::to_string(options.block);
        EXPECT_NE(A.capabilities().dot, nullptr) << name;
        EXPECT_EQ(A.capabilities().only_launches, options.format != MatrixFormat::ell) << name;
        const auto x = solve(A, PcgLaunches::direct);
        EXPECT_EQ(solve(A, PcgLaunches::recorded), x) << name;
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], expected[i], 1e-12) << name;
      }
    }
  }
}
