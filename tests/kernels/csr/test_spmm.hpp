// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with several vectors in every format that supports them, on the battery, against plain
// loops in double.
#include <gtest/gtest.h>
#include <Tomokkos_Spmm.hpp>

#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
using ConstMulti = MultiVectorView<const Scalar, TestMemory>;
template <class Scalar>
using Multi = MultiVectorView<Scalar, TestMemory>;

std::size_t product(std::int32_t a, int b) {
  return static_cast<std::size_t>(a) * static_cast<std::size_t>(b);
}

/// Calls `visit(name, multiply, block)` for CSR and every other format with `spmm`. `multiply` is
/// called with (alpha, X, beta, Y, options); `block` is the block size that determines the fill of
/// a row.
template <class Scalar, class Visit>
void for_each_spmm(const TestCsr<Scalar>& A, const Visit& visit) {
  const TestSpace exec;
  visit(
      std::string("csr"),
      [&](Scalar alpha, const auto& X, Scalar beta, const auto& Y, const SpmmOptions& options) {
        spmm(exec, A, all_rows, alpha, X, beta, Y, options);
      },
      1);
  const auto format = [&](const std::string& name, const auto& M, int block) {
    visit(
        name,
        [&](Scalar alpha, const auto& X, Scalar beta, const auto& Y, const SpmmOptions& options) {
          spmm(exec, M, alpha, X, beta, Y, options);
        },
        block);
  };
  if (static_cast<double>(A.num_rows) * A.num_cols < 2e7)
    for (const bool sorted : {false, true})
      format("ell_r", ell_r_from_csr(exec, A, {sorted, any_fill}), 1);
  for (const auto& [chunk, sigma] : {std::pair{0, 1}, {8, 64}, {5, 10}}) {
    SellOptions options;
    options.chunk = chunk;
    options.sigma = sigma;
    options.limit = any_fill;
    format("sell, chunk " + std::to_string(chunk), sell_from_csr(exec, A, options), 1);
  }
  format("bcsr 2", bcsr_from_csr<2, TestSpace, Scalar>(exec, A, {any_fill}), 2);
  format("bcsr 3", bcsr_from_csr<3, TestSpace, Scalar>(exec, A, {any_fill}), 3);
  format("bcsr 4", bcsr_from_csr<4, TestSpace, Scalar>(exec, A, {any_fill}), 4);
  format("bcsr 8", bcsr_from_csr<8, TestSpace, Scalar>(exec, A, {any_fill}), 8);
}

/// Returns the largest error of a row in any of \p s vectors. BCSR multiplies the zeros of its
/// fill, so its rows are as long as their blocks.
template <class Scalar>
double worst_of(const PlainCsr& plain, const std::vector<Scalar>& computed, int s, int block,
                double alpha, const std::vector<double>& x, double beta,
                const std::vector<double>& y) {
  double worst = 0;
  for (int j = 0; j < s; ++j) {
    auto reference = reference_product(plain, alpha, column_of(x, j, s), beta, column_of(y, j, s));
    for (auto& length : reference.row_length)
      length = std::min<std::int64_t>(length * block, plain.columns);
    worst = std::max(worst, worst_row_error(column_of(computed, j, s), reference));
  }
  return worst;
}

template <class Scalar>
void check_products(const PlainCsr& plain, int s, const SpmmOptions& options = {}) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, Scalar>(exec, plain);
  const auto x_plain = random_vector(product(plain.columns, s), 1);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  for_each_spmm(csr, [&](const std::string& name, const auto& multiply, int block) {
    for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-1.0, 0.5}, {0.5, 1.0}, {0.0, -1.0}}) {
      auto y_plain = random_vector(product(plain.rows, s), 3);
      if (beta == 0)
        std::fill(y_plain.begin(), y_plain.end(), std::numeric_limits<double>::quiet_NaN());
      const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
      multiply(Scalar(alpha), ConstMulti<Scalar>(x.data(), plain.columns, s), Scalar(beta),
               Multi<Scalar>(y.data(), plain.rows, s), options);
      EXPECT_LE(worst_of(plain, to_std_vector(y), s, block, alpha, x_plain, beta, y_plain), 1)
          << plain.name << ", " << name << ", " << s << " vectors, alpha " << alpha << ", beta "
          << beta;
    }
  });
}

}  // namespace

