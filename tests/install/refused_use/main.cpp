// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classes and functions of an execution space for which Tomokkos was not compiled.
#include <Tomokkos_CsrFromArrays.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_VectorOps.hpp>

/// Space without a backend. Each use has one of its own, so that each is reported.
template <int Use>
struct Elsewhere : Kokkos::DefaultHostExecutionSpace {};

#ifdef REFUSED
template <int Use>
using SpaceOf = Elsewhere<Use>;
#else
template <int Use>
using SpaceOf = TOMOKKOS_HOST_SPACE;
#endif

#ifdef WRONG_ARGUMENTS
/// Calls in which one argument has a wrong type.
void wrong_arguments(Tomokkos::Pcg<TOMOKKOS_HOST_SPACE, double>& solver,
                     const Tomokkos::CsrOperator<TOMOKKOS_HOST_SPACE, double>& A,
                     const Tomokkos::Vector<double, Kokkos::HostSpace>& x) {
  const TOMOKKOS_HOST_SPACE exec;
  solver.solve(exec, x, x, x);
  solver.solve(exec, A, std::vector<double>{1.0}, x);
  solver.solve(exec, A, x, Tomokkos::Vector<const double, Kokkos::HostSpace>(x));
  solver.solve(exec, A, x, x, [](int iteration) { return iteration > 3; });
}
#endif

double uses(const Tomokkos::Vector<double, Kokkos::HostSpace>& x) {
  Tomokkos::fill(SpaceOf<1>(), x, 1.0);
  const auto A = Tomokkos::csr_from_arrays(SpaceOf<2>(), 1, std::vector<int>{0, 1}, {0},
                                           std::vector<double>{1.0});
  const double entries = static_cast<double>(A.num_nonzeros());
  const auto op = Tomokkos::make_operator(SpaceOf<3>(), A).A;
  const Tomokkos::Pcg<SpaceOf<4>, double> solver(SpaceOf<4>(), 1);
  return entries + op.num_rows() + solver.num_columns();
}
