// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three mistakes, and what the library says about them.
#include <Tomokkos.hpp>
#include <iostream>

using Space = Kokkos::DefaultExecutionSpace;

template <class Error, class Action>
bool fails_with(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    std::cout << error.what() << '\n';
    return true;
  }
  return false;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard guard(argc, argv);
  const Space exec;
  const std::vector<int> row_offsets{0, 2, 3}, columns{1, 0, 1}, sorted{0, 1, 1};
  const std::vector<double> values{4, 1, 3};
  const auto A = Tomokkos::csr_from_arrays(exec, 2, row_offsets, sorted, values);
  const auto three = Tomokkos::copy_to_device(exec, std::vector<double>{1, 2, 3});
  Tomokkos::Pcg<Space, double> pcg(exec, 2);

  // The columns of row 0 do not ascend.
  bool good = fails_with<Tomokkos::Refused>(
      [&] { Tomokkos::csr_from_arrays(exec, 2, row_offsets, columns, values); });
  // The matrix has two rows, the vectors three entries.
  good &= fails_with<Tomokkos::DimensionMismatch>(
      [&] { pcg.solve(exec, Tomokkos::CsrOperator<Space, double>(exec, A), three, three); });
  // No solver iterates less than not at all.
  Tomokkos::PcgParams params;
  params.iterations = -1;
  good &= fails_with<Tomokkos::Refused>(
      [&] { Tomokkos::make_solver<Space, double>(exec, params, 2, 2); });
  return good ? 0 : 1;
}
