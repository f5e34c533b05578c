// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that an application started by MPI solve one system together, each with its own rows.
#include <Tomokkos.hpp>
#include <iostream>

bool solve(const Tomokkos::MpiRanks& ranks) {
  using Space = Kokkos::DefaultExecutionSpace;
  const Space exec;
  const std::shared_ptr<const Tomokkos::Communicator<Space>> communicator =
      Tomokkos::make_communicator(exec, ranks);

  // Rank r holds rows, and entries of b and x, from begins[r] to begins[r + 1].
  const std::vector<double> equal_shares(static_cast<std::size_t>(ranks.size()), 1.0);
  const auto begins = Tomokkos::partition_evenly(30 * 30 * 30, equal_shares);
  const auto r = static_cast<std::size_t>(ranks.rank());
  const auto my_rows = Tomokkos::build_stencil_matrix<Space, double>(exec, 7, 30, 30, 30,
                                                                     {begins[r], begins[r + 1]});
  const Tomokkos::HaloOperator<Space, double> A(exec, my_rows, begins, communicator);
  const auto b = Tomokkos::copy_to_device(exec, std::vector<double>(A.num_rows(), 1.0));
  const auto x = Tomokkos::copy_to_device(exec, std::vector<double>(A.num_rows(), 0.0));
  Tomokkos::Pcg<Space, double> pcg(exec, A.num_rows());
  const Tomokkos::SolveResult result = pcg.solve(exec, A, b, x);
  if (ranks.rank() == 0)
    std::cout << ranks.size() << " ranks, " << result.iterations << " iterations\n";
  return result.reason == Tomokkos::StopReason::converged;  // the same on all ranks
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  bool good = false;
  {
    const Kokkos::ScopeGuard guard(argc, argv);
    const Tomokkos::MpiRanks ranks(MPI_COMM_WORLD);
    try {
      good = solve(ranks);
    } catch (const std::exception& error) {
      std::cerr << "rank " << ranks.rank() << ": " << error.what() << '\n';
      ranks.abort_all(1);  // the others would wait for ever
    }
  }
  MPI_Finalize();
  return good ? 0 : 1;
}
