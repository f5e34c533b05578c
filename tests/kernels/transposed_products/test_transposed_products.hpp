// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every method for A^T x: against plain loops, as the adjoint of A x from the same storage, and in
// the solvers.
#include <gtest/gtest.h>

#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_PlainProducts.hpp>
#include <Tomokkos_Sirt.hpp>

#include "FlatFormat.hpp"
#include "TransposedVariants.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

using MemorySpace = TestSpace::memory_space;
constexpr bool on_host = Impl::is_host_space<TestSpace>;

template <class Scalar>
class TransposedProducts : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(TransposedProducts, Scalars);

template <class Scalar>
MultiVectorView<const Scalar, MemorySpace> columns_of(const Vector<Scalar, MemorySpace>& x,
                                                      std::size_t s) {
  return MultiVectorView<const Scalar, MemorySpace>(x.data(), x.extent(0) / s, s);
}
template <class Scalar>
MultiVectorView<Scalar, MemorySpace> writable(const Vector<Scalar, MemorySpace>& x, std::size_t s) {
  return MultiVectorView<Scalar, MemorySpace>(x.data(), x.extent(0) / s, s);
}

/// Positive matrix of 700 x 500 with rows made of runs, as for rays; one row is empty.
PlainCsr positive_matrix() {
  std::mt19937 random(5);
  PlainCsr A;
  A.name = "runs";
  A.columns = 500;
  for (int i = 0; i < 700; ++i) {
    for (int j = static_cast<int>(random() % 60U); j < 500 && i != 7;
         j += 20 + static_cast<int>(random() % 200U))
      for (const int end = std::min(500, j + 1 + static_cast<int>(random() % 50U)); j < end; ++j)
        A.add(j, 0.1 + static_cast<double>(random() % 1000U) / 1000);
    A.end_row();
  }
  return A;
}

template <class Scalar>
std::vector<double> column(const std::vector<Scalar>& all, std::size_t j, std::size_t s) {
  std::vector<double> picked;
  for (std::size_t i = j; i < all.size(); i += s) picked.push_back(static_cast<double>(all[i]));
  return picked;
}

/// Error of an entry caused by fixed-point sums, on a GPU or for pairs of rows: half a unit for
/// each of its terms.
template <class Scalar>
double unit_of(const PlainCsr& A, const std::vector<double>& x, const TransposedWay<Scalar>& way,
               bool transposed) {
  const bool is_tiled = way.name.find("ray") != std::string::npos;
  const bool is_windowed = transposed && way.name.find("windowed") != std::string::npos;
  const bool is_paired = transposed && way.name.find("fixed_point") != std::string::npos;
  if (!is_paired && (on_host || !(is_tiled || is_windowed))) return 0;
  double vector = 0, matrix = 0;
  for (const double value : x) vector = std::max(vector, std::abs(value));
  for (std::int32_t i = 0; i < A.rows; ++i) {
    double sum = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) sum += std::abs(A.values[k]);
    matrix = std::max(matrix, sum);
  }
  const bool is_coarse = transposed && !is_paired && std::is_same_v<Scalar, float>;
  return (is_coarse ? 0x1p-29 : 0x1p-59) * vector * matrix;
}

template <class Scalar>
void expect_near(const ReferenceProduct& expected, const std::vector<double>& computed, double step,
                 const std::string& what) {
  const double u = std::numeric_limits<Scalar>::epsilon();
  ASSERT_EQ(expected.y.size(), computed.size()) << what;
  for (std::size_t i = 0; i < computed.size(); ++i)
    ASSERT_NEAR(
        computed[i], expected.y[i],
        static_cast<double>(expected.row_length[i] + 2) * (u * expected.magnitude[i] + step) +
            1e-300)
        << what << ", entry " << i;
}