TEST(Spmm, every_format_on_the_battery) {
  for (const auto& plain : format_battery())
    for (const int s : {3, 8}) {
      check_products<float>(plain, s);
      check_products<double>(plain, s);
    }
}

// All compiled widths, numbers between them, and more vectors than one pass processes.
TEST(Spmm, any_number_of_vectors) {
  const auto plain = battery::make("uneven", 203, 111, [](int i) { return i % 70; });
  for (const int s : {1, 2, 4, 5, 6, 7, 12, 16, 17, 20, 31, 32, 33, 36, 64, 70}) {
    check_products<float>(plain, s);
    check_products<double>(plain, s);
  }
}

TEST(Spmm, any_parts_of_a_row) {
  const auto plain = battery::make("uneven", 97, 301, [](int i) { return 3 * i; });
  for (const int parts : {1, 2, 4})
    for (const int s : {2, 8, 32}) check_products<float>(plain, s, {parts, 0});
  check_products<double>(plain, 4, {16, 3});
}

// Arrays that begin between the addresses of wide loads.
TEST(Spmm, any_alignment) {
  const TestSpace exec;
  const auto plain = battery::make("uneven", 60, 80, [](int i) { return i % 40; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  for (const int s : {4, 8, 32}) {
    const auto all = random_vector(product(plain.columns, s) + 1, 1);
    const std::vector<double> x_plain(all.begin() + 1, all.end());
    const auto x = to_device<TestSpace, float>(exec, all);
    const auto y =
        to_device<TestSpace, float>(exec, std::vector<double>(product(plain.rows, s) + 1, 7));
    for_each_spmm(csr, [&](const std::string& name, const auto& multiply, int block) {
      multiply(1.0F, ConstMulti<float>(x.data() + 1, plain.columns, s), 0.0F,
               Multi<float>(y.data() + 1, plain.rows, s), {});
      auto computed = to_std_vector(y);
      EXPECT_EQ(computed.front(), 7) << name;
      computed.erase(computed.begin());
      EXPECT_LE(worst_of(plain, computed, s, block, 1, x_plain, 0, x_plain), 1)
          << name << ", " << s << " vectors";
    });
  }
  // The arrays of the matrix also begin at such an address.
  const auto skip = plain.offsets[1] + 1;
  const auto columns =
      Kokkos::subview(csr.columns, std::pair<std::int64_t, std::int64_t>(skip, csr.num_nonzeros()));
  const auto values =
      Kokkos::subview(csr.values, std::pair<std::int64_t, std::int64_t>(skip, csr.num_nonzeros()));
  PlainCsr cut;
  cut.name = "cut";
  cut.columns = plain.columns;
  for (auto k = skip; k < plain.nonzeros(); ++k) cut.add(plain.indices[k], plain.values[k]);
  cut.end_row();
  const Kokkos::View<Offset*, Kokkos::HostSpace> offsets("offsets", 2);
  offsets(1) = plain.nonzeros() - skip;
  const auto on_device = Kokkos::create_mirror_view_and_copy(TestMemory(), offsets);
  const TestCsr<float> odd{1, plain.columns, on_device, columns, values};
  const auto x_plain = random_vector(product(plain.columns, 8), 1);
  const auto x = to_device<TestSpace, float>(exec, x_plain);
  const auto y = to_device<TestSpace, float>(exec, std::vector<double>(8));
  spmm(exec, odd, all_rows, 1.0F, ConstMulti<float>(x.data(), plain.columns, 8), 0.0F,
       Multi<float>(y.data(), 1, 8));
  EXPECT_LE(worst_of(cut, to_std_vector(y), 8, 1, 1, x_plain, 0, x_plain), 1);
}

namespace {

/// Copies to an array that begins one element after the aligned start of an allocation.
template <class View>
auto shifted(const View& from) {
  using Scalar = typename View::non_const_value_type;
  const Vector<Scalar, TestMemory> all("test::shifted", from.extent(0) + 1);
  const auto part =
      Kokkos::subview(all, std::pair<std::size_t, std::size_t>(1, from.extent(0) + 1));
  Kokkos::deep_copy(part, from);
  Kokkos::fence();
  return Kokkos::View<const Scalar*, TestMemory>(part);
}

}  // namespace

TEST(Spmm, arrays_of_a_format_with_any_alignment) {
  const TestSpace exec;
  constexpr int s = 8;
  const auto plain = battery::make("uneven", 60, 80, [](int i) { return i % 40; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  const auto x_plain = random_vector(product(plain.columns, s), 1);
  const auto x = to_device<TestSpace, float>(exec, x_plain);
  const auto check = [&](const std::string& name, const auto& A, int block) {
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(product(plain.rows, s)));
    spmm(exec, A, 1.0F, ConstMulti<float>(x.data(), plain.columns, s), 0.0F,
         Multi<float>(y.data(), plain.rows, s));
    EXPECT_LE(worst_of(plain, to_std_vector(y), s, block, 1, x_plain, 0, x_plain), 1) << name;
  };
  auto sell = sell_from_csr(exec, csr);
  sell.columns = shifted(sell.columns);
  sell.values = shifted(sell.values);
  check("sell", sell, 1);
  auto bcsr = bcsr_from_csr<4, TestSpace, float>(exec, csr, {any_fill});
  bcsr.values = shifted(bcsr.values);
  check("bcsr", bcsr, 4);
}

TEST(Spmm, column_major) {
  const TestSpace exec;
  const auto plain = battery::make("uneven", 60, 80, [](int i) { return i % 40; });
  const auto csr = to_device<TestSpace, double>(exec, plain);
  const auto sell = sell_from_csr(exec, csr);
  SpmmWorkspace<double, TestMemory> workspace;
  for (const int s : {8, 1, 5}) {
    const auto x_plain = random_vector(product(plain.columns, s), 1);
    const auto turned = [s](const std::vector<double>& row_major) {
      std::vector<double> result;
      for (int j = 0; j < s; ++j) {
        const auto column = column_of(row_major, j, s);
        result.insert(result.end(), column.begin(), column.end());
      }
      return result;
    };
    const auto x = to_device<TestSpace, double>(exec, turned(x_plain));
    for (const double beta : {0.0, 0.5}) {
      const auto y_plain = random_vector(product(plain.rows, s), 3);
      const auto check = [&](const auto& A) {
        const auto y = to_device<TestSpace, double>(exec, turned(y_plain));
        spmm(exec, workspace, A, 2.0,
             ColumnMajorView<const double, TestMemory>(x.data(), plain.columns, s), beta,
             ColumnMajorView<double, TestMemory>(y.data(), plain.rows, s));
        const auto computed = to_std_vector(y);
        for (int j = 0; j < s; ++j) {
          const std::vector<double> column(computed.begin() + j * plain.rows,
                                           computed.begin() + (j + 1) * plain.rows);
          EXPECT_LE(worst_row_error(column, reference_product(plain, 2, column_of(x_plain, j, s),
                                                              beta, column_of(y_plain, j, s))),
                    1)
              << "vector " << j << " of " << s << ", beta " << beta;
        }
      };
      check(csr);
      check(sell);
    }
  }
  EXPECT_EQ(workspace.memory_bytes(), sizeof(double) * 8 * (60 + 80));
}

TEST(Spmm, infinity_and_nan_reach_only_the_rows_and_vectors_that_touch_them) {
  const TestSpace exec;
  constexpr int s = 8;
  const auto plain = battery::make("sparse", 200, 400, [](int i) { return 1 + i % 70; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  auto x_plain = random_vector(400 * s, 1);
  x_plain[0 * s + 2] = std::numeric_limits<double>::infinity();
  x_plain[11 * s + 5] = std::numeric_limits<double>::quiet_NaN();
  const auto x = to_device<TestSpace, float>(exec, x_plain);
  for_each_spmm(csr, [&](const std::string& name, const auto& multiply, int block) {
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(200 * s));
    multiply(1.0F, ConstMulti<float>(x.data(), 400, s), 0.0F, Multi<float>(y.data(), 200, s), {});
    const auto computed = to_std_vector(y);
    for (int i = 0; i < 200; ++i) {
      bool first = false, eleventh = false;
      for (int row = i / block * block; row < std::min(200, (i / block + 1) * block); ++row)
        for (auto k = plain.offsets[row]; k < plain.offsets[row + 1]; ++k) {
          first = first || plain.indices[k] / block == 0;
          eleventh = eleventh || plain.indices[k] / block == 11 / block;
        }
      for (int j = 0; j < s; ++j)
        EXPECT_EQ(std::isfinite(computed[i * s + j]), !(j == 2 && first) && !(j == 5 && eleventh))
            << "row " << i << ", vector " << j << ", " << name;
    }
  });
}

TEST(Spmm, the_same_bits_on_every_run) {
  const TestSpace exec;
  const auto plain = battery::make("uneven", 203, 111, [](int i) { return i % 70; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  for (const int s : {1, 8, 32}) {
    const auto x = to_device<TestSpace, float>(exec, random_vector(product(111, s), 1));
    for_each_spmm(csr, [&](const std::string& name, const auto& multiply, int) {
      const auto y = to_device<TestSpace, float>(exec, std::vector<double>(product(203, s)));
      const auto run = [&] {
        multiply(1.0F, ConstMulti<float>(x.data(), 111, s), 0.0F, Multi<float>(y.data(), 203, s),
                 {});
        return to_std_vector(y);
      };
      const auto first = run();
      EXPECT_EQ(first, run()) << name;
    });
  }
}

// On a host the sums of a vector do not depend on the other vectors.
TEST(Spmm, a_host_sums_a_vector_in_one_order_for_any_number_of_them) {
  if (!Impl::is_host_space<TestSpace>) GTEST_SKIP() << "on a GPU the width of the pass decides";
  const TestSpace exec;
  constexpr int s = 29;
  const auto plain = battery::make("uneven", 203, 111, [](int i) { return i % 70; });
  const auto csr = to_device<TestSpace, float>(exec, plain);
  const auto x_plain = random_vector(product(111, s), 1);
  const auto x = to_device<TestSpace, float>(exec, x_plain);
  for_each_spmm(csr, [&](const std::string& name, const auto& multiply, int) {
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(product(203, s)));
    multiply(1.0F, ConstMulti<float>(x.data(), 111, s), 0.0F, Multi<float>(y.data(), 203, s), {});
    const auto together = to_std_vector(y);
    for (int j = 0; j < s; ++j) {
      const auto one = to_device<TestSpace, float>(exec, column_of(x_plain, j, s));
      const auto single = to_device<TestSpace, float>(exec, std::vector<double>(203));
      multiply(1.0F, ConstMulti<float>(one.data(), 111, 1), 0.0F,
               Multi<float>(single.data(), 203, 1), {});
      EXPECT_EQ(column_of(together, j, s), to_std_vector(single)) << name << ", vector " << j;
    }
  });
}

TEST(Spmm, wrong_shapes_are_named) {
  const TestSpace exec;
  const auto csr =
      to_device<TestSpace, float>(exec, battery::make("small", 10, 20, [](int) { return 3; }));
  const auto x = to_device<TestSpace, float>(exec, std::vector<double>(100));
  const auto y = to_device<TestSpace, float>(exec, std::vector<double>(100));
  for_each_spmm(csr, [&](const std::string& name, const auto& multiply, int) {
    const auto refused = [&](int x_rows, int x_vectors, int y_rows, int y_vectors) {
      EXPECT_THROW(multiply(1.0F, ConstMulti<float>(x.data(), x_rows, x_vectors), 0.0F,
                            Multi<float>(y.data(), y_rows, y_vectors), {}),
                   DimensionMismatch)
          << name;
    };
    refused(19, 2, 10, 2);
    refused(20, 2, 9, 2);
    refused(20, 2, 10, 3);
    multiply(1.0F, ConstMulti<float>(x.data(), 20, 0), 0.0F, Multi<float>(y.data(), 10, 0), {});
  });
}
