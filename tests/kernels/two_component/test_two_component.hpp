// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices stored in few bytes: complex blocks, a matrix shared by two components, and values in
// float for vectors in double. Products against plain loops with their CSR, and conjugate
// gradients.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_TwoComponentConversion.hpp>
#include <Tomokkos_TwoComponentOperator.hpp>
#include <map>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

using Space = TestSpace::memory_space;

/// Matrix of `[a -b; b a]` blocks with random columns and rows of 0 to \p longest blocks. \p
/// coupled is the share of blocks with nonzero b.
PlainCsr complex_matrix(int n, int longest, double coupled, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  std::uniform_real_distribution<double> share(0, 1);
  PlainCsr A;
  A.columns = 2 * n;
  for (int i = 0; i < n; ++i) {
    std::map<int, std::pair<float, float>> blocks;
    const int length = static_cast<int>(share(random) * (longest + 1));
    for (int k = 0; k < length; ++k)
      blocks[static_cast<int>(random() % static_cast<unsigned>(n))] = {
          value(random), share(random) < coupled ? value(random) : 0.0F};
    for (int row = 0; row < 2; ++row) {
      for (const auto& [j, entry] : blocks) {
        A.add(2 * j, row == 0 ? entry.first : entry.second);
        A.add(2 * j + 1, row == 0 ? -entry.second : entry.first);
      }
      A.end_row();
    }
  }
  return A;
}

/// Matrix with the structure of a conformal energy: the Laplacian of a grid of `n x n` for both
/// components, coupled along its border and made definite.
PlainCsr mesh_matrix(int n) {
  PlainCsr A;
  A.columns = 2 * n * n;
  const auto on_border = [&](int x, int y) { return x == 0 || y == 0 || x == n - 1 || y == n - 1; };
  for (int i = 0; i < n * n; ++i)
    for (int row = 0; row < 2; ++row) {
      const int x = i % n, y = i / n;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          if (dx * dy != 0 || x + dx < 0 || x + dx >= n || y + dy < 0 || y + dy >= n) continue;
          const int j = i + dy * n + dx;
          const bool edge = j != i && on_border(x, y) && on_border(x + dx, y + dy);
          const double a = i == j ? 4.5 + 0.25 * (i % 5) : -1;
          const double b = edge ? (j > i ? 0.25 : -0.25) : 0;
          A.add(2 * j, row == 0 ? a : b);
          A.add(2 * j + 1, row == 0 ? -b : a);
        }
      A.end_row();
    }
  return A;
}

template <class Value>
HostCsrMatrix<Value> host_csr(const PlainCsr& A) {
  return copy_to<Kokkos::HostSpace>(TestSpace(), to_device<TestSpace, Value>(TestSpace(), A));
}

template <class Value>
ComplexCsrMatrix<Value, Space> as_complex(const PlainCsr& A) {
  return copy_to<Space>(TestSpace(), complex_from_csr(host_csr<Value>(A)));
}
template <class Value>
SharedCsrMatrix<Value, Space> as_shared(const PlainCsr& A) {
  return copy_to<Space>(TestSpace(), shared_from_complex(complex_from_csr(host_csr<Value>(A))));
}