TYPED_TEST(TransposedProducts, both_are_those_of_the_matrix_with_one_and_several_vectors) {
  using Scalar = TypeParam;
  const TestSpace exec;
  auto matrices = battery::matrices();
  matrices.push_back(positive_matrix());
  for (const PlainCsr& original : matrices) {
    // In ELLPACK-R a matrix with one huge row would be almost only padding.
    if (original.name == "rows in no order" ||
        static_cast<double>(original.rows) * original.columns > 2e7)
      continue;
    for (const auto& way : transposed_ways(to_device<TestSpace, Scalar>(exec, original))) {
      const PlainCsr plain = to_plain(way.stored), transposed = plain.transposed();
      for (const std::size_t s : {std::size_t{1}, std::size_t{3}}) {
        const auto x_plain = random_vector(static_cast<std::size_t>(plain.columns) * s, 1);
        const auto y_plain = random_vector(static_cast<std::size_t>(plain.rows) * s, 2);
        for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.5, 0.75}}) {
          const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
          const auto y = to_device<TestSpace, Scalar>(exec, y_plain);
          const auto to_x = to_device<TestSpace, Scalar>(exec, x_plain);
          const auto to_y = to_device<TestSpace, Scalar>(exec, y_plain);
          const auto a = static_cast<Scalar>(alpha), b = static_cast<Scalar>(beta);
          way.A.apply(exec, a, columns_of(x, s), b, writable(to_y, s));
          way.A.apply_transpose(exec, a, columns_of(y, s), b, writable(to_x, s));
          const auto there = to_std_vector(to_y), back = to_std_vector(to_x);
          for (std::size_t j = 0; j < s; ++j) {
            const auto xj = column(x_plain, j, s), yj = column(y_plain, j, s);
            const std::string what = way.name + ", " + original.name + ", " + std::to_string(s);
            expect_near<Scalar>(reference_product(plain, alpha, xj, beta, yj), column(there, j, s),
                                std::abs(alpha) * unit_of(plain, xj, way, false), what);
            expect_near<Scalar>(
                reference_product(transposed, alpha, yj, beta, xj), column(back, j, s),
                std::abs(alpha) * unit_of(transposed, yj, way, true), what + ", transposed");
          }
        }
      }
    }
  }
}

TYPED_TEST(TransposedProducts, are_adjoint_to_the_forward_product_of_the_same_storage) {
  using Scalar = TypeParam;
  const double tolerance = std::is_same_v<Scalar, float> ? 1e-6 : 1e-13;
  const TestSpace exec;
  const PlainCsr plain = positive_matrix();
  const auto inner = [](const auto& a, const auto& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return sum;
  };
  for (const auto& way : transposed_ways(to_device<TestSpace, Scalar>(exec, plain)))
    for (unsigned seed = 1; seed < 6; ++seed) {
      const auto x = to_device<TestSpace, Scalar>(exec, random_vector(500, seed));
      const auto y = to_device<TestSpace, Scalar>(exec, random_vector(700, seed + 10));
      const Vector<Scalar, MemorySpace> Ax("Ax", 700), ATy("ATy", 500);
      way.A.apply(exec, Scalar(1), columns_of(x, 1), Scalar(0), writable(Ax, 1));
      way.A.apply_transpose(exec, Scalar(1), columns_of(y, 1), Scalar(0), writable(ATy, 1));
      const auto hx = to_std_vector(x), hy = to_std_vector(y), hAx = to_std_vector(Ax),
                 hATy = to_std_vector(ATy);
      EXPECT_LE(std::abs(inner(hAx, hy) - inner(hx, hATy)),
                tolerance * std::sqrt(inner(hAx, hAx) * inner(hy, hy)))
          << way.name;
    }
}

TYPED_TEST(TransposedProducts, repeat_their_bits) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const auto y = to_device<TestSpace, Scalar>(exec, random_vector(700, 3));
  for (const auto& way : transposed_ways(to_device<TestSpace, Scalar>(exec, positive_matrix()))) {
    if (!way.repeats) continue;
    const auto product = [&] {
      const Vector<Scalar, MemorySpace> x("x", 500);
      way.A.apply_transpose(exec, Scalar(1), columns_of(y, 1), Scalar(0), writable(x, 1));
      return to_std_vector(x);
    };
    const auto first = product();
    for (int run = 0; run < 9; ++run) EXPECT_EQ(product(), first) << way.name;
  }
}

/// Solves a stack of two slices with \p Solver.
template <class Solver, class Scalar>
std::vector<double> solved(const AnyOperator<TestSpace, Scalar>& A, const std::vector<double>& data,
                           int iterations) {
  const TestSpace exec;
  typename Solver::params_type params;
  params.iterations = iterations;
  Solver solver(exec, A.num_rows(), A.num_cols(), params, 2);
  const auto b = to_device<TestSpace, Scalar>(exec, data);
  const auto x = to_device<TestSpace, Scalar>(
      exec, std::vector<double>(2 * static_cast<std::size_t>(A.num_cols()), 1.0));
  solver.solve(exec, A, columns_of(b, 2), writable(x, 2));
  const auto image = to_std_vector(x);
  return std::vector<double>(image.begin(), image.end());
}

