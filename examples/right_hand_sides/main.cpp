// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four right-hand sides are solved at once, in a format that the program chooses.
#include <Tomokkos.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  using Space = Kokkos::DefaultExecutionSpace;
  using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space::memory_space>;
  const Space exec;
  const auto matrix = Tomokkos::build_stencil_matrix<Space, double>(exec, 7, 30, 30, 30);

  Tomokkos::MakeOptions options;
  options.format = Tomokkos::SellOptions{};  // leave it out, and the format is chosen for you
  options.with_transpose = false;            // conjugate gradients need A alone
  const auto A = Tomokkos::make_operator(exec, matrix, options).A;

  const int columns = 4;  // the load acts on a quarter of the points, two, three, all of them
  const Vectors B("B", A.num_rows(), columns), X("X", A.num_cols(), columns);
  for (int j = 0; j < columns; ++j) {
    const std::pair<int, int> points(0, A.num_rows() * (j + 1) / columns);
    Kokkos::deep_copy(exec, Kokkos::subview(B, points, j), 1.0);
  }

  Tomokkos::PcgParams params;
  params.stop.relative_residual = 1e-8;
  const auto solver = Tomokkos::make_solver(exec, params, A, columns);
  const auto monitor = [](const Space&, const Tomokkos::MonitorState<Space, double>& state) {
    std::cout << "iteration " << state.iteration << ", residual of the first column "
              << state.record().residual.value() << '\n';
    return Tomokkos::MonitorAction::proceed;  // or stop
  };
  int solved = 0;
  for (const Tomokkos::SolveResult& result : solver->solve(exec, A, B, X, monitor)) {
    std::cout << Tomokkos::to_string(result.reason) << " after " << result.iterations
              << " iterations, relative residual " << result.relative_residual << '\n';
    if (result.reason == Tomokkos::StopReason::converged) ++solved;
  }
  return solved == columns ? 0 : 1;
}
