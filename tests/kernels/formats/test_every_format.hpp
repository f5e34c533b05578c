// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of every format in the list, in every shape used by the benchmarks: its contract, the
// conversion back to CSR, and an operator with both products, the product with a dot, the diagonal
// and the scaled matrix. A new format is tested as soon as it is in the list.
#include <gtest/gtest.h>
#include <Tomokkos_MakeOperator.hpp>

#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace every_format_testing {

template <class Scalar>
class EveryFormat : public ::testing::Test {};

using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EveryFormat, Scalars);

struct NamedFormat {
  std::string name;
  FormatOptions options;
};

/// Shapes of all formats without a limit to their padding.
std::vector<NamedFormat> all_formats() {
  std::vector<NamedFormat> all;
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names) {
    all.push_back({std::string(name), default_options(format)});
    for (const FormatShape& shape : format_shapes(format, Impl::is_host_space<TestSpace>))
      all.push_back({std::string(name).append(" ").append(shape.name), shape.options});
  }
  for (auto& format : all)
    with_format(format.options, [&]<class Format>(typename Format::Options& options) {
      if constexpr (Format::pads) options.limit = any_fill;
    });
  return all;
}

/// Small matrices, which any format can store.
std::vector<PlainCsr> small_battery() {
  std::vector<PlainCsr> all;
  for (auto& plain : format_battery())
    if (static_cast<double>(plain.rows) * plain.columns < 1e6) all.push_back(std::move(plain));
  all.push_back(battery::make("square", 60, 60, [](int i) { return 1 + i % 5; }));
  return all;
}

/// Entries other than zero. Some formats cannot distinguish stored zeros from padding.
template <class Scalar>
std::vector<std::tuple<Ordinal, Ordinal, Scalar>> entries_of(const TestCsr<Scalar>& A) {
  const auto offsets = to_std_vector(A.row_offsets);
  const auto columns = to_std_vector(A.columns);
  const auto values = to_std_vector(A.values);
  std::vector<std::tuple<Ordinal, Ordinal, Scalar>> entries;
  for (Ordinal row = 0; row < A.num_rows; ++row)
    for (Offset k = offsets[row]; k < offsets[row + 1]; ++k)
      if (values[k] != Scalar(0)) entries.emplace_back(row, columns[k], values[k]);
  return entries;
}

/// Expects that the error is within a bound for longer sums: \p longest more terms for the fill,
/// and one fixed-point unit per term.
template <class Scalar>
void expect_product(const std::vector<Scalar>& computed, const ReferenceProduct& expected,
                    double unit, std::int32_t longest, const std::string& what) {
  ASSERT_EQ(computed.size(), expected.y.size()) << what;
  const double u = std::numeric_limits<Scalar>::epsilon();
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const double length =
        std::min<double>(8.0 * static_cast<double>(expected.row_length[i]), longest);
    ASSERT_LE(std::abs(static_cast<double>(computed[i]) - expected.y[i]),
              (length + 2) * (u * expected.magnitude[i] + unit))
        << what << ", entry " << i;
  }
}

template <class Scalar>
std::vector<Scalar> product(const AnyOperator<TestSpace, Scalar>& A, bool transposed, double alpha,
                            const std::vector<double>& x, double beta, const std::vector<double>& y,
                            int s) {
  const TestSpace exec;
  const auto from = to_device<TestSpace, Scalar>(exec, x);
  const auto to = to_device<TestSpace, Scalar>(exec, y);
  const Ordinal rows_of_x = transposed ? A.num_rows() : A.num_cols();
  const Ordinal rows_of_y = transposed ? A.num_cols() : A.num_rows();
  const MultiVectorView<const Scalar, TestMemory> X(from.data(), rows_of_x, s);
  const MultiVectorView<Scalar, TestMemory> Y(to.data(), rows_of_y, s);
  if (transposed)
    A.apply_transpose(exec, static_cast<Scalar>(alpha), X, static_cast<Scalar>(beta), Y);
  else
    A.apply(exec, static_cast<Scalar>(alpha), X, static_cast<Scalar>(beta), Y);
  return to_std_vector(to);
}

template <class Values>
auto column(const Values& all, int j, int s) {
  Values picked;
  for (std::size_t i = static_cast<std::size_t>(j); i < all.size(); i += s)
    picked.push_back(all[i]);
  return picked;
}

