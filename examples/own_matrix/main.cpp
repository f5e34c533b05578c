// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts three plain arrays to a linear system and solves it on its own execution-space instance.
#include <Tomokkos.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const auto exec = Tomokkos::make_instance<Kokkos::DefaultExecutionSpace>();
  std::vector<int> row_offsets{0}, columns;  // a chain of springs
  std::vector<double> values, force(1000, 1.0), start(1000, 0.0);
  for (int i = 0; i < 1000; row_offsets.push_back(static_cast<int>(columns.size())), ++i)
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, 999); ++j) {
      columns.push_back(j);
      values.push_back(j == i ? 2.01 : -1.0);
    }
  const auto matrix = Tomokkos::csr_from_arrays(exec, 1000, row_offsets, columns, values);
  const auto A = Tomokkos::make_operator(exec, matrix).A;
  const auto b = Tomokkos::copy_to_device(exec, force), x = Tomokkos::copy_to_device(exec, start);
  const auto solver = Tomokkos::make_solver(exec, Tomokkos::PcgParams{}, A);
  const Tomokkos::SolveResult result = solver->solve(exec, A, b, x);
  std::cout << result.iterations << " iterations, " << Tomokkos::copy_to_host(exec, x)[500] << '\n';
  return result.reason == Tomokkos::StopReason::converged ? 0 : 1;
}