/// Products with one vector and with three, with the sums of the dot. Arrays begin \p offset
/// entries after an aligned address.
template <class Scalar, class Matrix>
void expect_products(const Matrix& matrix, const PlainCsr& A, int offset = 0) {
  const TestSpace exec;
  const MatrixOperator<TestSpace, Matrix, Scalar> op(exec, matrix);
  ASSERT_EQ(op.num_rows(), A.rows);
  const auto x = random_vector(static_cast<std::size_t>(A.rows), 3);
  const auto expected = reference_product(A, 1, x, 0, {});
  const auto n = static_cast<std::size_t>(A.rows);
  Vector<Scalar, Space> px("x", n + 1), py("y", n + 1);
  const VectorView<Scalar, Space> dx(px.data() + offset, n), dy(py.data() + offset, n);
  Kokkos::deep_copy(dx, to_device<TestSpace, Scalar>(exec, x));
  Kokkos::deep_copy(py, std::numeric_limits<Scalar>::quiet_NaN());
  const VectorView<const Scalar, Space> cx = dx;
  op.apply(exec, Scalar(1), as_multivector(cx), Scalar(0), as_multivector(dy));
  EXPECT_LE(worst_row_error(to_std_vector(dy), expected), 1);

  if (offset == 0) {
    const Vector<double, Space> sums("sums", static_cast<std::size_t>(op.dot_sums()));
    Kokkos::deep_copy(py, std::numeric_limits<Scalar>::quiet_NaN());
    op.apply_dot(exec, cx, dy, sums);
    const auto y = to_std_vector(dy);
    EXPECT_LE(worst_row_error(y, expected), 1);
    double dot = 0, plain = 0, size = 0;
    for (double sum : to_std_vector(sums)) dot += sum;
    for (std::size_t i = 0; i < n; ++i) {
      plain += static_cast<double>(y[i]) * x[i];
      size += std::abs(static_cast<double>(y[i]) * x[i]);
    }
    EXPECT_NEAR(dot, plain, 1e-14 * size + 1e-300);
  }

  const int s = 3;
  const auto X = random_vector(n * s, 4), Y = random_vector(n * s, 5);
  const auto dX = to_device<TestSpace, Scalar>(exec, X);
  const auto dY = to_device<TestSpace, Scalar>(exec, Y);
  op.apply(exec, Scalar(2), MultiVectorView<const Scalar, Space>(dX.data(), n, s), Scalar(-0.5),
           MultiVectorView<Scalar, Space>(dY.data(), n, s));
  const auto result = to_std_vector(dY);
  for (int j = 0; j < s; ++j)
    EXPECT_LE(worst_row_error(column_of(result, j, s), reference_product(A, 2, column_of(X, j, s),
                                                                         -0.5, column_of(Y, j, s))),
              1)
        << "vector " << j;
}

template <class Value>
void expect_round_trips(const PlainCsr& A) {
  const auto complex = complex_from_csr(host_csr<Value>(A));
  const auto back = to_csr(complex);
  EXPECT_EQ(to_std_vector(back.row_offsets), A.offsets);
  EXPECT_EQ(to_std_vector(back.columns), A.indices);
  const auto values = to_std_vector(back.values);
  for (std::size_t k = 0; k < values.size(); ++k) ASSERT_EQ(values[k], A.values[k]) << k;
  // Zero couplings are not stored, so compare products instead of entries.
  const auto shared = to_csr(shared_from_complex(complex));
  validate(TOMOKKOS_HOST_SPACE(), shared);
  PlainCsr plain;
  plain.columns = A.columns;
  for (int i = 0; i < A.rows; ++i) {
    for (auto k = shared.row_offsets(i); k < shared.row_offsets(i + 1); ++k)
      plain.add(shared.columns(k), shared.values(k));
    plain.end_row();
  }
  const auto x = random_vector(static_cast<std::size_t>(A.columns), 9);
  const auto expected = reference_product(A, 1, x, 0, {});
  EXPECT_LE(worst_row_error(reference_product(plain, 1, x, 0, {}).y, expected), 1);
}

}  // namespace

TEST(Forms, products_are_those_of_their_csr) {
  // Rows of few and of many blocks: one part of the scratch memory, or several; and a last team
  // that is not full.
  for (const PlainCsr& A :
       {complex_matrix(1000, 7, 0.3, 1), complex_matrix(131, 90, 1, 2), complex_matrix(1, 1, 1, 3),
        complex_matrix(64, 0, 1, 4), complex_matrix(5000, 12, 0.02, 5)}) {
    SCOPED_TRACE(A.rows);
    expect_round_trips<double>(A);
    expect_products<double>(as_complex<double>(A), A);
    expect_products<float>(as_complex<float>(A), A);
    expect_products<double>(as_complex<float>(A), A);
    expect_products<double>(as_shared<double>(A), A);
    expect_products<float>(as_shared<float>(A), A);
    expect_products<double>(as_shared<float>(A), A);
    expect_products<double>(to_device<TestSpace, float>(TestSpace(), A), A);
  }
}