/// Checks both products with s vectors. If beta is 0, y is overwritten, whatever it held.
template <class Scalar>
void check_products(const AnyOperator<TestSpace, Scalar>& A, const PlainCsr& plain, int s,
                    const std::string& what) {
  const PlainCsr transposed = plain.transposed();
  for (const bool back : {false, true})
    for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.5, 0.75}}) {
      const PlainCsr& M = back ? transposed : plain;
      const auto x = random_vector(static_cast<std::size_t>(M.columns) * s, 1);
      auto y = random_vector(static_cast<std::size_t>(M.rows) * s, 2);
      if (beta == 0) std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
      const auto computed = product(A, back, alpha, x, beta, y, s);
      double largest_row = 0;
      for (std::int32_t i = 0; i < M.rows; ++i) {
        double row = 0;
        for (auto k = M.offsets[i]; k < M.offsets[i + 1]; ++k) row += std::abs(M.values[k]);
        largest_row = std::max(largest_row, row);
      }
      // Unit of fixed-point sums: 2^-30 of the largest possible sum in float, 2^-60 in double.
      const double unit =
          std::abs(alpha) * largest_row * (std::is_same_v<Scalar, float> ? 0x1p-29 : 0x1p-59);
      for (int j = 0; j < s; ++j)
        expect_product(column(computed, j, s),
                       reference_product(M, alpha, column(x, j, s), beta, column(y, j, s)), unit,
                       M.columns,
                       what + (back ? ", transposed, vector " : ", vector ") + std::to_string(j));
    }
}

TYPED_TEST(EveryFormat, keeps_its_contract_and_comes_back) {
  using Scalar = TypeParam;
  const TestSpace exec;
  for (const PlainCsr& plain : small_battery()) {
    const auto csr = to_device<TestSpace, Scalar>(exec, plain);
    for (const NamedFormat& format : all_formats())
      with_format(format.options, [&]<class Format>(const typename Format::Options& options) {
        Format::template Matrices<Scalar, TestMemory>::for_each([&]<class Matrix>() {
          if (!FormatTraits<Matrix>::matches_options(options)) return;
          const std::string what = plain.name + ", " + format.name;
          const Matrix A = FormatTraits<Matrix>::from_csr(exec, csr, options);
          EXPECT_NO_THROW(validate(exec, A)) << what;
          EXPECT_EQ(A.num_rows, csr.num_rows) << what;
          EXPECT_EQ(A.num_cols, csr.num_cols) << what;
          EXPECT_EQ(A.num_nonzeros(), csr.num_nonzeros()) << what;
          EXPECT_GE(A.memory_bytes(), sizeof(Scalar) * A.num_nonzeros()) << what;
          if constexpr (!Impl::is_csr<Matrix>) {
            const auto back = to_csr(exec, A);
            EXPECT_NO_THROW(validate(exec, back)) << what;
            EXPECT_EQ(entries_of<Scalar>(back), entries_of<Scalar>(csr)) << what;
          }
        });
      });
  }
}

TYPED_TEST(EveryFormat, multiplies_both_ways) {
  using Scalar = TypeParam;
  const TestSpace exec;
  for (const PlainCsr& plain : small_battery()) {
    const auto csr = to_device<TestSpace, Scalar>(exec, plain);
    for (const NamedFormat& format : all_formats()) {
      MakeOptions options;
      options.format = format.options;
      const auto made = make_operator<TestSpace, Scalar>(exec, csr, options);
      EXPECT_TRUE(made.A.has_transpose());
      EXPECT_GE(made.A.apply_transpose_bytes(), sizeof(Scalar) * plain.nonzeros()) << format.name;
      for (const int s : {1, 3})
        check_products<Scalar>(made.A, plain, s, plain.name + ", " + format.name);
    }
  }
}

/// An infinity in x affects only the rows with an entry in its column.
TYPED_TEST(EveryFormat, passes_over_what_is_not_there) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr plain = battery::make("square", 60, 60, [](int i) { return 1 + i % 5; });
  const auto csr = to_device<TestSpace, Scalar>(exec, plain);
  std::vector<double> x = random_vector(60, 1);
  constexpr int place = 17;
  x[place] = std::numeric_limits<double>::infinity();
  for (const NamedFormat& format : all_formats()) {
    // Skip dense blocks, whose zeros are multiplied, too.
    if (format_of(format.options) == MatrixFormat::bcsr) continue;
    MakeOptions options;
    options.format = format.options;
    options.with_transpose = false;
    const auto made = make_operator<TestSpace, Scalar>(exec, csr, options);
    const auto y = product<Scalar>(made.A, false, 1, x, 0, std::vector<double>(60), 1);
    for (std::int32_t i = 0; i < 60; ++i) {
      bool touches = false;
      for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
        touches = touches || plain.indices[k] == place;
      EXPECT_EQ(std::isfinite(static_cast<double>(y[i])), !touches) << format.name << ", row " << i;
    }
  }
}

