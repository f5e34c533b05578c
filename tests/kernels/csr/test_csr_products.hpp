// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every variant of the CSR products on the battery, against plain loops in double.
#include <gtest/gtest.h>

#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_Spmm.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

const double coefficients[] = {0, 1, -1, 0.5};

std::vector<SpmvOptions> variants() {
  std::vector<SpmvOptions> all;
  for (const auto variant :
       {SpmvVariant::automatic, SpmvVariant::scalar, SpmvVariant::team_vector, SpmvVariant::staged,
        SpmvVariant::merge_path, SpmvVariant::crs_vector, SpmvVariant::spmv4gpu}) {
    SpmvOptions options;
    options.variant = variant;
    all.push_back(options);
  }
  SpmvOptions small_tiles;
  small_tiles.variant = SpmvVariant::merge_path;
  for (const Offset items : {1, 7, 64, 1000}) {
    small_tiles.items_per_tile = items;
    all.push_back(small_tiles);
  }
  SpmvOptions little_scratch;
  little_scratch.variant = SpmvVariant::staged;
  for (const auto& [threads, rows, entries] :
       {std::tuple{32, 32, 4}, {64, 16, 64}, {128, 100, 256}}) {
    if (Impl::is_host_space<TestSpace>) break;
    little_scratch.team_size = threads;
    little_scratch.rows_per_team = rows;
    little_scratch.items_per_tile = entries;
    all.push_back(little_scratch);
  }
  SpmvOptions fixed_tiles;
  fixed_tiles.variant = SpmvVariant::merge_path;
  fixed_tiles.deterministic = true;
  all.push_back(fixed_tiles);
  if (!Impl::is_host_space<TestSpace>) {
    for (const int lanes : {1, 2, 4, 8, 16, 32}) {
      SpmvOptions options;
      options.variant = SpmvVariant::team_vector;
      options.vector_length = lanes;
      all.push_back(options);
      options.variant = SpmvVariant::merge_path;
      options.items_per_tile = 2048;
      all.push_back(options);
      for (const int entries : {1, pack_entries}) {
        options.entries_per_load = entries;
        all.push_back(options);
        auto by_rows = options;
        by_rows.variant = SpmvVariant::team_vector;
        all.push_back(by_rows);
      }
    }
  }
  return all;
}

std::string describe(const PlainCsr& A, const SpmvOptions& options) {
  return A.name + ", " + std::string(to_string(options.variant)) + ", lanes " +
         std::to_string(options.vector_length) + " of " + std::to_string(options.entries_per_load) +
         " entries, items " + std::to_string(options.items_per_tile);
}

/// Start of y. It is NaN if beta is 0, so that it must be overwritten.
std::vector<double> start_vector(std::int32_t size, double beta) {
  if (beta == 0)
    return std::vector<double>(static_cast<std::size_t>(size),
                               std::numeric_limits<double>::quiet_NaN());
  return random_vector(static_cast<std::size_t>(size), 3);
}

using Coefficients = std::vector<std::pair<double, double>>;

Coefficients every_pair() {
  Coefficients pairs;
  for (const double alpha : coefficients)
    for (const double beta : coefficients) pairs.emplace_back(alpha, beta);
  return pairs;
}

/// Checks each variant of \p all with each pair (alpha, beta) of \p pairs.
template <class Scalar>
void check_variants(const PlainCsr& plain, const std::vector<SpmvOptions>& all,
                    const Coefficients& pairs) {
  using MemorySpace = TestSpace::memory_space;
  const TestSpace exec;
  const CsrMatrix<Scalar, MemorySpace> A = to_device<TestSpace, Scalar>(exec, plain);
  const auto x_plain = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  const auto product = reference_product(plain, x_plain);
  for (const SpmvOptions& options : all) {
    const SpmvPlan<TestSpace, CsrMatrix<Scalar, MemorySpace>> plan(exec, A, options);
    EXPECT_NE(plan.options().variant, SpmvVariant::automatic);
    for (const auto& [alpha, beta] : pairs) {
      const auto y_plain = start_vector(plain.rows, beta);
      const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
      spmv(exec, plan, A, Scalar(alpha), x, Scalar(beta), y);
      EXPECT_LE(worst_row_error(to_std_vector(y), combined(product, alpha, beta, y_plain)), 1)
          << describe(plain, options) << ", alpha " << alpha << ", beta " << beta;
    }
  }
}

template <class Scalar>
void check_variant(const PlainCsr& plain, const SpmvOptions& options) {
  check_variants<Scalar>(plain, {options}, every_pair());
}

