// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of the solvers: small systems, the iterations as plain loops in double, and a
// matrix-free operator as a user would write one.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Solver.hpp>
#include <algorithm>
#include <cstring>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

namespace solver_testing {

using namespace Tomokkos;

template <class Scalar>
using Operator = CsrOperator<TestSpace, Scalar>;
template <class Scalar>
using DeviceVector = Vector<Scalar, TestSpace::memory_space>;
using Values = std::vector<double>;

using Scalars = ::testing::Types<float, double>;

template <class Scalar>
Operator<Scalar> make_operator(const TestSpace& exec, const PlainCsr& A) {
  return Operator<Scalar>(exec, to_device<TestSpace, Scalar>(exec, A));
}

template <class Scalar>
DeviceVector<Scalar> make_vector(const TestSpace& exec, const Values& values) {
  return to_device<TestSpace, Scalar>(exec, values);
}

/// Operator that supports only products with all rows at once.
template <class Scalar>
struct ProductsAlone {
  AnyOperator<TestSpace, Scalar> A;
  using In = MultiVectorView<const Scalar, TestSpace::memory_space>;
  using Out = MultiVectorView<Scalar, TestSpace::memory_space>;
  Ordinal num_rows() const { return A.num_rows(); }
  Ordinal num_cols() const { return A.num_cols(); }
  void apply(const TestSpace& exec, Scalar alpha, const In& X, Scalar beta, const Out& Y) const {
    A.apply(exec, alpha, X, beta, Y);
  }
  void apply_transpose(const TestSpace& exec, Scalar alpha, const In& X, Scalar beta,
                       const Out& Y) const {
    A.apply_transpose(exec, alpha, X, beta, Y);
  }
};

/// Matrix of 300 x 120 with rows of 3 to 12 entries in (0, 1]; row 7 and column 11 are empty.
inline PlainCsr positive_matrix() {
  const PlainCsr signed_values =
      battery::make("positive", 300, 120, [](int i) { return i == 7 ? 0 : 3 + i % 10; });
  PlainCsr A;
  A.columns = signed_values.columns;
  for (int i = 0; i < signed_values.rows; ++i) {
    for (auto k = signed_values.offsets[i]; k < signed_values.offsets[i + 1]; ++k)
      if (signed_values.indices[k] != 11)
        A.add(signed_values.indices[k], 0.01 + std::abs(signed_values.values[k]));
    A.end_row();
  }
  return A;
}

/// Dense, well-conditioned matrix of 14 x 6.
inline PlainCsr dense_matrix() {
  PlainCsr A = battery::make("dense", 14, 6, [](int) { return 6; });
  for (int i = 0; i < 6; ++i) A.values[static_cast<std::size_t>(6 * i + i)] += 3;
  return A;
}

inline Values multiply(const PlainCsr& A, const Values& x) {
  return reference_product(A, 1, x, 0, {}).y;
}

inline Values positive_vector(std::size_t size, unsigned seed, double scale = 1) {
  Values x = random_vector(size, seed);
  for (auto& value : x) value = static_cast<float>(scale * (0.1 + std::abs(value)));
  return x;
}

inline double norm(const Values& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

template <class A, class B>
double relative_difference(const std::vector<A>& a, const std::vector<B>& b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0, reference = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    difference += d * d;
    reference += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return std::sqrt(difference) / std::max(std::sqrt(reference), 1e-300);
}

template <class Scalar>
constexpr double tolerance(double for_float, double for_double) {
  return std::is_same_v<Scalar, float> ? for_float : for_double;
}

template <class Scalar>
bool same_bits(const std::vector<Scalar>& a, const std::vector<Scalar>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(Scalar)) == 0);
}

/// Computes `|b - A x|` in double.
template <class Scalar>
double plain_residual(const PlainCsr& A, const Values& b, const std::vector<Scalar>& x) {
  const Values y = multiply(A, Values(x.begin(), x.end()));
  Values r(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) r[i] = b[i] - y[i];
  return norm(r);
}

/// Runs a solver on a CSR matrix; returns x.
template <class Solver, class Params>
auto run_solver(const TestSpace& exec, const PlainCsr& A, const Values& b, const Values& start,
                const Params& params, SolveResult* result = nullptr,
                const Monitor<TestSpace, typename Solver::scalar_type>& monitor = {}) {
  using Scalar = typename Solver::scalar_type;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const auto device_b = make_vector<Scalar>(exec, b);
  const auto x = make_vector<Scalar>(exec, start);
  Solver solver(exec, A.rows, A.columns, params);
  const SolveResult r = solver.solve(exec, op, device_b, x, monitor);
  if (result != nullptr) *result = r;
  return to_std_vector(x);
}

