// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_LaunchedRank.hpp>
#include <Tomokkos_MpiSession.hpp>
#include <cstdio>
#include <exception>
#include <impl/Tomokkos_MpiError.hpp>

namespace Tomokkos {

using Impl::check_mpi;

MpiSession::MpiSession() : exceptions_(std::uncaught_exceptions()) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (initialized == 0) {
    if (launched_ranks() == 0) return;
    int provided = MPI_THREAD_SINGLE;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    finalizes_ = true;
    int size = 1;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // Finalise here: after an exception in the constructor no destructor runs.
    if (provided < MPI_THREAD_FUNNELED || (size == 1 && launched_ranks() > 1)) {
      MPI_Finalize();
      require(provided >= MPI_THREAD_FUNNELED,
              "this MPI does not support processes with threads (MPI_THREAD_FUNNELED)");
      throw Error(Impl::text(
          "a launcher started {} processes, but each of them is alone in the MPI that this program "
          "was built with. Start it with the mpirun or mpiexec of that MPI.",
          launched_ranks()));
    }
  }
  ranks_ = std::make_unique<MpiRanks>(MPI_COMM_WORLD);
}

MpiSession::~MpiSession() {
  if (ranks_ && ranks_->size() > 1 && std::uncaught_exceptions() > exceptions_) {
    std::fprintf(stderr, "rank %d cannot continue; all ranks end\n", ranks_->rank());
    ranks_->abort_all(1);
  }
  ranks_.reset();
  int finalized = 0;
  if (finalizes_ && MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Finalize();
}

int MpiSession::launched_ranks() { return Tomokkos::launched_ranks(); }

}  // namespace Tomokkos
