// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace Tomokkos {

/// \brief How many processes a launcher (`mpirun`, `mpiexec`, `srun`) started together with this
/// one, itself among them; 0 where none did.
///
/// Read from the environment, so a program that was built without MPI can refuse to run as several
/// copies that know nothing of each other. Known are the launchers of Open MPI, MPICH and its
/// descendants, MVAPICH, and Slurm. Where a launcher gives its processes no more than their rank,
/// the result is a lower bound: the rank and one.
int launched_ranks();

/// \brief Which of them this one is, from 0 on, read likewise; 0 where none were started, and where
/// the launcher does not say.
int launched_rank();

}  // namespace Tomokkos
