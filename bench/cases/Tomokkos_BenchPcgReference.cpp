// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchPcgReference.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos::Bench {
namespace {

template <class MemorySpace>
using Doubles = Kokkos::View<double*, MemorySpace>;

// Every functor is one line of the recursion in double.

template <class Scalar, class MemorySpace>
struct InvertDiagonal {
  CsrMatrix<Scalar, MemorySpace> A;
  Vector<Scalar, MemorySpace> inverse;
  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& unusable) const {
    Scalar diagonal = 0;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      if (A.columns(k) == row) diagonal += A.values(k);
    if (!(diagonal > Scalar(0))) ++unusable;
    inverse(row) = Scalar(1) / diagonal;
  }
};

template <class Scalar, class MemorySpace>
struct PcgMultiply {
  CsrMatrix<Scalar, MemorySpace> A;
  Doubles<MemorySpace> x, y;
  bool magnitudes;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    double sum = 0;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      const double term = static_cast<double>(A.values(k)) * x(A.columns(k));
      sum += magnitudes && term < 0 ? -term : term;
    }
    y(row) = sum;
  }
};

template <class Scalar, class MemorySpace>
struct SquaredResidual {
  CsrMatrix<Scalar, MemorySpace> A;
  Vector<Scalar, MemorySpace> x, rhs;
  KOKKOS_FUNCTION void operator()(const Ordinal row, double& sum) const {
    auto residual = static_cast<double>(rhs(row));
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      residual -= static_cast<double>(A.values(k)) * static_cast<double>(x(A.columns(k)));
    sum += residual * residual;
  }
};

/// Computes the part of one row in `x . A x / 2 - b . x`.
template <class Scalar, class MemorySpace>
struct PcgEnergy {
  CsrMatrix<Scalar, MemorySpace> A;
  Vector<Scalar, MemorySpace> x, rhs;
  KOKKOS_FUNCTION void operator()(const Ordinal row, double& sum) const {
    double product = 0;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      product += static_cast<double>(A.values(k)) * static_cast<double>(x(A.columns(k)));
    sum += static_cast<double>(x(row)) * (0.5 * product - static_cast<double>(rhs(row)));
  }
};

/// Computes `y = a x + b y`.
template <class MemorySpace>
struct PcgCombine {
  double a, b;
  Doubles<MemorySpace> x, y;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const { y(i) = a * x(i) + b * y(i); }
};

template <class Scalar, class MemorySpace>
struct PcgPrecondition {
  Vector<Scalar, MemorySpace> inverse;
  Doubles<MemorySpace> r, z;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    z(i) = static_cast<double>(inverse(i)) * r(i);
  }
};

/// Vectors and steps of the recursion.
template <class ExecutionSpace, class Scalar>
class Recursion {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  explicit Recursion(const PcgProblem<ExecutionSpace, Scalar>& problem) : problem_(problem) {
    for (auto* vector : {&x, &r, &z, &p, &q}) *vector = zeros();
  }

  void multiply(const Doubles<MemorySpace>& from, const Doubles<MemorySpace>& to,
                bool magnitudes = false) const {
    Kokkos::parallel_for("Tomokkos::bench::pcg_multiply", range(),
                         PcgMultiply<Scalar, MemorySpace>{problem_.A, from, to, magnitudes});
  }
  double dot(const Doubles<MemorySpace>& a, const Doubles<MemorySpace>& b,
             bool magnitudes = false) const {
    return dot_in_double(problem_.exec, a, b, magnitudes);
  }
  void combine(double a, const Doubles<MemorySpace>& from, double b,
               const Doubles<MemorySpace>& to) const {
    Kokkos::parallel_for("Tomokkos::bench::pcg_combine", range(),
                         PcgCombine<MemorySpace>{a, b, from, to});
  }
  void precondition() const {
    Kokkos::parallel_for("Tomokkos::bench::pcg_precondition", range(),
                         PcgPrecondition<Scalar, MemorySpace>{problem_.inverse_diagonal, r, z});
  }
  void widen(const Vector<Scalar, MemorySpace>& from, const Doubles<MemorySpace>& to) const {
    convert_into(problem_.exec, from, to);
  }
  Doubles<MemorySpace> zeros() const {
    const auto vector =
        allocate<Doubles<MemorySpace>>(problem_.exec, "Tomokkos::Bench::pcg", problem_.size());
    Kokkos::deep_copy(problem_.exec, vector, 0.0);
    problem_.exec.fence();
    return vector;
  }

