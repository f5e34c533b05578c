// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An application with its own Views and its own execution space hands a matrix to Tomokkos.
#include <Kokkos_Core.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <iostream>

using ExecutionSpace = Kokkos::DefaultExecutionSpace;
using MemorySpace = ExecutionSpace::memory_space;

/// The second difference on a line of points: 2 on the diagonal, -1 beside it.
struct FillSecondDifference {
  Tomokkos::Ordinal num_points;
  Kokkos::View<Tomokkos::Offset*, MemorySpace> row_offsets;
  Kokkos::View<Tomokkos::Ordinal*, MemorySpace> columns;
  Kokkos::View<double*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Tomokkos::Ordinal row) const {
    Tomokkos::Offset k = row == 0 ? 0 : 3 * static_cast<Tomokkos::Offset>(row) - 1;
    row_offsets(row) = k;
    for (Tomokkos::Ordinal column = row - 1; column <= row + 1; ++column) {
      if (column < 0 || column >= num_points) continue;
      columns(k) = column;
      values(k) = column == row ? 2.0 : -1.0;
      ++k;
    }
    if (row + 1 == num_points) row_offsets(num_points) = k;
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard guard(argc, argv);
  const ExecutionSpace exec;
  const Tomokkos::Ordinal n = 1000;
  const Kokkos::View<Tomokkos::Offset*, MemorySpace> row_offsets("row offsets", n + 1);
  const Kokkos::View<Tomokkos::Ordinal*, MemorySpace> columns("columns", 3 * n - 2);
  const Kokkos::View<double*, MemorySpace> values("values", 3 * n - 2);
  Kokkos::parallel_for("fill", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, n),
                       FillSecondDifference{n, row_offsets, columns, values});

  try {
    const Tomokkos::CsrMatrix<double, MemorySpace> A{n, n, row_offsets, columns, values};
    Tomokkos::validate(exec, A);
    std::cout << A.num_nonzeros() << " nonzeros, " << A.memory_bytes() << " bytes\n";
  } catch (const Tomokkos::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