template <class Scalar>
void check_repeatable(const PlainCsr& plain, const SpmvOptions& options) {
  using MemorySpace = TestSpace::memory_space;
  const TestSpace exec;
  const CsrMatrix<Scalar, MemorySpace> A = to_device<TestSpace, Scalar>(exec, plain);
  const auto x =
      to_device<TestSpace, Scalar>(exec, random_vector(static_cast<std::size_t>(plain.columns), 1));
  const auto y =
      to_device<TestSpace, Scalar>(exec, std::vector<double>(static_cast<std::size_t>(plain.rows)));
  const SpmvPlan<TestSpace, CsrMatrix<Scalar, MemorySpace>> plan(exec, A, options);
  spmv(exec, plan, A, Scalar(1), x, Scalar(0), y);
  const auto first = to_std_vector(y);
  for (int run = 0; run < 3; ++run) {
    spmv(exec, plan, A, Scalar(1), x, Scalar(0), y);
    EXPECT_EQ(first, to_std_vector(y)) << describe(plain, options);
  }
}

/// Compares products with s columns of row-major arrays X and Y with s single products.
template <class Scalar>
void check_multivectors(const PlainCsr& plain, int s) {
  using MemorySpace = TestSpace::memory_space;
  const TestSpace exec;
  const CsrMatrix<Scalar, MemorySpace> A = to_device<TestSpace, Scalar>(exec, plain);
  const auto x_plain = random_vector(static_cast<std::size_t>(plain.columns) * s, 1);
  const auto y_plain = random_vector(static_cast<std::size_t>(plain.rows) * s, 2);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
  const MultiVectorView<const Scalar, MemorySpace> X(x.data(), plain.columns, s);
  const MultiVectorView<Scalar, MemorySpace> Y(y.data(), plain.rows, s);
  spmm(exec, A, all_rows, Scalar(-1), X, Scalar(0.5), Y);
  const auto computed = to_std_vector(y);
  for (int j = 0; j < s; ++j)
    EXPECT_LE(worst_row_error(column_of(computed, j, s),
                              reference_product(plain, -1, column_of(x_plain, j, s), 0.5,
                                                column_of(y_plain, j, s))),
              1)
        << plain.name << ", column " << j << " of " << s;
}

template <class Scalar>
void check_atomic_transpose(const PlainCsr& plain, int s) {
  using MemorySpace = TestSpace::memory_space;
  const TestSpace exec;
  const CsrMatrix<Scalar, MemorySpace> A = to_device<TestSpace, Scalar>(exec, plain);
  const auto begin = plain.rows / 4, end = plain.rows - plain.rows / 5;
  for (const RowRange rows : {all_rows, RowRange{begin, end}}) {
    const auto range = rows.resolved(plain.rows);
    const auto transposed = rows_of(plain, range.begin, range.end).transposed();
    for (const double beta : coefficients) {
      const auto x_plain = random_vector(static_cast<std::size_t>(transposed.columns), 1);
      const auto y_plain = start_vector(transposed.rows, beta);
      std::vector<double> x_wide, y_wide;
      for (const auto value : x_plain) x_wide.insert(x_wide.end(), s, value);
      for (const auto value : y_plain) y_wide.insert(y_wide.end(), s, value);
      const auto x = to_device<TestSpace, Scalar>(exec, x_wide);
      const auto y = to_device<TestSpace, Scalar>(exec, y_wide);
      spmv_transpose_atomic<TestSpace, Scalar>(
          exec, A, rows, Scalar(0.5),
          MultiVectorView<const Scalar, MemorySpace>(x.data(), transposed.columns, s), Scalar(beta),
          MultiVectorView<Scalar, MemorySpace>(y.data(), transposed.rows, s));
      const auto reference = reference_product(transposed, 0.5, x_plain, beta, y_plain);
      const auto computed = to_std_vector(y);
      for (int j = 0; j < s; ++j)
        EXPECT_LE(worst_row_error(column_of(computed, j, s), reference), 1)
            << plain.name << ", beta " << beta;
    }
  }
}