  Doubles<MemorySpace> x, r, z, p, q;

 private:
  Kokkos::RangePolicy<ExecutionSpace> range() const {
    return Kokkos::RangePolicy<ExecutionSpace>(problem_.exec, 0, problem_.size());
  }

  const PcgProblem<ExecutionSpace, Scalar>& problem_;
};

constexpr int fewest_iterations = 20;
constexpr double longest_seconds = 1;

/// Number of iterations around k by which rounding may delay or advance an iterate.
int window(int k) { return std::max(2, k / 10); }

/// Checks that `u . A v = v . A u`. The error of a matrix that is not symmetric is far above
/// rounding.
template <class ExecutionSpace, class Scalar>
void require_symmetric(const Recursion<ExecutionSpace, Scalar>& vectors) {
  const auto u = vectors.p, v = vectors.r, Au = vectors.z, Av = vectors.q;
  vectors.multiply(u, Au);
  vectors.multiply(v, Av);
  const double left = vectors.dot(u, Av), right = vectors.dot(v, Au);
  const double size = std::sqrt(vectors.dot(u, u) * vectors.dot(Av, Av)) +
                      std::sqrt(vectors.dot(v, v) * vectors.dot(Au, Au));
  refuse_unless(std::abs(left - right) <= 1e-6 * size, "the matrix is not symmetric");
}

}  // namespace

double PcgReference::error(double energy) const {
  const int around = window(iterations);
  const int last = static_cast<int>(energies.size()) - 1;
  // Start at iteration 1: x = 0 is never a correct answer.
  const auto at = [&](int k) {
    return energies[static_cast<std::size_t>(std::clamp(k, std::min(1, last), last))];
  };
  if (!(std::abs(energy) <= std::numeric_limits<double>::max()))
    return std::numeric_limits<double>::infinity();
  const double late = at(iterations - around), early = at(iterations + around);
  const double distance = std::max({0.0, energy - late, early - energy});
  return distance > 0 ? distance / (0.25 * (late - early) + rounding) : 0.0;
}

template <class ExecutionSpace, class Scalar>
PcgProblem<ExecutionSpace, Scalar> make_pcg_problem(
    BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& A = matrix_case.matrix();
  refuse_unless(A.num_rows == A.num_cols, "conjugate gradients need a square matrix");
  refuse_unless(A.num_rows > 0, "the matrix has no rows");
  PcgProblem<ExecutionSpace, Scalar> problem;
  problem.exec = matrix_case.exec();
  problem.A = A;
  try {
    problem.offsets32 = matrix_case.offsets32();
  } catch (const Error&) {
    // More entries than 32 bits can count: the libraries that need these offsets report it.
  }
  problem.rhs = matrix_case.x(true);
  problem.inverse_diagonal = allocate<Vector<Scalar, MemorySpace>>(
      problem.exec, "Tomokkos::Bench::inverse_diagonal", A.num_rows);
  Ordinal unusable = 0;
  Kokkos::parallel_reduce("Tomokkos::bench::invert_diagonal",
                          Kokkos::RangePolicy<ExecutionSpace>(problem.exec, 0, A.num_rows),
                          InvertDiagonal<Scalar, MemorySpace>{A, problem.inverse_diagonal},
                          unusable);
  problem.exec.fence();
  refuse_unless(unusable == 0,
                Impl::text("the diagonal has {} entries that are not positive", unusable));
  const Recursion<ExecutionSpace, Scalar> vectors(problem);
  vectors.widen(matrix_case.x(false), vectors.p);
  vectors.widen(problem.rhs, vectors.r);
  require_symmetric(vectors);
  return problem;
}

