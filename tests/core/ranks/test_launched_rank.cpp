// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number of launched processes and rank of this one, read from the environment of launchers.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <Tomokkos_LaunchedRank.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Sets these variables of launchers in the environment and removes all others.
void set_launcher(const Variables& variables) {
  for (const char* name :
       {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "PMI_RANK", "PMIX_RANK",
        "MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK", "MPI_LOCALNRANKS", "SLURM_STEP_NUM_TASKS",
        "SLURM_NTASKS", "SLURM_PROCID"})
    unsetenv(name);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
}
int ranks_of(const Variables& variables) {
  set_launcher(variables);
  return Tomokkos::launched_ranks();
}
int rank_of(const Variables& variables) {
  set_launcher(variables);
  return Tomokkos::launched_rank();
}

TEST(Launcher, no_launcher_gives_zero_ranks) {
  EXPECT_EQ(ranks_of({}), 0);
  // A batch script and a shell within an allocation set some of Slurm's variables.
  EXPECT_EQ(ranks_of({{"SLURM_NTASKS", "64"}, {"SLURM_PROCID", "0"}}), 0);
  EXPECT_EQ(ranks_of({{"SLURM_NTASKS", "64"}, {"SLURM_STEP_NUM_TASKS", "1"}}), 0);
}

TEST(Launcher, open_mpi_gives_the_number_of_ranks) {
  EXPECT_EQ(ranks_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "2"}}), 4);
  EXPECT_EQ(ranks_of({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}), 1);
}

TEST(Launcher, mpich_gives_the_number_of_ranks) {
  EXPECT_EQ(ranks_of({{"PMI_SIZE", "8"}, {"PMI_RANK", "3"}, {"MPI_LOCALNRANKS", "2"}}), 8);
  EXPECT_EQ(ranks_of({{"MPI_LOCALNRANKS", "2"}}), 2);
  EXPECT_EQ(ranks_of({{"PMI_RANK", "3"}}), 4);
  EXPECT_EQ(ranks_of({{"MV2_COMM_WORLD_SIZE", "6"}}), 6);
}

TEST(Launcher, slurm_gives_the_number_of_ranks) {
  EXPECT_EQ(ranks_of({{"SLURM_STEP_NUM_TASKS", "16"}, {"PMIX_RANK", "5"}}), 16);
  EXPECT_EQ(ranks_of({{"SLURM_STEP_NUM_TASKS", "1"}, {"PMIX_RANK", "0"}}), 1);
  // Processes without MPI.
  EXPECT_EQ(ranks_of({{"SLURM_STEP_NUM_TASKS", "16"}}), 16);
}

TEST(Launcher, values_that_are_not_counts_are_ignored) {
  EXPECT_EQ(ranks_of({{"OMPI_COMM_WORLD_SIZE", "four"}}), 0);
  EXPECT_EQ(ranks_of({{"OMPI_COMM_WORLD_SIZE", ""}, {"PMI_SIZE", "3"}}), 3);
  EXPECT_EQ(ranks_of({{"PMI_SIZE", "-2"}}), 0);
  EXPECT_EQ(ranks_of({{"PMI_SIZE", "99999999999999"}}), 0);
}

TEST(Launcher, gives_the_rank_of_the_process) {
  EXPECT_EQ(rank_of({}), 0);
  EXPECT_EQ(rank_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}), 3);
  EXPECT_EQ(rank_of({{"PMI_SIZE", "8"}, {"PMI_RANK", "5"}}), 5);
  EXPECT_EQ(rank_of({{"PMI_RANK", "5"}}), 5);
  EXPECT_EQ(rank_of({{"MV2_COMM_WORLD_SIZE", "6"}, {"MV2_COMM_WORLD_RANK", "1"}}), 1);
  EXPECT_EQ(rank_of({{"SLURM_STEP_NUM_TASKS", "16"}, {"SLURM_PROCID", "9"}}), 9);
  // A process that a batch script started itself, a launcher without a rank, and an invalid rank.
  EXPECT_EQ(rank_of({{"SLURM_NTASKS", "64"}, {"SLURM_PROCID", "3"}}), 0);
  EXPECT_EQ(rank_of({{"OMPI_COMM_WORLD_SIZE", "4"}}), 0);
  EXPECT_EQ(rank_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "4"}}), 0);
}

}  // namespace
