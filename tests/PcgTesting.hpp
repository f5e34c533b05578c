// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems for conjugate gradients, and the textbook's loop in double.
#pragma once

#include <Tomokkos_Pcg.hpp>

#include "SolverTesting.hpp"

namespace pcg_testing {

using namespace solver_testing;

/// The negative Laplacian on a box with a diagonal that varies by four orders of magnitude, and
/// columns scaled likewise: symmetric positive definite, and worth a preconditioner.
inline PlainCsr spd_matrix(int nx = 7, int ny = 6, int nz = 5, double spread = 2) {
  PlainCsr A;
  const int n = nx * ny * nz;
  A.columns = n;
  const auto scale = [&](int i) { return std::pow(10.0, spread * ((i * 37) % n) / n); };
  for (int i = 0; i < n; ++i) {
    const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    const auto add = [&](bool there, int j) {
      if (there) A.add(j, static_cast<float>(-scale(i) * scale(j)));
    };
    add(z > 0, i - nx * ny);
    add(y > 0, i - nx);
    add(x > 0, i - 1);
    A.add(i, static_cast<float>(6.1 * scale(i) * scale(i)));
    add(x + 1 < nx, i + 1);
    add(y + 1 < ny, i + nx);
    add(z + 1 < nz, i + nx * ny);
    A.end_row();
  }
  return A;
}

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

inline Values diagonal_of(const PlainCsr& A) {
  Values d(static_cast<std::size_t>(A.rows), 0);
  for (int i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (A.indices[k] == i) d[static_cast<std::size_t>(i)] += A.values[k];
  return d;
}

inline double plain_dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The textbook's loop with z = M^-1 r; the iterates.
template <class Inverse>
std::vector<Values> plain_pcg(const PlainCsr& A, const Values& b, Values x, int iterations,
                              const Inverse& inverse) {
  Values r = b;
  const Values image = multiply(A, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= image[i];
  Values z = inverse(r), p = z;
  double rho = plain_dot(r, z);
  std::vector<Values> iterates{x};
  for (int k = 0; k < iterations; ++k) {
    const Values q = multiply(A, p);
    const double alpha = rho / plain_dot(p, q);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    z = inverse(r);
    const double next = plain_dot(r, z);
    for (std::size_t i = 0; i < x.size(); ++i) p[i] = z[i] + next / rho * p[i];
    rho = next;
    iterates.push_back(x);
  }
  return iterates;
}

inline std::vector<Values> plain_jacobi_pcg(const PlainCsr& A, const Values& b, const Values& x,
                                            int iterations) {
  const Values d = diagonal_of(A);
  return plain_pcg(A, b, x, iterations, [&](const Values& r) {
    Values z = r;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] /= d[i];
    return z;
  });
}

template <class Scalar>
using System = PreconditionedSystem<TestSpace, Scalar>;
template <class Scalar>
using In = MultiVectorView<const Scalar, TestSpace::memory_space>;
template <class Scalar>
using Out = MultiVectorView<Scalar, TestSpace::memory_space>;

/// `Z = factor R / d`, row by row.
template <class Scalar>
struct DivideByDiagonal {
  DeviceVector<Scalar> d;
  double factor;
  In<Scalar> R;
  Out<Scalar> Z;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < R.extent(1); ++j)
      Z(i, j) =
          static_cast<Scalar>(factor * static_cast<double>(R(i, j)) / static_cast<double>(d(i)));
  }
};

/// A user's preconditioner: a lambda.
template <class Scalar>
UserPreconditioner<TestSpace, Scalar> user_jacobi(const PlainCsr& A, double factor = 1) {
  const auto d = make_vector<Scalar>(TestSpace(), diagonal_of(A));
  return [d, factor](const TestSpace& exec, const In<Scalar>& R, const Out<Scalar>& Z) {
    Kokkos::parallel_for("test::jacobi", Impl::element_range(exec, d.extent(0)),
                         DivideByDiagonal<Scalar>{d, factor, R, Z});
  };
}

/// Every way of preparing a matrix.
template <class Scalar>
std::vector<std::pair<std::string, System<Scalar>>> all_systems(const TestSpace& exec,
                                                                const PlainCsr& A) {
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  std::vector<std::pair<std::string, System<Scalar>>> systems;
  using Kind = PreconditionerKind;
  systems.emplace_back("none", System<Scalar>(exec, op, {Kind::none}));
  systems.emplace_back("jacobi, scaled", System<Scalar>(exec, op, {Kind::jacobi}));
  systems.emplace_back("jacobi", System<Scalar>(exec, op, {Kind::jacobi, 2, false}));
  for (const int block : {2, 3, 4})
    systems.emplace_back("blocks of " + std::to_string(block),
                         System<Scalar>(exec, op, {Kind::block_jacobi, block}));
  systems.emplace_back("user", System<Scalar>(exec, op, user_jacobi<Scalar>(A)));
  return systems;
}

template <class Scalar>
std::vector<Scalar> solve(const System<Scalar>& system, const Values& b, const Values& start,
                          const PcgParams& params, SolveResult& result,
                          const Monitor<TestSpace, Scalar>& monitor = {}) {
  const TestSpace exec;
  const auto x = make_vector<Scalar>(exec, start);
  Pcg<TestSpace, Scalar> solver(exec, system.num_rows(), params);
  result = solver.solve(exec, system, make_vector<Scalar>(exec, b), x, monitor);
  return to_std_vector(x);
}

template <class Scalar>
std::vector<Scalar> solve(const PlainCsr& A, const Values& b, const PcgParams& params,
                          SolveResult& result) {
  const TestSpace exec;
  return solve<Scalar>(System<Scalar>(exec, make_operator<Scalar>(exec, A), params.preconditioner),
                       b, Values(b.size(), 0), params, result);
}

constexpr PcgScheme schemes[] = {PcgScheme::standard, PcgScheme::single_reduction};

PcgParams exactly(int iterations) {
  PcgParams params;
  params.iterations = iterations;
  params.stop = {};
  return params;
}

}  // namespace pcg_testing