TEST(Forms, calls_take_any_view) {
  const TestSpace exec;
  const PlainCsr plain = complex_matrix(300, 9, 0.5, 6);
  const auto A = as_complex<float>(plain);
  const auto n = static_cast<std::size_t>(plain.rows);
  const Kokkos::View<double*, Space> x("x", n), y("y", n), d("d", n);
  Kokkos::deep_copy(x, 1);
  spmv_two_component(exec, A, 2, x, 0, y);
  EXPECT_LE(worst_row_error(to_std_vector(y),
                            reference_product(plain, 2, std::vector<double>(n, 1.0), 0, {})),
            1);
  const Kokkos::View<double*, Space> sums(
      "sums", static_cast<std::size_t>(spmv_two_component_dot_sums<TestSpace>(A.num_block_rows)));
  spmv_two_component_dot(exec, A, x, y, sums);
  two_component_diagonal(exec, A, d);
  const auto scaled = two_component_scaled<float>(exec, A, x);
  const Kokkos::View<double*, Space> of_scaled("of_scaled", n);
  spmv_two_component(exec, scaled, 1, x, 0, of_scaled);
  const auto expected = to_std_vector(y), computed = to_std_vector(of_scaled);
  const auto diagonal = to_std_vector(d);
  double dot = 0;
  for (const double sum : to_std_vector(sums)) dot += sum;
  double total = 0, size = 0;
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(computed[i], expected[i], 1e-12) << i;
    double entry = 0;
    for (auto k = plain.offsets[i]; k < plain.offsets[i + 1]; ++k)
      if (plain.indices[k] == static_cast<std::int32_t>(i))
        entry += static_cast<float>(plain.values[k]);
    EXPECT_EQ(diagonal[i], entry) << i;
    total += expected[i];
    size += std::abs(expected[i]);
  }
  EXPECT_NEAR(dot, total, 1e-14 * size);
}

TEST(Forms, vectors_may_lie_anywhere) {
  const PlainCsr A = complex_matrix(300, 9, 0.5, 6);
  expect_products<double>(as_complex<double>(A), A, 1);
  expect_products<float>(as_shared<float>(A), A, 1);
}

TEST(Forms, no_rows_are_a_matrix_too) {
  PlainCsr A;
  expect_products<double>(as_complex<double>(A), A);
  expect_products<double>(as_shared<double>(A), A);
}

TEST(Forms, blocks_of_another_shape_are_named) {
  PlainCsr A = complex_matrix(10, 5, 1, 7);
  const auto at = A.offsets[A.rows - 2];
  if (A.offsets[A.rows - 1] == at) GTEST_FAIL() << "the last block row is empty";
  A.values[static_cast<std::size_t>(at)] += 1;
  try {
    complex_from_csr(host_csr<double>(A));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rows from 18"), std::string::npos) << error.what();
  }
  PlainCsr odd;
  odd.columns = 1;
  odd.add(0, 1);
  odd.end_row();
  EXPECT_THROW(complex_from_csr(host_csr<double>(odd)), Error);
}

TEST(Forms, the_contract_is_checked) {
  const TestSpace exec;
  const PlainCsr A = mesh_matrix(6);
  auto complex = as_complex<double>(A);
  validate(exec, complex);
  complex.columns = Kokkos::subview(complex.columns, Kokkos::make_pair(1, 3));
  EXPECT_THROW(validate(exec, complex), Error);

  auto shared = as_shared<double>(A);
  validate(exec, shared);
  auto bits = to_std_vector(shared.coupled);
  bits[0] ^= 1U << 8;
  auto wrong = shared;
  wrong.coupled = to_device<TestSpace, std::uint32_t>(exec, bits);
  EXPECT_THROW(validate(exec, wrong), Error);
  auto rows = to_std_vector(shared.coupled_rows);
  std::swap(rows[0], rows[1]);
  wrong = shared;
  wrong.coupled_rows = to_device<TestSpace, Ordinal>(exec, rows);
  EXPECT_THROW(validate(exec, wrong), Error);
}

TEST(Forms, scaling_keeps_the_form) {
  const TestSpace exec;
  const PlainCsr A = mesh_matrix(9);
  const auto n = static_cast<std::size_t>(A.rows);
  std::vector<double> scale(n);
  for (std::size_t i = 0; i < n; ++i) scale[i] = std::ldexp(1.0, static_cast<int>(i / 2 % 5) - 2);
  PlainCsr scaled = A;
  for (int i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      scaled.values[k] *=
          scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(A.indices[k])];
  const auto keep = to_device<TestSpace, double>(exec, scale);
  const auto both = [&](const auto& matrix) {
    const MatrixOperator op(exec, matrix);
    expect_products<double>(op.scaled(exec, keep).matrix(), scaled);
    expect_products<double>(op.scaled_in_float(exec, keep).matrix(), scaled);
    Vector<double, Space> d("d", n);
    op.diagonal(exec, d);
    const auto found = to_std_vector(d);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found[i], 4.5 + 0.25 * (i / 2 % 5)) << i;
  };
  both(as_complex<double>(A));
  both(as_shared<double>(A));
  const CsrOperator<TestSpace, double> csr(exec, to_device<TestSpace, double>(exec, A));
  expect_products<double>(csr.scaled_in_float(exec, keep).matrix(), scaled);

  scale[7] *= 2;
  const auto unlike = to_device<TestSpace, double>(exec, scale);
  const MatrixOperator op(exec, as_complex<double>(A));
  EXPECT_THROW(op.scaled(exec, unlike), Error);
}

