// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every format as an operator: both products, several vectors, and solvers, for which the format
// makes no difference.
#include <gtest/gtest.h>

#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_PlainProducts.hpp>
#include <Tomokkos_Sirt.hpp>
#include <memory>

#include "DeviceCsr.hpp"
#include "FlatFormat.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;

std::vector<FlatFormat> shapes() {
  std::vector<FlatFormat> all;
  for (const auto format : {MatrixFormat::coo, MatrixFormat::ell, MatrixFormat::ell_r,
                            MatrixFormat::hyb, MatrixFormat::sell}) {
    FlatFormat options;
    options.format = format;
    all.push_back(options);
  }
  all.back().sigma = 0;
  FlatFormat sorted;
  sorted.format = MatrixFormat::ell_r;
  sorted.sort_by_length = true;
  all.push_back(sorted);
  for (const int block : {2, 3, 4, 8}) {
    FlatFormat options;
    options.format = MatrixFormat::bcsr;
    options.block = block;
    options.largest_fill = 64;
    all.push_back(options);
  }
  FlatFormat packed;
  packed.format = MatrixFormat::packed_csr;
  all.push_back(packed);
  return all;
}

/// True for formats that multiply several vectors one after the other.
bool is_one_by_one(const FlatFormat& options) {
  return options.format == MatrixFormat::coo || options.format == MatrixFormat::ell ||
         options.format == MatrixFormat::hyb || options.format == MatrixFormat::packed_csr;
}

std::string name_of(const FlatFormat& options) {
  return std::string(to_string(options.format)) + " " + std::to_string(options.block);
}

/// Matrix with positive entries, as MLEM requires.
PlainCsr positive_matrix() {
  auto plain = battery::make("positive", 150, 90, [](int i) { return 1 + i % 23; });
  for (auto& value : plain.values) value = std::abs(value);
  return plain;
}

template <class Scalar>
std::vector<double> column(const std::vector<Scalar>& all, int j, int s) {
  std::vector<double> picked;
  for (std::size_t i = static_cast<std::size_t>(j); i < all.size(); i += s)
    picked.push_back(static_cast<double>(all[i]));
  return picked;
}

template <class Scalar>
void check_products(const FlatFormat& options, int s) {
  const TestSpace exec;
  const auto plain = positive_matrix();
  const auto csr = to_device<TestSpace, Scalar>(exec, plain);
  const auto made = make_format_operator<TestSpace, Scalar>(exec, csr, options);
  EXPECT_GE(made.fill, 1.0);
  EXPECT_GE(made.transposed_fill, 1.0);
  EXPECT_GE(made.A.apply_bytes(), static_cast<std::size_t>(plain.nonzeros()) * sizeof(Scalar));
  const auto transposed = plain.transposed();
  const auto x_plain = random_vector(static_cast<std::size_t>(plain.columns) * s, 1);
  const auto b_plain = random_vector(static_cast<std::size_t>(plain.rows) * s, 2);
  const auto x = to_device<TestSpace, Scalar>(exec, x_plain);
  const auto b = to_device<TestSpace, Scalar>(exec, b_plain);
  const auto y = to_device<TestSpace, Scalar>(exec, b_plain);
  const auto z = to_device<TestSpace, Scalar>(exec, x_plain);
  made.A.apply(exec, Scalar(2),
               MultiVectorView<const Scalar, MemorySpace>(x.data(), plain.columns, s), Scalar(0.5),
               MultiVectorView<Scalar, MemorySpace>(y.data(), plain.rows, s));
  made.A.apply_transpose(
      exec, Scalar(-1), MultiVectorView<const Scalar, MemorySpace>(b.data(), plain.rows, s),
      Scalar(0), MultiVectorView<Scalar, MemorySpace>(z.data(), plain.columns, s));
  const auto forward = to_std_vector(y);
  const auto back = to_std_vector(z);
  const auto judged = [](const std::vector<double>& values) {
    return std::vector<Scalar>(values.begin(), values.end());
  };
  for (int j = 0; j < s; ++j) {
    auto reference = reference_product(plain, 2, column(x_plain, j, s), 0.5, column(b_plain, j, s));
    auto reference_back = reference_product(transposed, -1, column(b_plain, j, s), 0, {});
    // BCSR also adds the zeros of its fill.
    for (auto& length : reference.row_length) length *= 8;
    for (auto& length : reference_back.row_length) length *= 8;
    EXPECT_LE(worst_row_error(judged(column(forward, j, s)), reference), 1) << name_of(options);
    EXPECT_LE(worst_row_error(judged(column(back, j, s)), reference_back), 1) << name_of(options);
  }
}

