// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CSR products of a range of rows or columns, with one vector and with several, and the errors for
// invalid ranges.
#include <gtest/gtest.h>

#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_Spmv.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

/// Values that a product with `beta == 0` must overwrite.
std::vector<double> not_numbers(std::size_t size) {
  return std::vector<double>(size, std::numeric_limits<double>::quiet_NaN());
}

template <class Scalar>
void check_ranges(const PlainCsr& plain, SpmvVariant variant) {
  using MemorySpace = TestSpace::memory_space;
  const TestSpace exec;
  SpmvOptions options;
  options.variant = variant;
  const CsrMatrix<Scalar, MemorySpace> A = to_device<TestSpace, Scalar>(exec, plain);
  const SpmvPlan<TestSpace, CsrMatrix<Scalar, MemorySpace>> plan(exec, A, options);
  const auto x_plain = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  for (const auto& [from, to] : {std::pair{0.0, 0.5}, {0.3, 0.3}, {0.25, 0.75}, {0.0, 1.0}}) {
    const RowRange rows{static_cast<Ordinal>(from * plain.rows),
                        static_cast<Ordinal>(to * plain.rows)};
    const auto part = rows_of(plain, rows.begin, rows.end);
    const auto y_plain = random_vector(static_cast<std::size_t>(part.rows), 5);
    const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
    spmv_rows(exec, plan, A, rows, Scalar(0.5), x, Scalar(-1), y);
    EXPECT_LE(worst_row_error(to_std_vector(y), reference_product(part, 0.5, x_plain, -1, y_plain)),
              1)
        << plain.name << ", " << to_string(variant);

    const RowRange columns{static_cast<Ordinal>(from * plain.columns),
                           static_cast<Ordinal>(to * plain.columns)};
    const auto slab = columns_of(plain, columns.begin, columns.end);
    const auto z_plain = random_vector(static_cast<std::size_t>(slab.columns), 6);
    const auto z = to_device<TestSpace, Scalar>(exec, z_plain);
    const auto w =
        to_device<TestSpace, Scalar>(exec, not_numbers(static_cast<std::size_t>(plain.rows)));
    spmv_columns(exec, plan, A, columns, Scalar(2), z, Scalar(0), w);
    EXPECT_LE(worst_row_error(to_std_vector(w), reference_product(slab, 2, z_plain, 0, {})), 1)
        << plain.name << ", " << to_string(variant);
  }
}

/// Checks ranges of rows and of columns with s vectors at once.
template <class Scalar>
void check_multivector_ranges(const PlainCsr& plain, int s) {
  using MemorySpace = TestSpace::memory_space;
  const TestSpace exec;
  const CsrMatrix<Scalar, MemorySpace> A = to_device<TestSpace, Scalar>(exec, plain);
  // Compares `multiply`, a product of a range of the whole matrix, with the plain product of that
  // part.
  const auto check = [&](const PlainCsr& part, const auto& multiply) {
    for (const double beta : {0.0, 0.5}) {
      const auto x_plain = random_vector(static_cast<std::size_t>(part.columns) * s, 1);
      const auto y_plain = beta == 0 ? not_numbers(static_cast<std::size_t>(part.rows) * s)
                                     : random_vector(static_cast<std::size_t>(part.rows) * s, 2);
      const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
      const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
      multiply(MultiVectorView<const Scalar, MemorySpace>(x.data(), part.columns, s), Scalar(beta),
               MultiVectorView<Scalar, MemorySpace>(y.data(), part.rows, s));
      const auto computed = to_std_vector(y);
      for (int j = 0; j < s; ++j)
        EXPECT_LE(worst_row_error(column_of(computed, j, s),
                                  reference_product(part, -1, column_of(x_plain, j, s), beta,
                                                    column_of(y_plain, j, s))),
                  1)
            << part.name << ", column " << j << " of " << s << ", beta " << beta;
    }
  };
  for (const auto& [from, to] : {std::pair{0.0, 0.5}, {0.3, 0.3}, {0.25, 0.75}, {0.6, 1.0}}) {
    const RowRange rows{static_cast<Ordinal>(from * plain.rows),
                        static_cast<Ordinal>(to * plain.rows)};
    check(rows_of(plain, rows.begin, rows.end), [&](const auto& X, Scalar beta, const auto& Y) {
      spmm(exec, A, rows, Scalar(-1), X, beta, Y);
    });
    const RowRange columns{static_cast<Ordinal>(from * plain.columns),
                           static_cast<Ordinal>(to * plain.columns)};
    check(columns_of(plain, columns.begin, columns.end),
          [&](const auto& X, Scalar beta, const auto& Y) {
            spmm_columns(exec, A, columns, Scalar(-1), X, beta, Y);
          });
  }
}

}  // namespace

