// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// \brief Number of processes that a launcher (`mpirun`, `mpiexec`, `srun`) started together,
/// including this one; 0 without a launcher.
///
/// Read from the environment, so that a program built without MPI can refuse to run as several
/// independent copies. Recognises the launchers of Open MPI, MPICH and its descendants, MVAPICH,
/// and Slurm. If a launcher provides only the rank, the result is a lower bound: the rank plus one.
int launched_ranks();

/// \brief Rank of this process among those of `launched_ranks`, starting at 0. Also 0 without a
/// launcher, and if the launcher does not provide the rank.
int launched_rank();

}  // namespace Tomokkos