TEST(CsrProducts, every_variant_on_the_battery) {
  // alpha and beta act on each row separately. Four matrices are tested with all pairs; the others
  // with the pairs that take different branches.
  const std::set<std::string> with_every_pair = {"no columns", "tall", "about a warp",
                                                 "huge rows at the ends"};
  const Coefficients some_pairs = {{1, 0}, {0.5, -1}, {-1, 1}, {0, 0.5}};
  std::size_t complete = 0;
  for (const auto& plain : battery::matrices()) {
    const bool every = with_every_pair.contains(plain.name);
    complete += every ? 1 : 0;
    check_variants<float>(plain, variants(), every ? every_pair() : some_pairs);
    check_variants<double>(plain, variants(), every ? every_pair() : some_pairs);
  }
  EXPECT_EQ(complete, with_every_pair.size());
}

template <int lanes>
void check_lane_sums() {
  // Whole numbers: any order of additions gives the same sum.
  std::vector<Ordinal> columns;
  std::vector<double> values, x;
  for (int k = 0; k < 700; ++k) {
    columns.push_back((k * 7) % 700);
    values.push_back(k % 5 - 2);
    x.push_back(k % 11);
  }
  double sum = 0;
  for (int count = 0; count <= 700; ++count) {
    double total = 0;
    for (int lane = 0; lane < lanes; ++lane)
      total += Impl::lane_sum<lanes>(columns.data(), values.data(), x.data(), count, lane);
    EXPECT_EQ(total, sum) << lanes << " lanes, " << count << " entries";
    if (count < 700) sum += values[count] * x[columns[count]];
  }
}

TEST(CsrProducts, products_with_a_dot_leave_sums_that_add_up) {
  const TestSpace exec;
  int with_dot = 0;
  for (const int rows : {1, 127, 3000}) {
    const auto plain = battery::make("square", rows, rows, [&](int i) { return i % 29; });
    const auto x_plain = random_vector(static_cast<std::size_t>(rows), 3);
    const auto reference = reference_product(plain, 1, x_plain, 0, {});
    double expected = 0, scale = 0;
    for (int i = 0; i < rows; ++i) {
      expected += x_plain[i] * reference.y[i];
      scale += std::abs(x_plain[i] * reference.y[i]);
    }
    const auto check = [&]<class Scalar>(Scalar, const SpmvOptions& options) {
      const auto A = to_device<TestSpace, Scalar>(exec, plain);
      const SpmvPlan<TestSpace, CsrMatrix<Scalar, TestSpace::memory_space>> plan(exec, A, options);
      const Offset count = spmv_dot_sums<TestSpace, Scalar>(plan);
      const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
      const Vector<Scalar, TestSpace::memory_space> y("y", rows);
      Kokkos::deep_copy(y, std::numeric_limits<Scalar>::quiet_NaN());
      const Vector<double, TestSpace::memory_space> sums("sums", count);
      if (count == 0) {
        EXPECT_THROW((spmv_dot<TestSpace, Scalar>(exec, plan, A, x, y, sums)), Error);
        return;
      }
      ++with_dot;
      spmv_dot<TestSpace, Scalar>(exec, plan, A, x, y, sums);
      EXPECT_LE(worst_row_error(to_std_vector(y), reference), 1);
      double dot = 0;
      const auto parts = to_std_vector(sums);
      for (const double part : parts) dot += part;
      EXPECT_NEAR(dot, expected, (sizeof(Scalar) == 4 ? 1e-5 : 1e-13) * scale);
      spmv_dot<TestSpace, Scalar>(exec, plan, A, x, y, sums);
      EXPECT_EQ(to_std_vector(sums), parts) << "the same bits on every run";
      const Vector<double, TestSpace::memory_space> short_of_one("sums", count - 1);
      EXPECT_THROW((spmv_dot<TestSpace, Scalar>(exec, plan, A, x, y, short_of_one)), Error);
    };
    for (const auto& options : variants()) {
      check(float(), options);
      check(double(), options);
    }
  }
  EXPECT_GT(with_dot, 0);
}

TEST(CsrProducts, tiles_of_merge_path_cut_long_rows_among_short_ones) {
  // For tiles of few pieces and of many. On a GPU the teams have members of several lanes, or keep
  // products in scratch memory.
  const auto large = battery::make("long_among_short", 900, 3000,
                                   [](int i) { return i % 97 == 5 ? 2900 - i : i % 4; });
  // For tiles of few pieces. The members of a team wait for each other in every tile, which is slow
  // if there are more members than cores.
  const auto small = battery::make("long_among_short", 60, 120,
                                   [](int i) { return i % 29 == 5 ? 110 - i : i % 4; });
  SpmvOptions options;
  options.variant = SpmvVariant::merge_path;
  for (const Offset items : {1, 3, 130, 500, 2048, 4096, 9000}) {
    const auto& plain = items < 100 ? small : large;
    options.items_per_tile = items;
    const bool products = !Impl::is_host_space<TestSpace> && items <= 4096;
    if (products) {
      options.vector_length = 1;
      options.team_size = 0;
      check_variant<float>(plain, options);
      check_variant<double>(plain, options);
      check_repeatable<float>(plain, options);
      check_repeatable<double>(plain, options);
    }
    options.team_size = std::min(4, Impl::concurrency(TestSpace()));
    options.vector_length = Impl::is_host_space<TestSpace> ? 0 : 4;
    check_variant<float>(plain, options);
    check_variant<double>(plain, options);
    check_repeatable<float>(plain, options);
    check_repeatable<double>(plain, options);
  }
}

