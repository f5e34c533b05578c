// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the solvers of non-symmetric systems share: systems, and elimination in double
// as their reference.
#pragma once

#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <memory>

#include "SolverTesting.hpp"
#include "TestData.hpp"

namespace krylov_testing {

using namespace solver_testing;

template <class Scalar>
using System = PreconditionedSystem<TestSpace, Scalar>;
template <class Scalar>
using In = MultiVectorView<const Scalar, TestSpace::memory_space>;
template <class Scalar>
using Out = MultiVectorView<Scalar, TestSpace::memory_space>;

inline PlainCsr small_matrix(int n, const std::vector<double>& entries) {
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      if (entries[static_cast<std::size_t>(i * n + j)] != 0)
        A.add(j, entries[static_cast<std::size_t>(i * n + j)]);
    A.end_row();
  }
  return A;
}

/// Diffusion and a wind that turns, on a rectangle; rows of very different size, and, where wanted,
/// every third with a negative diagonal.
inline PlainCsr convection(int nx = 15, int ny = 13, double wind = 0.6, double spread = 1,
                           bool negative = true) {
  PlainCsr A;
  const int n = nx * ny;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    const int x = i % nx, y = i / nx;
    const double east = wind * (y - 0.5 * ny) / ny, north = -wind * (x - 0.5 * nx) / nx;
    const double size =
        (negative && i % 3 == 0 ? -1 : 1) * std::pow(10.0, spread * ((i * 37) % n) / n);
    const auto add = [&](bool there, int j, double value) {
      if (there) A.add(j, static_cast<float>(size * value));
    };
    add(y > 0, i - nx, -1 - north);
    add(x > 0, i - 1, -1 - east);
    add(true, i, 4.1);
    add(x + 1 < nx, i + 1, -1 + east);
    add(y + 1 < ny, i + nx, -1 + north);
    A.end_row();
  }
  return A;
}

/// `A^-1 b` by elimination with pivots.
inline Values solution_by_elimination(const PlainCsr& A, const Values& b) {
  const std::size_t n = b.size();
  std::vector<Values> M(n, Values(n + 1, 0));
  for (int i = 0; i < A.rows; ++i) {
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) M[i][A.indices[k]] += A.values[k];
    M[i][n] = b[i];
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j; i < n; ++i)
      if (std::abs(M[i][j]) > std::abs(M[pivot][j])) pivot = i;
    std::swap(M[j], M[pivot]);
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = M[i][j] / M[j][j];
      for (std::size_t l = j; factor != 0 && l <= n; ++l) M[i][l] -= factor * M[j][l];
    }
  }
  Values x(n);
  for (std::size_t j = n; j-- > 0;) {
    x[j] = M[j][n];
    for (std::size_t l = j + 1; l < n; ++l) x[j] -= M[j][l] * x[l];
    x[j] /= M[j][j];
  }
  return x;
}

/// A file of the test data, with its values as they are.
inline PlainCsr plain_file(const std::string& name) {
  const auto host =
      read_matrix<double>(Tomokkos::Testing::test_data_path("matrices/" + name + ".mtx"));
  PlainCsr A;
  A.name = name;
  A.rows = host.num_rows;
  A.columns = host.num_cols;
  A.offsets.assign(host.row_offsets.data(), host.row_offsets.data() + host.num_rows + 1);
  A.indices.assign(host.columns.data(), host.columns.data() + host.num_nonzeros());
  A.values.assign(host.values.data(), host.values.data() + host.num_nonzeros());
  return A;
}

inline PreconditionerOptions general(PreconditionerKind kind = PreconditionerKind::jacobi,
                                     int block = 2) {
  PreconditionerOptions options;
  options.kind = kind;
  options.block = block;
  options.positive_definite = false;
  return options;
}

/// `Z = R / d`, row by row.
template <class Scalar>
struct DivideByDiagonal {
  DeviceVector<Scalar> d;
  In<Scalar> R;
  Out<Scalar> Z;
  KOKKOS_FUNCTION void operator()(const Offset i) const { Z(i, 0) = R(i, 0) / d(i); }
};

