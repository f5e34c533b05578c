// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of every format on the battery, against plain loops in double.
#include <gtest/gtest.h>

#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

const double coefficients[] = {0, 1, -1, 0.5};

/// Start of y. It is NaN if beta is 0, so that it must be overwritten.
std::vector<double> start_vector(std::int32_t size, double beta) {
  if (beta == 0)
    return std::vector<double>(static_cast<std::size_t>(size),
                               std::numeric_limits<double>::quiet_NaN());
  return random_vector(static_cast<std::size_t>(size), 3);
}

/// BCSR multiplies the zeros of its fill: its rows are as long as their blocks, but at most as long
/// as all columns.
ReferenceProduct with_fill(ReferenceProduct reference, std::int32_t columns) {
  for (auto& length : reference.row_length) length = std::min<std::int64_t>(8 * length, columns);
  return reference;
}

template <class Scalar>
void check_products(const PlainCsr& plain) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, Scalar>(exec, plain);
  const auto x_plain = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
    using Matrix = std::decay_t<decltype(A)>;
    const SpmvPlan<TestSpace, Matrix> plan(exec, A, options);
    for (const double alpha : coefficients) {
      for (const double beta : coefficients) {
        const auto y_plain = start_vector(plain.rows, beta);
        const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
        spmv(exec, plan, A, Scalar(alpha), x, Scalar(beta), y);
        const auto reference =
            with_fill(reference_product(plain, alpha, x_plain, beta, y_plain), plain.columns);
        EXPECT_LE(worst_row_error(to_std_vector(y), reference), 1)
            << plain.name << ", " << name << ", alpha " << alpha << ", beta " << beta;
      }
    }
  });
}

}  // namespace

TEST(FormatProducts, every_format_on_the_battery) {
  for (const auto& plain : format_battery()) {
    check_products<float>(plain);
    check_products<double>(plain);
  }
}

TEST(FormatProducts, the_same_bits_on_every_run) {
  const TestSpace exec;
  for (const auto& plain : format_battery()) {
    const auto csr = to_device<TestSpace, float>(exec, plain);
    const auto x = to_device<TestSpace, float>(
        exec, random_vector(static_cast<std::size_t>(plain.columns), 1));
    for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
      const SpmvPlan<TestSpace, std::decay_t<decltype(A)>> plan(exec, A, options);
      const auto y = to_device<TestSpace, float>(
          exec, std::vector<double>(static_cast<std::size_t>(plain.rows)));
      spmv(exec, plan, A, 1.0F, x, 0.0F, y);
      const auto first = to_std_vector(y);
      for (int run = 0; run < 3; ++run) {
        spmv(exec, plan, A, 1.0F, x, 0.0F, y);
        EXPECT_EQ(first, to_std_vector(y)) << plain.name << ", " << name;
      }
    });
  }
}

TEST(FormatProducts, infinity_and_nan_reach_only_the_rows_that_touch_them) {
  const TestSpace exec;
  const auto plain = battery::make("sparse", 200, 400, [](int i) { return 1 + i % 70; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  auto x_plain = random_vector(400, 1);
  // Padding refers to column 0 and must not be read.
  x_plain[0] = std::numeric_limits<double>::infinity();
  x_plain[11] = std::numeric_limits<double>::quiet_NaN();
  const auto x = to_device<TestSpace, float>(exec, x_plain);
  for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(200));
    spmv(exec, SpmvPlan<TestSpace, std::decay_t<decltype(A)>>(exec, A, options), A, 1.0F, x, 0.0F,
         y);
    const auto computed = to_std_vector(y);
    int block = 1;
    if constexpr (requires { std::decay_t<decltype(A)>::block_size; })
      block = std::decay_t<decltype(A)>::block_size;
    for (int i = 0; i < 200; ++i) {
      // The zeros of a block are multiplied by all columns that the block covers.
      bool touched = false;
      for (int row = i / block * block; row < std::min(200, (i / block + 1) * block); ++row)
        for (auto k = plain.offsets[row]; k < plain.offsets[row + 1]; ++k)
          touched =
              touched || plain.indices[k] / block == 0 || plain.indices[k] / block == 11 / block;
      EXPECT_EQ(std::isfinite(computed[i]), !touched) << "row " << i << ", " << name;
    }
  });
}

TEST(FormatProducts, an_infinite_entry_reaches_only_its_row) {
  const TestSpace exec;
  // Every size of a block divides the rows, so that the blocks are full.
  constexpr int n = 24;
  for (int special = 0; special < n; special += 5) {
    PlainCsr plain;
    plain.columns = n;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        plain.add(j, i == special && j == (special + 7) % n
                         ? std::numeric_limits<double>::infinity()
                         : 1.0);
      plain.end_row();
    }
    const auto csr = to_device<TestSpace, double>(exec, plain);
    const auto x = to_device<TestSpace, double>(exec, std::vector<double>(n, 1.0));
    for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
      const auto y = to_device<TestSpace, double>(exec, std::vector<double>(n));
      spmv(exec, SpmvPlan<TestSpace, std::decay_t<decltype(A)>>(exec, A, options), A, 1.0, x, 0.0,
           y);
      const auto computed = to_std_vector(y);
      for (int i = 0; i < n; ++i) {
        if (i == special)
          EXPECT_TRUE(std::isinf(computed[i])) << "row " << i << ", " << name;
        else
          EXPECT_EQ(computed[i], n) << "row " << i << ", " << name;
      }
    });
  }
}

TEST(FormatProducts, wrong_shapes_are_named) {
  const TestSpace exec;
  const auto csr =
      to_device<TestSpace, float>(exec, battery::make("small", 10, 20, [](int) { return 3; }));
  const auto x = to_device<TestSpace, float>(exec, std::vector<double>(19));
  const auto y = to_device<TestSpace, float>(exec, std::vector<double>(10));
  for_each_format(csr, [&](const std::string& name, const auto& A, const SpmvOptions& options) {
    const SpmvPlan<TestSpace, std::decay_t<decltype(A)>> plan(exec, A, options);
    EXPECT_THROW(spmv(exec, plan, A, 1.0F, x, 0.0F, y), DimensionMismatch) << name;
  });
}