TEST(FormatOperator, both_products_of_one_and_of_several_vectors) {
  for (const auto& options : shapes())
    for (const int s : {1, 3}) {
      check_products<float>(options, s);
      check_products<double>(options, s);
    }
}

TEST(FormatOperator, tells_its_diagonal_and_scales_its_values) {
  const TestSpace exec;
  constexpr int n = 45;
  auto plain = battery::make("square", n, n, [](int i) { return 1 + i % 7; });
  for (int i = 0; i < n; i += 3)
    for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
      if (k == plain.offsets[i]) plain.indices[k] = std::min(i, plain.indices[k]);
  const auto csr = to_device<TestSpace, double>(exec, plain);
  const CsrOperator<TestSpace, double> reference(exec, csr);
  const auto read = [&](Offset size, const auto& fill) {
    const Vector<double, MemorySpace> values("values", size);
    Kokkos::deep_copy(values, 7.0);
    fill(VectorView<double, MemorySpace>(values));
    return to_std_vector(values);
  };
  const auto scale = to_device<TestSpace, double>(exec, random_vector(n, 5));
  const auto x = to_device<TestSpace, double>(exec, random_vector(n, 6));
  const auto product = [&](const AnyOperator<TestSpace, double>& A, bool transposed) {
    return read(n, [&](const auto& y) {
      const MultiVectorView<const double, MemorySpace> X(x.data(), n, 1);
      if (transposed)
        A.apply_transpose(exec, 1.0, X, 0.0, as_multivector(y));
      else
        A.apply(exec, 1.0, X, 0.0, as_multivector(y));
    });
  };
  for (const auto& options : shapes()) {
    const auto A = make_format_operator<TestSpace, double>(exec, csr, options).A;
    ASSERT_NE(A.capabilities().diagonal, nullptr);
    ASSERT_NE(A.capabilities().scaling, nullptr);
    EXPECT_EQ(read(n, [&](const auto& d) { A.capabilities().diagonal->diagonal(exec, d); }),
              read(n, [&](const auto& d) { reference.diagonal(exec, d); }))
        << name_of(options);
    for (const int size : {2, 4})
      EXPECT_EQ(
          read((n + size - 1) / size * size * size,
               [&](const auto& blocks) { A.capabilities().diagonal->blocks(exec, size, blocks); }),
          read((n + size - 1) / size * size * size,
               [&](const auto& blocks) { reference.diagonal_blocks(exec, size, blocks); }))
          << name_of(options) << ", " << size;
    const auto before = product(A, false);
    const auto scaled = A.capabilities().scaling->scaled(exec, scale);
    const AnyOperator<TestSpace, double> expected = reference.scaled(exec, scale);
    for (const bool transposed : {false, true}) {
      const auto y = product(scaled, transposed), wanted = product(expected, transposed);
      for (int i = 0; i < n; ++i) EXPECT_NEAR(y[i], wanted[i], 1e-12) << name_of(options);
    }
    EXPECT_EQ(product(A, false), before) << "its own values are as they were";
  }
}

TEST(FormatOperator, a_solver_reaches_the_same_image_on_every_format) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, double>(exec, positive_matrix());
  std::vector<double> data = random_vector(150, 4);
  for (auto& value : data) value = 1 + std::abs(value);
  const auto b = to_device<TestSpace, double>(exec, data);
  MlemParams params;
  params.iterations = 20;
  const auto solve = [&](const AnyOperator<TestSpace, double>& A) {
    const auto x = to_device<TestSpace, double>(exec, std::vector<double>(90, 1.0));
    Mlem<TestSpace, double> solver(exec, 150, 90, params);
    solver.solve(exec, A, b, x);
    return to_std_vector(x);
  };
  const auto expected = solve(CsrOperator<TestSpace, double>(exec, csr));
  for (const auto& options : shapes()) {
    const auto image = solve(make_format_operator<TestSpace, double>(exec, csr, options).A);
    for (int j = 0; j < 90; ++j)
      EXPECT_NEAR(image[j], expected[j], 1e-10 * std::abs(expected[j])) << name_of(options);
  }
}

