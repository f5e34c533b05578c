// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Kokkos_Core.hpp>
#include <Tomokkos_MpiCommunicator.hpp>
#include <Tomokkos_MpiSession.hpp>
#include <iostream>

int main(int argc, char** argv) {
  using Space = Kokkos::DefaultExecutionSpace;
  const Tomokkos::MpiSession session;
  if (session.ranks() == nullptr) {
    std::cout << "started without a launcher, so there is a single process\n";
    return 0;
  }
  const Kokkos::ScopeGuard guard(argc, argv);
  const Space exec;
  Tomokkos::Vector<double, Space::memory_space> ones("ones", 10);
  Kokkos::deep_copy(exec, ones, 1.0);
  const auto communicator = Tomokkos::make_communicator(exec, *session.ranks());
  communicator->sum(exec, Tomokkos::VectorView<double, Space::memory_space>(ones.data(), 10));
  const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ones);
  return sums(9) == session.ranks()->size() ? 0 : 1;
}