TEST(Forms, conjugate_gradients_take_any_of_them) {
  const TestSpace exec;
  const PlainCsr A = mesh_matrix(24);
  const auto n = static_cast<std::size_t>(A.rows);
  const auto b = to_device<TestSpace, double>(exec, random_vector(n, 11));
  PcgParams params;
  params.stop = PcgParams::relative(1e-11);
  const auto solve = [&](const AnyOperator<TestSpace, double>& op) {
    Pcg<TestSpace, double> solver(exec, A.rows, params);
    const Vector<double, Space> x("x", n);
    const SolveResult result = solver.solve(exec, op, b, x);
    EXPECT_EQ(result.reason, StopReason::converged);
    return std::pair(result.iterations, to_std_vector(x));
  };
  const auto [iterations, expected] =
      solve(CsrOperator<TestSpace, double>(exec, to_device<TestSpace, double>(exec, A)));
  const auto expect_same = [&](const AnyOperator<TestSpace, double>& op) {
    const auto [taken, x] = solve(op);
    EXPECT_NEAR(taken, iterations, 2);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(x[i], expected[i], 1e-9) << i;
  };
  expect_same(MatrixOperator(exec, as_complex<double>(A)));
  expect_same(MatrixOperator(exec, as_shared<double>(A)));
}

TEST(Forms, a_matrix_in_float_solves_the_one_in_double) {
  const TestSpace exec;
  PlainCsr A = mesh_matrix(24);
  // Values that float cannot represent, by rows and symmetric.
  for (int i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      A.values[k] *= 1 + 1e-9 * (i / 2 + A.indices[k] / 2);
  const auto n = static_cast<std::size_t>(A.rows);
  const auto b_values = random_vector(n, 12);
  const auto b = to_device<TestSpace, double>(exec, b_values);
  PcgParams params;
  params.check_every = 5;
  params.stop = PcgParams::relative(1e-12);
  params.preconditioner.float_matrix = true;
  const auto expect_solved = [&](const AnyOperator<TestSpace, double>& op) {
    const PreconditionedSystem<TestSpace, double> system(exec, op, params.preconditioner);
    EXPECT_LT(system.iterated().memory_bytes(), op.memory_bytes());
    Pcg<TestSpace, double> solver(exec, A.rows, params);
    const Vector<double, Space> x("x", n);
    const SolveResult result = solver.solve(exec, system, b, x);
    EXPECT_EQ(result.reason, StopReason::converged);
    const auto found = to_std_vector(x);
    const Values image = multiply(A, found);
    double residual = 0, size = 0;
    for (std::size_t i = 0; i < n; ++i) {
      residual += (b_values[i] - image[i]) * (b_values[i] - image[i]);
      size += b_values[i] * b_values[i];
    }
    EXPECT_LE(std::sqrt(residual / size), 1.01e-12);
  };
  expect_solved(CsrOperator<TestSpace, double>(exec, to_device<TestSpace, double>(exec, A)));
  expect_solved(MatrixOperator(exec, as_shared<double>(A)));

  // Cases without rounding or without scaling.
  PreconditionerOptions options;
  options.float_matrix = true;
  const CsrOperator<TestSpace, float> single(exec, to_device<TestSpace, float>(exec, A));
  EXPECT_THROW((PreconditionedSystem<TestSpace, float>(exec, single, options)), Error);
  options.scale_matrix = false;
  const CsrOperator<TestSpace, double> both(exec, to_device<TestSpace, double>(exec, A));
  EXPECT_THROW((PreconditionedSystem<TestSpace, double>(exec, both, options)), Error);
}