/// Operator with the minimum of members.
struct PlainOperator {
  CsrOperator<TestSpace, float> A;
  Ordinal num_rows() const { return A.num_rows(); }
  Ordinal num_cols() const { return A.num_cols(); }
  std::size_t apply_bytes() const { return A.apply_bytes(); }
  void apply(const TestSpace& exec, float alpha, const MultiVectorView<const float, MemorySpace>& X,
             float beta, const MultiVectorView<float, MemorySpace>& Y) const {
    A.apply(exec, alpha, X, beta, Y);
  }
};

TEST(FormatOperator, counts_every_pass_over_the_matrix) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, positive_matrix());
  constexpr std::size_t vector = (150 + 90) * sizeof(float);
  // On a GPU one pass processes 32 vectors.
  constexpr std::size_t passes_of_70 = Impl::is_host_space<TestSpace> ? 1 : 3;
  for (const auto& options : shapes()) {
    const auto made = make_format_operator<TestSpace, float>(exec, csr, options);
    const bool one_by_one = is_one_by_one(options);
    const std::size_t forward = made.A.apply_bytes() - vector;
    const std::size_t back = made.A.apply_transpose_bytes() - vector;
    for (const std::size_t s : {2, 70}) {
      // Includes the copies to contiguous vectors and back.
      const std::size_t vectors = (one_by_one ? 3 : 1) * s * vector;
      const std::size_t passes = one_by_one ? s : s == 70 ? passes_of_70 : 1;
      const auto count = static_cast<int>(s);
      EXPECT_EQ(made.A.apply_bytes(count), passes * forward + vectors) << name_of(options);
      EXPECT_EQ(made.A.apply_transpose_bytes(count), passes * back + vectors) << name_of(options);
      EXPECT_EQ(product_bytes(made.A, s), passes * (forward + back) + 2 * vectors);
    }
  }
  const PlainOperator plain{CsrOperator<TestSpace, float>(exec, csr)};
  const std::size_t matrix = plain.apply_bytes() - vector;
  EXPECT_EQ(plain.A.apply_bytes(70), passes_of_70 * matrix + 70 * vector);
  EXPECT_EQ((AnyOperator<TestSpace, float>(plain).apply_bytes(70)), matrix + 70 * vector);
  EXPECT_EQ((product_bytes<TestSpace, float>(plain, 70)), matrix + 70 * vector);
}

int allocations = 0;
void count_allocation(Kokkos::Profiling::SpaceHandle, const char* label, const void*,
                      std::uint64_t) {
  if (std::string(label).find("Tomokkos::") != std::string::npos) ++allocations;
}

template <class Solver>
void expect_no_allocation_in_iterations(const AnyOperator<TestSpace, float>& A,
                                        const std::string& name) {
  const TestSpace exec;
  constexpr int s = 3;
  typename Solver::params_type params;
  params.iterations = 4;
  params.check_every = 1;
  Solver solver(exec, A.num_rows(), A.num_cols(), params, s);
  const auto b = to_device<TestSpace, float>(exec, std::vector<double>(A.num_rows() * s, 2.0));
  const auto x = to_device<TestSpace, float>(exec, std::vector<double>(A.num_cols() * s, 1.0));
  std::size_t held = 0;
  int calls = 0;
  Kokkos::Tools::Experimental::set_allocate_data_callback(count_allocation);
  solver.solve(exec, A, MultiVectorView<const float, MemorySpace>(b.data(), A.num_rows(), s),
               MultiVectorView<float, MemorySpace>(x.data(), A.num_cols(), s),
               [&](const TestSpace&, const MonitorState<TestSpace, float>& state) {
                 if (calls++ == 0) {
                   held = A.memory_bytes();
                   allocations = 0;
                 }
                 if (state.last) {
                   EXPECT_EQ(allocations, 0) << name;
                 }
                 return MonitorAction::proceed;
               });
  Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(A.memory_bytes(), held) << name;
}

