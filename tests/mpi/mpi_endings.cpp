// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// mpi_endings killed|throws|leaves|well: rank 1 ends in this way while the other ranks wait for it.
#include <signal.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_MpiSession.hpp>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  Tomokkos::MpiSession session;
  if (session.ranks() == nullptr) {
    std::cerr << "start this with mpirun\n";
    return 2;
  }
  const Tomokkos::MpiRanks& ranks = *session.ranks();
  try {
    if (ranks.rank() == 1 && how == "killed") raise(SIGKILL);
    if (ranks.rank() == 1 && how == "throws") throw Tomokkos::Error("rank 1 has had enough");
    if (how == "leaves") {
      // Unwind the stack through a session, like an exception that is not caught within it.
      try {
        Tomokkos::MpiSession inner;
        if (ranks.rank() == 1) throw Tomokkos::Error("unheard");
        inner.ranks()->wait_for_all();
      } catch (const Tomokkos::Error&) {
        std::cout << "not reached: the session has ended all\n";
      }
    }
    ranks.wait_for_all();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    ranks.abort_all(7);
  }
  if (ranks.rank() == 0) std::cout << "all came to the end\n";
  return 0;
}