template <class Scalar>
UserPreconditioner<TestSpace, Scalar> user_jacobi(const PlainCsr& A) {
  Values diagonal(static_cast<std::size_t>(A.rows), 0);
  for (int i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (A.indices[k] == i) diagonal[static_cast<std::size_t>(i)] += A.values[k];
  const auto d = make_vector<Scalar>(TestSpace(), diagonal);
  return [d](const TestSpace& exec, const In<Scalar>& R, const Out<Scalar>& Z) {
    Kokkos::parallel_for("test::jacobi", Impl::element_range(exec, d.extent(0)),
                         DivideByDiagonal<Scalar>{d, R, Z});
  };
}

/// Every way of preparing a matrix.
template <class Scalar>
std::vector<std::pair<std::string, System<Scalar>>> all_systems(const TestSpace& exec,
                                                                const PlainCsr& A) {
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  std::vector<std::pair<std::string, System<Scalar>>> systems;
  using Kind = PreconditionerKind;
  systems.emplace_back("none", System<Scalar>(exec, op, general(Kind::none)));
  systems.emplace_back("jacobi", System<Scalar>(exec, op, general()));
  for (const int block : {2, 3, 4})
    systems.emplace_back("blocks of " + std::to_string(block),
                         System<Scalar>(exec, op, general(Kind::block_jacobi, block)));
  systems.emplace_back("user", System<Scalar>(exec, op, user_jacobi<Scalar>(A)));
  return systems;
}

template <class Solver>
using ScalarOf = typename Solver::scalar_type;

template <class Solver>
std::vector<ScalarOf<Solver>> solve(const System<ScalarOf<Solver>>& system, const Values& b,
                                    const Values& start, const typename Solver::params_type& params,
                                    SolveResult& result,
                                    const Monitor<TestSpace, ScalarOf<Solver>>& monitor = {}) {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const auto x = make_vector<Scalar>(exec, start);
  Solver solver(exec, system.num_rows(), params);
  result = solver.solve(exec, system, make_vector<Scalar>(exec, b), x, monitor);
  return to_std_vector(x);
}

template <class Solver>
std::vector<ScalarOf<Solver>> solve(const PlainCsr& A, const Values& b,
                                    const typename Solver::params_type& params,
                                    SolveResult& result) {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  return solve<Solver>(System<Scalar>(exec, make_operator<Scalar>(exec, A), params.preconditioner),
                       b, Values(b.size(), 0), params, result);
}

/// The operator that spoils a product: in the `limit`-th it gives NaN.
template <class Scalar>
struct SpoiltOperator {
  AnyOperator<TestSpace, Scalar> A;
  int limit;
  std::shared_ptr<int> products = std::make_shared<int>(0);
  Ordinal num_rows() const { return A.num_rows(); }
  Ordinal num_cols() const { return A.num_cols(); }
  void apply(const TestSpace& exec, Scalar alpha, const In<Scalar>& X, Scalar beta,
             const Out<Scalar>& Y) const {
    A.apply(exec, alpha, X, beta, Y);
    if (++*products == limit)
      Kokkos::deep_copy(exec, Kokkos::subview(Y, 5, Kokkos::ALL()),
                        std::numeric_limits<Scalar>::quiet_NaN());
  }
};

/// The true residual is what the result says, and the reason fits it.
template <class Scalar>
void expect_honest(const PlainCsr& A, const Values& b, const std::vector<Scalar>& x,
                   const SolveResult& result, double wanted, const std::string& name) {
  const double truth = plain_residual(A, b, x) / norm(b);
  EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + tolerance<Scalar>(1e-5, 1e-14))
      << name;
  if (result.reason != StopReason::converged) return;
  EXPECT_LE(truth, wanted * 1.05 + tolerance<Scalar>(1e-6, 0)) << name;
}

}  // namespace krylov_testing