TEST(CsrRanges, ranges_of_rows_and_columns) {
  for (const auto& plain : battery::matrices()) {
    if (plain.name == "rows in no order") continue;  // ranges of columns need sorted rows
    for (const auto variant :
         {SpmvVariant::scalar, SpmvVariant::team_vector, SpmvVariant::staged,
          SpmvVariant::merge_path, SpmvVariant::spmv4gpu, SpmvVariant::merge_atomic}) {
      check_ranges<float>(plain, variant);
      check_ranges<double>(plain, variant);
    }
  }
}

TEST(CsrRanges, several_vectors_at_once) {
  for (const auto& plain : battery::matrices())
    for (const int s : {1, 3}) {
      check_multivector_ranges<float>(plain, s);
      check_multivector_ranges<double>(plain, s);
    }
}

TEST(CsrRanges, what_does_not_lie_within_the_matrix_is_refused) {
  using MemorySpace = TestSpace::memory_space;
  const TestSpace exec;
  const auto A =
      to_device<TestSpace, float>(exec, battery::make("small", 10, 20, [](int) { return 3; }));
  const SpmvPlan<TestSpace, CsrMatrix<float, MemorySpace>> plan(exec, A);
  const auto image = to_device<TestSpace, float>(exec, std::vector<double>(20));
  const auto data = to_device<TestSpace, float>(exec, std::vector<double>(10));
  const MultiVectorView<const float, MemorySpace> x(image.data(), 20, 1), b(data.data(), 10, 1);
  const MultiVectorView<float, MemorySpace> y(data.data(), 10, 1), z(image.data(), 20, 1);
  // The vectors have the lengths of all rows, in case a negative end were taken for all rows.
  for (const RowRange rows : {RowRange{5, 11}, {-1, 9}, {9, 5}, {10, -3}, {0, -3}, {1, -1}}) {
    const auto refused = [&](const auto& product) {
      EXPECT_THROW(product(), Error) << rows.begin << ", " << rows.end;
    };
    refused([&] { spmv_rows(exec, plan, A, rows, 1.0F, image, 0.0F, data); });
    refused([&] { spmm(exec, A, rows, 1.0F, x, 0.0F, y); });
    refused([&] { spmv_transpose_atomic(exec, A, rows, 1.0F, b, 0.0F, z); });
  }
  for (const RowRange columns : {RowRange{5, 21}, {20, -3}, {0, -3}}) {
    EXPECT_THROW((spmv_columns(exec, plan, A, columns, 1.0F, image, 0.0F, data)), Error);
    EXPECT_THROW((spmm_columns(exec, A, columns, 1.0F, x, 0.0F, y)), Error);
  }
}

TEST(CsrRanges, a_plan_serves_its_own_matrix) {
  using Matrix = CsrMatrix<float, TestSpace::memory_space>;
  const TestSpace exec;
  const auto A =
      to_device<TestSpace, float>(exec, battery::make("one", 10, 20, [](int) { return 3; }));
  const auto taller =
      to_device<TestSpace, float>(exec, battery::make("taller", 11, 20, [](int) { return 3; }));
  const auto denser =
      to_device<TestSpace, float>(exec, battery::make("denser", 10, 20, [](int) { return 4; }));
  const auto x = to_device<TestSpace, float>(exec, std::vector<double>(20));
  const auto y = to_device<TestSpace, float>(exec, std::vector<double>(10));
  for (const auto variant : {SpmvVariant::scalar, SpmvVariant::merge_path}) {
    SpmvOptions options;
    options.variant = variant;
    for (const auto& plan :
         {SpmvPlan<TestSpace, Matrix>(exec, taller, options),
          SpmvPlan<TestSpace, Matrix>(exec, denser, options), SpmvPlan<TestSpace, Matrix>()}) {
      const auto refused = [](const auto& product) { EXPECT_THROW(product(), DimensionMismatch); };
      refused([&] { spmv(exec, plan, A, 1.0F, x, 0.0F, y); });
      refused([&] { spmv_rows(exec, plan, A, all_rows, 1.0F, x, 0.0F, y); });
      refused([&] { spmv_columns(exec, plan, A, all_rows, 1.0F, x, 0.0F, y); });
    }
  }
}
