// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of the solvers of non-symmetric systems: systems, and elimination in double as
// their reference.
#pragma once

#include "SystemTesting.hpp"

namespace krylov_testing {

using namespace system_testing;

/// Diffusion with a rotating wind on a rectangle. Rows differ greatly in size and, if wanted, every
/// third row has a negative diagonal entry.
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

/// Computes `A^-1 b` by elimination with pivoting.
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

inline PreconditionerOptions general(PreconditionerKind kind = PreconditionerKind::jacobi,
                                     int block = 2) {
  PreconditionerOptions options;
  options.kind = kind;
  options.block = block;
  options.positive_definite = false;
  return options;
}

/// Makes a system with every preconditioner.
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

/// Expects that the result states the true residual, and that its reason agrees with it.
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