template <class ExecutionSpace, class Scalar>
PcgReference make_pcg_reference(const PcgProblem<ExecutionSpace, Scalar>& problem,
                                const PcgOptions& options) {
  using Clock = std::chrono::steady_clock;
  const Recursion<ExecutionSpace, Scalar> of(problem);
  of.widen(problem.rhs, of.r);
  of.precondition();
  of.combine(1, of.z, 0, of.p);
  const double rhs_norm = std::sqrt(of.dot(of.r, of.r));
  refuse_unless(rhs_norm > 0, "the right-hand side is zero");
  double rho = of.dot(of.r, of.z);
  PcgReference reference;
  double energy = 0;
  reference.energies.push_back(energy);
  int wanted = options.iterations;
  const auto begin = Clock::now();
  for (int k = 1; k <= wanted + window(wanted); ++k) {
    of.multiply(of.p, of.q);
    const double curvature = of.dot(of.p, of.q);
    refuse_unless(curvature > 0, "the matrix is not positive definite");
    const double alpha = rho / curvature;
    of.combine(alpha, of.p, 1, of.x);
    of.combine(-alpha, of.q, 1, of.r);
    // Subtract the gain of the step: late gains are smaller than the rounding of the energies
    // themselves.
    energy -= 0.5 * alpha * rho;
    reference.energies.push_back(energy);
    const double residual = std::sqrt(of.dot(of.r, of.r)) / rhs_norm;
    of.precondition();
    const double next = of.dot(of.r, of.z);
    of.combine(1, of.z, next / rho, of.p);
    rho = next;
    // Iterates far below the tolerance do not help to judge a loop, and in float they become NaN.
    const bool enough = residual <= options.tolerance;
    const bool slow = k >= fewest_iterations &&
                      std::chrono::duration<double>(Clock::now() - begin).count() > longest_seconds;
    if (k < wanted && (enough || slow)) wanted = k;
    if (rho <= 0) break;
  }
  reference.iterations = std::min(wanted, static_cast<int>(reference.energies.size()) - 1);
  of.multiply(of.x, of.q, true);
  const double unit = 0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  reference.rounding = 4 * unit * of.dot(of.x, of.q, true);
  return reference;
}

template <class ExecutionSpace, class Scalar>
double relative_residual(const PcgProblem<ExecutionSpace, Scalar>& problem,
                         const Vector<Scalar, typename ExecutionSpace::memory_space>& x) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace> range(problem.exec, 0, problem.size());
  const Vector<Scalar, MemorySpace> zero("Tomokkos::Bench::pcg", problem.size());
  const auto norm = [&](const Vector<Scalar, MemorySpace>& of) {
    double sum = 0;
    Kokkos::parallel_reduce("Tomokkos::bench::pcg_residual", range,
                            SquaredResidual<Scalar, MemorySpace>{problem.A, of, problem.rhs}, sum);
    problem.exec.fence();
    return std::sqrt(sum);
  };
  return norm(x) / norm(zero);
}

template <class ExecutionSpace, class Scalar>
double energy_of(const PcgProblem<ExecutionSpace, Scalar>& problem,
                 const Vector<Scalar, typename ExecutionSpace::memory_space>& x) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  double sum = 0;
  Kokkos::parallel_reduce("Tomokkos::bench::pcg_energy",
                          Kokkos::RangePolicy<ExecutionSpace>(problem.exec, 0, problem.size()),
                          PcgEnergy<Scalar, MemorySpace>{problem.A, x, problem.rhs}, sum);
  problem.exec.fence();
  return sum;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template PcgProblem<SPACE, SCALAR> make_pcg_problem(BenchCase<SPACE, SCALAR>&);                \
  template PcgReference make_pcg_reference(const PcgProblem<SPACE, SCALAR>&, const PcgOptions&); \
  template double energy_of(const PcgProblem<SPACE, SCALAR>&,                                    \
                            const Vector<SCALAR, SPACE::memory_space>&);                         \
  template double relative_residual(const PcgProblem<SPACE, SCALAR>&,                            \
                                    const Vector<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