TYPED_TEST(TransposedProducts, serve_every_solver_alike) {
  using Scalar = TypeParam;
  const TestSpace exec;
  std::vector<double> data = random_vector(2 * 700, 4);
  for (auto& value : data) value = 5 + std::abs(value);
  data[2 * 7] = data[2 * 7 + 1] = 0;  // data of the empty row
  const auto expect_same = [](const std::vector<double>& image, const std::vector<double>& expected,
                              double tolerance, const std::string& what) {
    double difference = 0, norm = 0;
    for (std::size_t j = 0; j < expected.size(); ++j) {
      difference += (image[j] - expected[j]) * (image[j] - expected[j]);
      norm += expected[j] * expected[j];
    }
    EXPECT_GT(norm, 0) << what;
    EXPECT_LE(std::sqrt(difference), tolerance * std::sqrt(norm)) << what;
  };
  const double tolerance = std::is_same_v<Scalar, float> ? 2e-5 : 1e-12;
  for (const auto& way : transposed_ways(to_device<TestSpace, Scalar>(exec, positive_matrix()))) {
    const AnyOperator<TestSpace, Scalar> csr = CsrOperator<TestSpace, Scalar>(exec, way.stored);
    using MlemSolver = Mlem<TestSpace, Scalar>;
    using SirtSolver = Sirt<TestSpace, Scalar>;
    using CglsSolver = Cgls<TestSpace, Scalar>;
    expect_same(solved<MlemSolver>(way.A, data, 8), solved<MlemSolver>(csr, data, 8), tolerance,
                "mlem, " + way.name);
    expect_same(solved<SirtSolver>(way.A, data, 8), solved<SirtSolver>(csr, data, 8), tolerance,
                "sirt, " + way.name);
    // Conjugate gradients amplify rounding.
    expect_same(solved<CglsSolver>(way.A, data, 3), solved<CglsSolver>(csr, data, 3),
                10 * tolerance, "cgls, " + way.name);
  }
}

std::uint64_t live_bytes = 0;
void count_allocation(Kokkos::Profiling::SpaceHandle, const char* label, const void*,
                      std::uint64_t bytes) {
  if (std::string(label).find("Tomokkos::") != std::string::npos) live_bytes += bytes;
}
void count_deallocation(Kokkos::Profiling::SpaceHandle, const char* label, const void*,
                        std::uint64_t bytes) {
  if (std::string(label).find("Tomokkos::") != std::string::npos) live_bytes -= bytes;
}

/// The memory that an operator reports is what it allocated and kept.
template <class Make>
void expect_memory(std::size_t shared, const std::string& what, const Make& make) {
  live_bytes = 0;
  Kokkos::Tools::Experimental::set_allocate_data_callback(count_allocation);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(count_deallocation);
  {
    const auto A = make();
    A.reserve(TestSpace(), 1);
    Kokkos::fence();
    // Kokkos rounds sizes up and allocates some bytes even for an empty array.
    EXPECT_LE(A.memory_bytes(), live_bytes + shared) << what;
    EXPECT_LE(live_bytes + shared, A.memory_bytes() + 512) << what;
  }
  EXPECT_EQ(live_bytes, 0U) << what;
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
}

TYPED_TEST(TransposedProducts, hold_the_memory_that_they_announce) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const auto csr = to_device<TestSpace, Scalar>(exec, positive_matrix());
  using Any = AnyOperator<TestSpace, Scalar>;
  for (const auto& [method, name] : EnumNames<TransposeMethod>::names) {
    if (!is_way_of_this_machine(method)) continue;
    OperatorOptions options;
    options.transpose = method;
    expect_memory(csr.memory_bytes(), std::string(name),
                  [&]() -> Any { return CsrOperator<TestSpace, Scalar>(exec, csr, options); });
  }
  FlatFormat options;
  options.format = MatrixFormat::ray_tiles;
  for (const auto& [values, name] : EnumNames<StoredPrecision>::names) {
    if (values != StoredPrecision::plain && std::is_same_v<Scalar, double>) continue;
    options.values = values;
    expect_memory(0, std::string(name),
                  [&] { return make_format_operator<TestSpace, Scalar>(exec, csr, options).A; });
  }
}