TEST(FormatOperator, allocates_nothing_in_the_iterations_of_a_stack) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, positive_matrix());
  for (const auto& options : shapes()) {
    const auto make = [&] { return make_format_operator<TestSpace, float>(exec, csr, options).A; };
    expect_no_allocation_in_iterations<Mlem<TestSpace, float>>(make(), name_of(options));
    expect_no_allocation_in_iterations<Sirt<TestSpace, float>>(make(), name_of(options));
    expect_no_allocation_in_iterations<Cgls<TestSpace, float>>(make(), name_of(options));
    // Reserved memory is counted, and is sufficient.
    const auto A = make();
    const std::size_t before = A.memory_bytes();
    A.reserve(exec, 1);
    EXPECT_EQ(A.memory_bytes(), before);
    A.reserve(exec, 2);
    const std::size_t reserved = A.memory_bytes();
    EXPECT_EQ(reserved > before, is_one_by_one(options));
    expect_no_allocation_in_iterations<Sirt<TestSpace, float>>(A, name_of(options));
    EXPECT_EQ(A.memory_bytes(), reserved);
  }
}

/// Operator that checks that no product has more vectors than were reserved.
struct AnnouncedOperator {
  CsrOperator<TestSpace, float> A;
  std::shared_ptr<int> reserved = std::make_shared<int>(1);
  Ordinal num_rows() const { return A.num_rows(); }
  Ordinal num_cols() const { return A.num_cols(); }
  void reserve(const TestSpace&, int vectors) const { *reserved = vectors; }
  void apply(const TestSpace& exec, float alpha, const MultiVectorView<const float, MemorySpace>& X,
             float beta, const MultiVectorView<float, MemorySpace>& Y) const {
    EXPECT_LE(X.extent(1), static_cast<std::size_t>(*reserved));
    A.apply(exec, alpha, X, beta, Y);
  }
  void apply_transpose(const TestSpace& exec, float alpha,
                       const MultiVectorView<const float, MemorySpace>& X, float beta,
                       const MultiVectorView<float, MemorySpace>& Y) const {
    EXPECT_LE(X.extent(1), static_cast<std::size_t>(*reserved));
    A.apply_transpose(exec, alpha, X, beta, Y);
  }
};

TEST(FormatOperator, solvers_announce_their_slices) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, positive_matrix());
  const auto make = [&] { return AnnouncedOperator{CsrOperator<TestSpace, float>(exec, csr)}; };
  expect_no_allocation_in_iterations<Mlem<TestSpace, float>>(make(), "mlem");
  expect_no_allocation_in_iterations<Sirt<TestSpace, float>>(make(), "sirt");
  expect_no_allocation_in_iterations<Cgls<TestSpace, float>>(make(), "cgls");
}

TEST(FormatOperator, says_what_it_cannot_do) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, positive_matrix());
  const auto forward = make_format_operator<TestSpace, float>(exec, csr, {}, false);
  EXPECT_FALSE(forward.A.has_transpose());
  EXPECT_EQ(forward.transposed_fill, 0.0);
  const Vector<float, MemorySpace> x("x", 90), y("y", 150), part("part", 10);
  const VectorView<const float, MemorySpace> b(y);
  EXPECT_THROW(forward.A.apply_transpose(exec, 1.0F, as_multivector(b), 0.0F, as_multivector(x)),
               Error);
  const VectorView<const float, MemorySpace> in(x);
  EXPECT_THROW(forward.A.apply(exec, 1.0F, as_multivector(in), 0.0F, as_multivector(part), {0, 10}),
               Error);
  EXPECT_THROW((kaczmarz_sweep<TestSpace, float>(exec, forward.A, nullptr, {}, b, x)), Error);
  FlatFormat options;
  options.format = MatrixFormat::bcsr;
  options.block = 5;
  EXPECT_THROW((make_format_operator<TestSpace, float>(exec, csr, options)), Error);
  options.block = 8;
  options.largest_fill = 1.01;
  EXPECT_THROW((make_format_operator<TestSpace, float>(exec, csr, options)), Error);
}

}  // namespace
