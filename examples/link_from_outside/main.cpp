// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Smooths a noisy curve in an application with its own Views and its own execution-space instance:
// solves (I + s D) x = b, where D is the second difference between neighbours.
#include <Kokkos_Core.hpp>
#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <cmath>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using MemorySpace = ExecutionSpace::memory_space;
using Tomokkos::Offset;
using Tomokkos::Ordinal;

/// Row i of I + s D: -s next to the diagonal. The diagonal makes the sum of the row 1.
struct FillMatrix {
  Ordinal num_points;
  double strength;
  Kokkos::View<Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<double*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const bool first = row == 0;
    const bool last = row + 1 == num_points;
    Offset k = first ? 0 : 3 * static_cast<Offset>(row) - 1;
    row_offsets(row) = k;
    if (!first) {
      columns(k) = row - 1;
      values(k++) = -strength;
    }
    columns(k) = row;
    values(k++) = 1 + strength * ((first ? 0 : 1) + (last ? 0 : 1));
    if (!last) {
      columns(k) = row + 1;
      values(k++) = -strength;
    } else {
      row_offsets(num_points) = k;
    }
  }
};

/// One period of a sine plus a zigzag of 0.5, which smoothing should remove.
struct FillCurve {
  Ordinal num_points;
  Kokkos::View<double*, MemorySpace> curve;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const double phase = 6.283185307179586 * i / num_points;
    curve(i) = std::sin(phase) + (i % 2 == 0 ? 0.5 : -0.5);
  }
};

/// Sum of |x_i - x_(i-1)|.
struct SumJumps {
  Kokkos::View<double*, MemorySpace> curve;

  KOKKOS_FUNCTION void operator()(const Ordinal i, double& sum) const {
    sum += std::fabs(curve(i) - curve(i - 1));
  }
};

double total_variation(const ExecutionSpace& exec, const Kokkos::View<double*, MemorySpace>& x) {
  double sum = 0;
  Kokkos::parallel_reduce(
      "total_variation",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 1, static_cast<Ordinal>(x.extent(0))), SumJumps{x},
      sum);
  return sum;
}

int smooth() {
  const ExecutionSpace exec;
  const Ordinal n = 10000;
  const double strength = 4;
  const Kokkos::View<Offset*, MemorySpace> row_offsets("row_offsets", n + 1);
  const Kokkos::View<Ordinal*, MemorySpace> columns("columns", 3 * n - 2);
  const Kokkos::View<double*, MemorySpace> values("values", 3 * n - 2);
  const Kokkos::View<double*, MemorySpace> curve("curve", n);
  const Kokkos::View<double*, MemorySpace> smoothed("smoothed", n);
  const Kokkos::RangePolicy<ExecutionSpace> points(exec, 0, n);
  Kokkos::parallel_for("matrix", points, FillMatrix{n, strength, row_offsets, columns, values});
  Kokkos::parallel_for("curve", points, FillCurve{n, curve});

  // The Views are shared, not copied.
  const Tomokkos::CsrMatrix<double, MemorySpace> matrix{n, n, row_offsets, columns, values};
  Tomokkos::validate(exec, matrix);
  const Tomokkos::AnyOperator<ExecutionSpace, double> A(
      Tomokkos::CsrOperator<ExecutionSpace, double>(exec, matrix));

  Tomokkos::CglsParams params;
  params.iterations = 200;
  params.stop.relative_residual = 1e-10;
  Tomokkos::Cgls<ExecutionSpace, double> solver(exec, n, n, params);
  const Tomokkos::SolveResult result = solver.solve(exec, A, curve, smoothed);

  const double before = total_variation(exec, curve);
  const double after = total_variation(exec, smoothed);
  std::cout << matrix.num_nonzeros() << " nonzeros, " << result.iterations
            << " iterations, relative residual " << result.relative_residual << "\ntotal variation "
            << before << " before, " << after << " after\n";
  const bool good = result.reason == Tomokkos::StopReason::converged && after < 0.1 * before;
  if (!good) std::cerr << "the curve was not smoothed\n";
  return good ? 0 : 1;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  try {
    return smooth();
  } catch (const Tomokkos::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