/// Checks that the size computed before the conversion is right, and that it decides.
TYPED_TEST(TransposedProducts, ray_tiles_are_refused_with_the_figure) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr plain = positive_matrix();
  const auto csr = to_device<TestSpace, Scalar>(exec, plain);
  FlatFormat options;
  options.format = MatrixFormat::ray_tiles;
  for (const auto& [tile, group_rows] : {std::pair{4096, 0}, {64, 7}, {1, 1}, {16, 100000}}) {
    options.tile = tile;
    options.group_rows = group_rows;
    options.available_bytes = 1000;
    std::string message;
    try {
      make_format_operator<TestSpace, Scalar>(exec, csr, options);
    } catch (const MemoryError& error) {
      message = error.what();
    }
    EXPECT_NE(message.find(std::to_string(plain.nonzeros()) + " entries in "), std::string::npos);
    EXPECT_NE(message.find("only 1000 bytes are left"), std::string::npos) << message;
    // The size in the message is sufficient.
    const std::size_t at = message.find(" bytes)");
    ASSERT_NE(at, std::string::npos) << message;
    const std::uint64_t needed = std::stoull(message.substr(message.rfind('(', at) + 1));
    options.available_bytes = needed;
    const auto made = make_format_operator<TestSpace, Scalar>(exec, csr, options);
    EXPECT_LE(made.A.memory_bytes(), needed);
    options.available_bytes = needed - 1;
    EXPECT_THROW((make_format_operator<TestSpace, Scalar>(exec, csr, options)), MemoryError);
  }
}

/// The announced size decides whether the operator fits.
TYPED_TEST(TransposedProducts, automatic_takes_what_there_is_room_for) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const auto csr = to_device<TestSpace, Scalar>(exec, positive_matrix());
  OperatorOptions options;
  options.transpose = TransposeMethod::automatic;
  const auto chosen = [&](std::uint64_t available, bool deterministic) {
    options.available_bytes = available;
    options.spmv.deterministic = deterministic;
    return CsrOperator<TestSpace, Scalar>(exec, csr, options).options().transpose;
  };
  const std::uint64_t images = deterministic_images * 500 * sizeof(Scalar);
  EXPECT_EQ(chosen(std::uint64_t{1} << 40, false), TransposeMethod::stored);
  EXPECT_EQ(chosen(100, false), TransposeMethod::atomic);
  EXPECT_EQ(chosen(on_host ? images - 1 : 100, true), TransposeMethod::stored);
  if (on_host) {
    EXPECT_EQ(chosen(images, true), TransposeMethod::private_images);
    const CsrOperator<TestSpace, Scalar> A(exec, csr, options);
    const SpmvPlan<TestSpace, std::decay_t<decltype(csr)>> plan(exec, csr, options.spmv);
    EXPECT_EQ(A.memory_bytes(), csr.memory_bytes() + images + plan.memory_bytes());
  } else {
    const std::uint64_t windows = windowed_plan_bytes<TestSpace, Scalar>(exec, csr);
    for (const bool deterministic : {false, true})
      EXPECT_EQ(chosen(windows, deterministic), TransposeMethod::windowed);
    options.transpose = TransposeMethod::private_images;
    EXPECT_THROW((CsrOperator<TestSpace, Scalar>(exec, csr, options)), Error);
  }
}

TYPED_TEST(TransposedProducts, windows_are_refused_with_the_figure) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const auto csr = to_device<TestSpace, Scalar>(exec, positive_matrix());
  OperatorOptions options;
  options.transpose = TransposeMethod::windowed;
  options.available_bytes = windowed_plan_bytes<TestSpace, Scalar>(exec, csr);
  const CsrOperator<TestSpace, Scalar> A(exec, csr, options);
  EXPECT_GT(A.windows().mean_segment(), 1);
  EXPECT_LE(A.windows().memory_bytes(), *options.available_bytes);
  EXPECT_EQ(A.apply_transpose_bytes(3),
            3 * (csr.memory_bytes() + A.windows().memory_bytes() + 1200 * sizeof(Scalar)));
  --*options.available_bytes;
  EXPECT_THROW((CsrOperator<TestSpace, Scalar>(exec, csr, options)), MemoryError);
}

/// If `automatic` uses windows, a scaled matrix whose sums they cannot hold gets another method.
TEST(MatrixOperator, a_choice_is_made_again_for_the_scaled_matrix) {
  const TestSpace exec;
  PlainCsr square = positive_matrix();
  square.columns = 700;
  const auto csr = to_device<TestSpace, float>(exec, square);
  OperatorOptions options;
  options.transpose = TransposeMethod::automatic;
  options.available_bytes = windowed_plan_bytes<TestSpace, float>(exec, csr);
  options.spmv.deterministic = false;
  const CsrOperator<TestSpace, float> A(exec, csr, options);
  const Vector<float, MemorySpace> scale("scale", 700);
  Kokkos::deep_copy(exec, scale, 1e-16F);
  const auto scaled = A.scaled(exec, scale);
  if (on_host) {
    EXPECT_EQ(scaled.options().transpose, A.options().transpose);
  } else {
    EXPECT_EQ(A.options().transpose, TransposeMethod::windowed);
    EXPECT_EQ(scaled.options().transpose, TransposeMethod::atomic);
    // If requested, windows are refused.
    options.transpose = TransposeMethod::windowed;
    EXPECT_THROW((CsrOperator<TestSpace, float>(exec, csr, options).scaled(exec, scale)), Error);
  }
}

