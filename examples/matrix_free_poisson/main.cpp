// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Poisson's equation -u_xx - u_yy - u_zz = f on the unit cube, zero on its boundary, by conjugate
// gradients without a stored matrix. The operator is a class with three required members and one
// that returns its diagonal.
#include <Kokkos_Core.hpp>
#include <Tomokkos_Pcg.hpp>
#include <cmath>
#include <cstdlib>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using MemorySpace = ExecutionSpace::memory_space;
using Tomokkos::Offset;
using Tomokkos::Ordinal;
using In = Tomokkos::MultiVectorView<const double, MemorySpace>;
using Out = Tomokkos::MultiVectorView<double, MemorySpace>;

constexpr double pi = 3.141592653589793;

/// Applies the 7-point stencil at one point, for every right-hand side.
struct ApplyStencil {
  Ordinal side;
  double alpha, beta;
  In x;
  Out y;

  KOKKOS_FUNCTION void operator()(const Offset point) const {
    const Offset n = side, plane = n * n;
    const Offset i = point % n, j = point / n % n, k = point / plane;
    const double scale = static_cast<double>((n + 1) * (n + 1));  // 1 / h^2
    for (std::size_t s = 0; s < x.extent(1); ++s) {
      double sum = 6 * x(point, s);
      if (i > 0) sum -= x(point - 1, s);
      if (i + 1 < n) sum -= x(point + 1, s);
      if (j > 0) sum -= x(point - n, s);
      if (j + 1 < n) sum -= x(point + n, s);
      if (k > 0) sum -= x(point - plane, s);
      if (k + 1 < n) sum -= x(point + plane, s);
      const double value = alpha * scale * sum;
      y(point, s) = beta == 0 ? value : value + beta * y(point, s);
    }
  }
};

/// Operator with the members that a solver requires.
class Poisson {
 public:
  explicit Poisson(Ordinal side) : side_(side) {}

  Ordinal num_rows() const { return side_ * side_ * side_; }
  Ordinal num_cols() const { return num_rows(); }

  void apply(const ExecutionSpace& exec, double alpha, const In& X, double beta,
             const Out& Y) const {
    Kokkos::parallel_for("poisson", points(exec), ApplyStencil{side_, alpha, beta, X, Y});
  }

  /// Diagonal for the preconditioner `jacobi`.
  void diagonal(const ExecutionSpace& exec,
                const Tomokkos::VectorView<double, MemorySpace>& d) const {
    Kokkos::deep_copy(exec, d, 6.0 * (side_ + 1) * (side_ + 1));
  }

  /// `apply` only launches a kernel, so that iterations of small systems may be recorded.
  bool only_launches() const { return true; }

  Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Offset>> points(
      const ExecutionSpace& exec) const {
    return {exec, 0, num_rows()};
  }

 private:
  Ordinal side_;
};

/// Right-hand side f = 3 pi^2 sin(pi x) sin(pi y) sin(pi z). The solution is f / (3 pi^2).
struct FillRightHandSide {
  Ordinal side;
  Kokkos::View<double*, MemorySpace> b;

  KOKKOS_FUNCTION void operator()(const Offset point) const {
    const Offset n = side;
    const double h = 1.0 / static_cast<double>(n + 1);
    const auto wave = [&](Offset index) { return sin(pi * h * static_cast<double>(index + 1)); };
    b(point) = 3 * pi * pi * wave(point % n) * wave(point / n % n) * wave(point / (n * n));
  }
};

/// Largest difference between x and the solution of the differential equation.
struct LargestError {
  Kokkos::View<double*, MemorySpace> b, x;

  KOKKOS_FUNCTION void operator()(const Offset point, double& largest) const {
    const double error = fabs(x(point) - b(point) / (3 * pi * pi));
    if (error > largest) largest = error;
  }
};

int solve(Ordinal side) {
  const ExecutionSpace exec;
  const Poisson A(side);
  const Kokkos::View<double*, MemorySpace> b("b", A.num_rows()), x("x", A.num_rows());
  Kokkos::parallel_for("right_hand_side", A.points(exec), FillRightHandSide{side, b});

  Tomokkos::PcgParams params;
  params.stop.relative_residual = 1e-10;
  Tomokkos::Pcg<ExecutionSpace, double> pcg(exec, A.num_rows(), params);
  const Tomokkos::SolveResult result = pcg.solve(exec, A, b, x);

  double error = 0;
  Kokkos::parallel_reduce("error", A.points(exec), LargestError{b, x}, Kokkos::Max<double>(error));
  const double h = 1.0 / (side + 1);
  std::cout << A.num_rows() << " points, " << Tomokkos::to_string(result.reason) << " after "
            << result.iterations << " iterations, relative residual " << result.relative_residual
            << "\nlargest error " << error << ", " << error / (h * h) << " h^2\n";
  // The stencil is of second order: the error is pi^2 / 12 h^2 plus higher powers.
  const bool good =
      result.reason == Tomokkos::StopReason::converged && error < pi * pi / 12 * h * h * 1.05;
  if (!good) std::cerr << "the solution is wrong\n";
  return good ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  try {
    return solve(argc > 1 ? std::atoi(argv[1]) : 40);
  } catch (const Tomokkos::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
