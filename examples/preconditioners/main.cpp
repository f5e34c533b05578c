// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One system, solved with each preconditioner of the library and with one of the program.
#include <Tomokkos.hpp>
#include <iostream>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  using Space = Kokkos::DefaultExecutionSpace;
  const Space exec;
  const auto matrix = Tomokkos::build_stencil_matrix<Space, double>(exec, 7, 40, 40, 40);
  const Tomokkos::AnyOperator<Space, double> A = Tomokkos::CsrOperator<Space, double>(exec, matrix);
  const auto b = Tomokkos::copy_to_device(exec, std::vector<double>(A.num_rows(), 1.0));
  const auto x = Tomokkos::copy_to_device(exec, std::vector<double>(A.num_rows(), 0.0));
  Tomokkos::PcgParams params;
  params.check_every = 1;
  Tomokkos::Pcg<Space, double> pcg(exec, A.num_rows(), params);
  bool good = true;
  const auto solve = [&](const char* name, const auto& system) {
    Tomokkos::fill(exec, x, 0.0);
    const auto result = pcg.solve(exec, system, b, x);
    std::cout << name << ": " << result.iterations << " iterations\n";
    good = good && result.reason == Tomokkos::StopReason::converged;
  };

  Tomokkos::PreconditionerOptions options;
  options.kind = Tomokkos::PreconditionerKind::block_jacobi;
  options.block = 4;
  solve("block_jacobi", Tomokkos::PreconditionedSystem<Space, double>(exec, A, options));
  options.kind = Tomokkos::PreconditionerKind::jacobi;  // the default
  solve("jacobi", Tomokkos::PreconditionedSystem<Space, double>(exec, A, options));

  // Two steps of Jacobi's method, with the diagonal 6: Z = R / 3 - A R / 36.
  const auto two_steps = [&](const Space& on, const auto& R, const auto& Z) {
    A.apply(on, -1.0 / 36, R, 0, Z);
    Tomokkos::axpby(on, 1.0 / 3, Tomokkos::as_vector(R), 1, Tomokkos::as_vector(Z));
  };
  solve("my own", Tomokkos::PreconditionedSystem<Space, double>(exec, A, two_steps));
  return good ? 0 : 1;
}