TYPED_TEST(EveryFormat, has_ranges_slabs_dots_and_diagonals_that_agree_with_the_whole) {
  using Scalar = TypeParam;
  const TestSpace exec;
  // Equal rows around the diagonal, for formats that suit band matrices.
  PlainCsr plain;
  plain.name = "band";
  plain.columns = 700;
  for (int i = 0; i < 700; ++i) {
    for (const int offset : {-40, -1, 0, 1, 40})
      if (i + offset >= 0 && i + offset < 700)
        plain.add(i + offset, offset == 0 ? 5 + 0.01 * i : -1 + 0.001 * (i + offset));
    plain.end_row();
  }
  const auto csr = to_device<TestSpace, Scalar>(exec, plain);
  const auto x = random_vector(700, 1);
  const auto x_device = to_device<TestSpace, Scalar>(exec, x);
  const MultiVectorView<const Scalar, TestMemory> X(x_device.data(), 700, 1);
  const double tolerance = 200 * std::numeric_limits<Scalar>::epsilon();
  for (const NamedFormat& format : all_formats()) {
    MakeOptions options;
    options.format = format.options;
    const auto A = make_operator<TestSpace, Scalar>(exec, csr, options).A;
    const auto whole = product<Scalar>(A, false, 1, x, 0, std::vector<double>(700), 1);
    const auto back = product<Scalar>(A, true, 1, x, 0, std::vector<double>(700), 1);
    EXPECT_EQ(A.supports_ranges(), has_row_ranges(format_of(format.options))) << format.name;
    if (A.supports_ranges()) {
      const Vector<Scalar, TestMemory> part("part", 100), sum("sum", 700);
      A.apply(exec, Scalar(1), X, Scalar(0), as_multivector(part), {300, 400});
      const auto rows = to_std_vector(part);
      for (int i = 0; i < 100; ++i) EXPECT_NEAR(rows[i], whole[300 + i], tolerance) << format.name;
      for (const auto& [begin, end] : {std::pair{0, 250}, {250, 600}, {600, 700}}) {
        const MultiVectorView<const Scalar, TestMemory> some(x_device.data() + begin, end - begin,
                                                             1);
        A.apply_transpose(exec, Scalar(1), some, Scalar(begin == 0 ? 0 : 1), as_multivector(sum),
                          {begin, end});
      }
      const auto columns = to_std_vector(sum);
      for (int j = 0; j < 700; ++j) EXPECT_NEAR(columns[j], back[j], tolerance) << format.name;
    }
    const auto& offers = A.capabilities();
    if (offers.slabs != nullptr && offers.slabs->unit() > 0) {
      const Ordinal unit = offers.slabs->unit();
      const Ordinal cut = std::min<Ordinal>(unit * (350 / unit), 700);
      const Vector<Scalar, TestMemory> slab("slab", 700 - cut);
      offers.slabs->prepare(exec, X);
      offers.slabs->apply_transpose(exec, Scalar(1), X, Scalar(0), as_multivector(slab),
                                    {cut, 700});
      const auto columns = to_std_vector(slab);
      for (Ordinal j = cut; j < 700; ++j) EXPECT_EQ(columns[j - cut], back[j]) << format.name;
    }
    if (offers.dot != nullptr) {
      const Vector<Scalar, TestMemory> y("y", 700);
      const Vector<double, TestMemory> sums("sums", offers.dot->num_sums());
      offers.dot->apply(exec, x_device, y, sums);
      EXPECT_EQ(to_std_vector(y), whole) << format.name;
      double dot = 0, expected = 0;
      for (const double sum : to_std_vector(sums)) dot += sum;
      for (int i = 0; i < 700; ++i) expected += x[i] * static_cast<double>(whole[i]);
      EXPECT_NEAR(dot, expected, 700 * tolerance) << format.name;
    }
    if (offers.diagonal != nullptr) {
      const Vector<Scalar, TestMemory> d("d", 700), scale("scale", 700);
      offers.diagonal->diagonal(exec, d);
      const auto diagonal = to_std_vector(d);
      for (int i = 0; i < 700; ++i)
        EXPECT_EQ(diagonal[i], static_cast<float>(5 + 0.01 * i)) << format.name;
      Kokkos::deep_copy(exec, scale, Scalar(0.5));
      const auto scaled = product<Scalar>(offers.scaling->scaled(exec, scale), false, 4, x, 0,
                                          std::vector<double>(700), 1);
      for (int i = 0; i < 700; ++i) EXPECT_NEAR(scaled[i], whole[i], tolerance) << format.name;
    }
  }
}

}  // namespace every_format_testing