/// Returns the message of the Error that \p action throws; empty if it throws none.
template <class Action>
std::string error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Solves the normal equations `(A^T W A + damping^2 I) x = A^T W b` by elimination with pivoting.
inline Values least_squares(const PlainCsr& A, const Values& b, double damping = 0,
                            const Values& weight = {}) {
  const std::size_t n = static_cast<std::size_t>(A.columns);
  std::vector<Values> M(n, Values(n + 1, 0));
  for (int i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      const double value = A.values[k] * (weight.empty() ? 1 : weight[i]);
      for (auto l = A.offsets[i]; l < A.offsets[i + 1]; ++l)
        M[A.indices[k]][A.indices[l]] += value * A.values[l];
      M[A.indices[k]][n] += value * b[i];
    }
  for (std::size_t j = 0; j < n; ++j) M[j][j] += damping * damping;
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j; i < n; ++i)
      if (std::abs(M[i][j]) > std::abs(M[pivot][j])) pivot = i;
    std::swap(M[j], M[pivot]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i == j) continue;
      const double factor = M[i][j] / M[j][j];
      for (std::size_t l = j; l <= n; ++l) M[i][l] -= factor * M[j][l];
    }
  }
  Values x(n);
  for (std::size_t j = 0; j < n; ++j) x[j] = M[j][n] / M[j][j];
  return x;
}

/// Computes `y_i = x_i + x_(i+1) / 2`.
template <class Scalar>
struct BlurForward {
  Scalar alpha, beta;
  MultiVectorView<const Scalar, TestSpace::memory_space> X;
  MultiVectorView<Scalar, TestSpace::memory_space> Y;
  Ordinal first, num_cols;
  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Ordinal i = first + static_cast<Ordinal>(index);
    const Scalar value = X(i, 0) + (i + 1 < num_cols ? X(i + 1, 0) / 2 : Scalar(0));
    Y(index, 0) = beta == Scalar(0) ? alpha * value : alpha * value + beta * Y(index, 0);
  }
};

/// Computes the transpose of `BlurForward` for the rows of X, which begin at row `first`.
template <class Scalar>
struct BlurBackward {
  Scalar alpha, beta;
  MultiVectorView<const Scalar, TestSpace::memory_space> X;
  MultiVectorView<Scalar, TestSpace::memory_space> Y;
  Ordinal first;
  KOKKOS_FUNCTION void operator()(const Offset j) const {
    const Offset own = j - first, left = own - 1, count = static_cast<Offset>(X.extent(0));
    Scalar value = 0;
    if (own >= 0 && own < count) value += X(own, 0);
    if (left >= 0 && left < count) value += X(left, 0) / 2;
    Y(j, 0) = beta == Scalar(0) ? alpha * value : alpha * value + beta * Y(j, 0);
  }
};

/// Operator of a user, without a matrix and with only those members that the concepts require.
template <class Scalar>
class BlurOperator {
 public:
  using In = MultiVectorView<const Scalar, TestSpace::memory_space>;
  using Out = MultiVectorView<Scalar, TestSpace::memory_space>;

  explicit BlurOperator(Ordinal n) : n_(n) {}
  Ordinal num_rows() const { return n_; }
  Ordinal num_cols() const { return n_; }
  void apply(const TestSpace& exec, Scalar alpha, const In& X, Scalar beta, const Out& Y,
             RowRange rows = all_rows) const {
    const RowRange range = rows.resolved(n_);
    Kokkos::parallel_for("test::blur", Impl::element_range(exec, range.end - range.begin),
                         BlurForward<Scalar>{alpha, beta, X, Y, range.begin, n_});
  }
  void apply_transpose(const TestSpace& exec, Scalar alpha, const In& X, Scalar beta, const Out& Y,
                       RowRange rows = all_rows) const {
    Kokkos::parallel_for("test::blur_transpose", Impl::element_range(exec, n_),
                         BlurBackward<Scalar>{alpha, beta, X, Y, rows.resolved(n_).begin});
  }

 private:
  Ordinal n_;
};

/// Makes the matrix of `BlurOperator`.
inline PlainCsr blur_matrix(int n) {
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    A.add(i, 1);
    if (i + 1 < n) A.add(i + 1, 0.5);
    A.end_row();
  }
  return A;
}

}  // namespace solver_testing