TEST(FormatOperator, private_images_and_windows_are_of_csr) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, positive_matrix());
  FlatFormat options;
  for (const auto method : {TransposeMethod::private_images, TransposeMethod::windowed}) {
    options.transpose = method;
    EXPECT_THROW((make_format_operator<TestSpace, float>(exec, csr, options)), Error);
  }
  options.transpose = TransposeMethod::automatic;
  options.available_bytes = 100;
  const auto made = make_format_operator<TestSpace, float>(exec, csr, options);
  EXPECT_EQ(made.transpose, TransposeMethod::atomic);
  EXPECT_TRUE(made.A.has_transpose());
  EXPECT_GT(made.A.apply_transpose_bytes(), 0U);
  EXPECT_FALSE(
      (make_format_operator<TestSpace, float>(exec, csr, options, false).A.has_transpose()));
}

TEST(RayTilesOperator, tells_sums_and_bytes) {
  const TestSpace exec;
  const PlainCsr plain = positive_matrix();
  const auto tiles = ray_tiles_from_csr(exec, to_device<TestSpace, float>(exec, plain));
  const MatrixOperator<TestSpace, std::decay_t<decltype(tiles)>> A(exec, tiles);
  const auto rows = sums_of<float>(exec, A, false), columns = sums_of<float>(exec, A, true);
  std::vector<double> row_sums(700, 0), column_sums(500, 0);
  for (int i = 0; i < 700; ++i)
    for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k) {
      row_sums[i] += plain.values[k];
      column_sums[plain.indices[k]] += plain.values[k];
    }
  const auto there = to_std_vector(rows), back = to_std_vector(columns);
  for (int i = 0; i < 700; ++i) EXPECT_NEAR(there[i], row_sums[i], 1e-5 * row_sums[i]);
  for (int j = 0; j < 500; ++j) EXPECT_NEAR(back[j], column_sums[j], 1e-5 * column_sums[j]);
  EXPECT_EQ(there[7], 0);
  const std::size_t vectors = 1200 * sizeof(float);
  EXPECT_EQ(A.apply_bytes(), tiles.memory_bytes() + vectors);
  EXPECT_EQ(A.apply_transpose_bytes(3), 3 * (tiles.memory_bytes() + 3 * vectors));
}

TEST(RayTilesOperator, says_what_it_cannot_do) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, double>(exec, positive_matrix());
  FlatFormat options;
  options.format = MatrixFormat::ray_tiles;
  const auto made = make_format_operator<TestSpace, double>(exec, csr, options, false);
  EXPECT_TRUE(made.A.has_transpose());
  EXPECT_TRUE(made.one_copy);
  EXPECT_GT(figure_of<double>(made, "mean_segment"), 1);
  EXPECT_EQ(figure_of<std::int64_t>(made, "tile"), largest_tile);
  const Vector<double, MemorySpace> x("x", 500), part("part", 10), y("y", 700), wide("wide", 1400);
  EXPECT_THROW(made.A.apply(exec, 1.0, columns_of(x, 1), 0.0, writable(part, 1), {695, 705}),
               Error);
  EXPECT_THROW(made.A.apply(exec, 1.0, columns_of(y, 1), 0.0, writable(y, 1)), DimensionMismatch);
  EXPECT_THROW(made.A.apply(exec, 1.0, columns_of(x, 1), 0.0, writable(wide, 2)),
               DimensionMismatch);
  // The sweep uses products with single rows.
  EXPECT_NO_THROW((kaczmarz_sweep<TestSpace, double>(exec, made.A, nullptr, {}, y, x)));
  options.values = StoredPrecision::half;
  EXPECT_THROW((make_format_operator<TestSpace, double>(exec, csr, options)), Error);
  options.values = StoredPrecision::plain;
  options.tile = 5000;
  EXPECT_THROW((make_format_operator<TestSpace, double>(exec, csr, options)), Error);
}

}  // namespace
