// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems for conjugate gradients, and the textbook loop in double.
#pragma once

#include <Tomokkos_Pcg.hpp>

#include "SystemTesting.hpp"

namespace pcg_testing {

using namespace system_testing;

/// Negative Laplacian on a box with a diagonal that varies by four orders of magnitude, and columns
/// scaled likewise. It is symmetric positive definite, and preconditioning helps.
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

/// Runs the textbook loop with z = M^-1 r and returns all iterates.
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
using Cg = Pcg<TestSpace, Scalar>;

/// Makes a system with every preconditioner.
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

constexpr PcgScheme schemes[] = {PcgScheme::standard, PcgScheme::single_reduction};

inline PcgParams exactly(int iterations) {
  PcgParams params;
  params.iterations = iterations;
  params.stop = {};
  return params;
}

}  // namespace pcg_testing