TEST(CsrProducts, lanes_take_every_entry_once) {
  check_lane_sums<1>();
  check_lane_sums<2>();
  check_lane_sums<4>();
  check_lane_sums<8>();
  check_lane_sums<16>();
  check_lane_sums<32>();
}

TEST(CsrProducts, a_hosts_tiles_take_whole_rows_where_none_is_long) {
  if constexpr (Impl::is_host_space<TestSpace>) {
    for (const bool ends_with_empty_rows : {false, true}) {
      const auto plain = battery::make("rows", 300, 90, [&](int i) {
        return ends_with_empty_rows && i > 250 ? 0 : i % 8;  // up to 7
      });
      SpmvOptions options;
      options.variant = SpmvVariant::merge_path;
      for (const Offset items : {7 * Impl::rows_of_whole_tile - 1, 7 * Impl::rows_of_whole_tile}) {
        options.items_per_tile = items;
        const auto A = to_device<TestSpace, double>(TestSpace(), plain);
        const SpmvPlan<TestSpace, CsrMatrix<double, TestSpace::memory_space>> plan(TestSpace(), A,
                                                                                   options);
        EXPECT_GT(plan.num_tiles(), 3);
        EXPECT_EQ(plan.tiles_are_whole_rows(), items == 7 * Impl::rows_of_whole_tile);
        check_variant<double>(plain, options);
        check_variant<float>(plain, options);
      }
    }
  } else {
    GTEST_SKIP() << "of hosts";
  }
}

TEST(CsrProducts, the_same_bits_on_every_run) {
  for (const auto& plain : battery::matrices())
    for (const auto& options : variants()) check_repeatable<float>(plain, options);
}

TEST(CsrProducts, several_vectors_at_once) {
  for (const auto& plain : battery::matrices())
    for (const int s : {1, 3, 8}) {
      check_multivectors<float>(plain, s);
      check_multivectors<double>(plain, s);
    }
}

TEST(CsrProducts, transposed_by_atomics) {
  for (const auto& plain : battery::matrices())
    for (const int s : {1, 3}) {
      check_atomic_transpose<float>(plain, s);
      check_atomic_transpose<double>(plain, s);
    }
}

TEST(CsrProducts, infinity_and_nan_reach_only_the_rows_that_touch_them) {
  const TestSpace exec;
  const auto plain = battery::make("sparse", 200, 400, [](int i) { return 1 + i % 70; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  auto x_plain = random_vector(400, 1);
  x_plain[7] = std::numeric_limits<double>::infinity();
  x_plain[11] = std::numeric_limits<double>::quiet_NaN();
  const auto x = to_device<TestSpace, float>(exec, x_plain);
  for (const auto& options : variants()) {
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(200));
    const SpmvPlan<TestSpace, CsrMatrix<float, TestSpace::memory_space>> plan(exec, A, options);
    spmv(exec, plan, A, 1.0F, x, 0.0F, y);
    const auto computed = to_std_vector(y);
    for (int i = 0; i < 200; ++i) {
      bool touched = false;
      for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
        touched = touched || plain.indices[k] == 7 || plain.indices[k] == 11;
      EXPECT_EQ(std::isfinite(computed[i]), !touched)
          << "row " << i << ", " << describe(plain, options);
    }
  }
}

TEST(CsrProducts, unaligned_arrays_are_read_right) {
  // The matrix begins one entry inside larger arrays, so that no row is aligned for 16-byte loads.
  using MemorySpace = TestSpace::memory_space;
  const TestSpace exec;
  const auto plain = battery::make("shifted", 100, 900, [](int i) { return 3 * i; });
  auto indices = plain.indices;
  auto values = plain.values;
  indices.insert(indices.begin(), 0);
  values.insert(values.begin(), 1e30);
  const auto all_indices = to_device<TestSpace, Ordinal>(exec, indices);
  const auto all_values = to_device<TestSpace, float>(exec, values);
  const CsrMatrix<float, MemorySpace> A{
      plain.rows, plain.columns, to_device<TestSpace, Offset>(exec, plain.offsets),
      Kokkos::View<const Ordinal*, MemorySpace>(all_indices.data() + 1, plain.indices.size()),
      Kokkos::View<const float*, MemorySpace>(all_values.data() + 1, plain.values.size())};
  const auto x_plain = random_vector(900, 1);
  const auto x = to_device<TestSpace, float>(exec, x_plain);
  const auto reference = reference_product(plain, 1, x_plain, 0, {});
  for (const auto& options : variants()) {
    const auto y = to_device<TestSpace, float>(exec, std::vector<double>(100));
    const SpmvPlan<TestSpace, CsrMatrix<float, MemorySpace>> plan(exec, A, options);
    spmv(exec, plan, A, 1.0F, x, 0.0F, y);
    EXPECT_LE(worst_row_error(to_std_vector(y), reference), 1) << describe(plain, options);
  }
}

TEST(CsrProducts, rows_of_spmv_4_gpu_begin_at_multiples_of_16) {
  const TestSpace exec;
  const auto plain = battery::make("padded", 40, 70, [](int i) { return i; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  SpmvOptions options;
  options.variant = SpmvVariant::spmv4gpu;
  const SpmvPlan<TestSpace, CsrMatrix<float, TestSpace::memory_space>> plan(exec, A, options);
  const auto begins = to_std_vector(plan.aligned_rows().begins);
  const auto columns = to_std_vector(plan.aligned_rows().columns);
  const auto values = to_std_vector(plan.aligned_rows().values);
  ASSERT_EQ(begins.size(), 41U);
  EXPECT_EQ(begins.back(), static_cast<Offset>(columns.size()));
  EXPECT_EQ(plan.memory_bytes(), 41 * sizeof(Offset) + columns.size() * 8);
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(begins[i + 1] - begins[i], (i + 15) / 16 * 16) << "row " << i;
    for (Offset k = 0; k < begins[i + 1] - begins[i]; ++k) {
      const auto at = static_cast<std::size_t>(begins[i] + k);
      ASSERT_EQ(columns[at], k < i ? plain.indices[plain.offsets[i] + k] : padding_column);
      ASSERT_EQ(values[at], k < i ? static_cast<float>(plain.values[plain.offsets[i] + k]) : 0.0F);
    }
  }
}

TEST(CsrProducts, wrong_shapes_are_named) {
  const TestSpace exec;
  const auto plain = battery::make("small", 10, 20, [](int) { return 3; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  const auto x = to_device<TestSpace, float>(exec, std::vector<double>(19));
  const auto y = to_device<TestSpace, float>(exec, std::vector<double>(10));
  for (const auto variant : {SpmvVariant::scalar, SpmvVariant::merge_path, SpmvVariant::spmv4gpu}) {
    SpmvOptions options;
    options.variant = variant;
    const SpmvPlan<TestSpace, CsrMatrix<float, TestSpace::memory_space>> plan(exec, A, options);
    try {
      spmv(exec, plan, A, 1.0F, x, 0.0F, y);
      FAIL() << "a vector of the wrong length was accepted";
    } catch (const DimensionMismatch& error) {
      EXPECT_NE(std::string(error.what()).find("length of x is 19, but columns of A is 20"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST(Validator, tells_a_wrong_row_from_a_right_one) {
  const auto plain = battery::make("judged", 50, 80, [](int i) { return i; });
  const auto x = random_vector(80, 1);
  const auto reference = reference_product(plain, 1, x, 0, {});
  std::vector<float> computed(reference.y.begin(), reference.y.end());
  EXPECT_LE(worst_row_error(computed, reference), 1);
  auto wrong = computed;
  wrong[30] *= 1 + 1e-3F;
  EXPECT_GT(worst_row_error(wrong, reference), 1);
  wrong = computed;
  wrong[30] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_GT(worst_row_error(wrong, reference), 1);
  wrong = computed;
  wrong[0] = 1e-30F;  // an empty row has no rounding that could explain the value
  EXPECT_GT(worst_row_error(wrong, reference), 1);
  wrong = computed;
  wrong.pop_back();
  EXPECT_GT(worst_row_error(wrong, reference), 1);
}

}  // namespace
