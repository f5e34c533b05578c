// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the environment of a process says of those that were started with it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <Tomokkos_LaunchedRank.hpp>
#include <string>
#include <utility>
#include <vector>

namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// The environment has these variables of launchers and no others.
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

TEST(Launcher, none_is_none) {
  EXPECT_EQ(ranks_of({}), 0);
  // A batch script, and a shell within an allocation.
  EXPECT_EQ(ranks_of({{"SLURM_NTASKS", "64"}, {"SLURM_PROCID", "0"}}), 0);
  EXPECT_EQ(ranks_of({{"SLURM_NTASKS", "64"}, {"SLURM_STEP_NUM_TASKS", "1"}}), 0);
}

TEST(Launcher, open_mpi) {
  EXPECT_EQ(ranks_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"PMIX_RANK", "2"}}), 4);
  EXPECT_EQ(ranks_of({{"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}), 1);
}

TEST(Launcher, mpich) {
  EXPECT_EQ(ranks_of({{"PMI_SIZE", "8"}, {"PMI_RANK", "3"}, {"MPI_LOCALNRANKS", "2"}}), 8);
  EXPECT_EQ(ranks_of({{"MPI_LOCALNRANKS", "2"}}), 2);
  EXPECT_EQ(ranks_of({{"PMI_RANK", "3"}}), 4);
  EXPECT_EQ(ranks_of({{"MV2_COMM_WORLD_SIZE", "6"}}), 6);
}

TEST(Launcher, slurm) {
  EXPECT_EQ(ranks_of({{"SLURM_STEP_NUM_TASKS", "16"}, {"PMIX_RANK", "5"}}), 16);
  EXPECT_EQ(ranks_of({{"SLURM_STEP_NUM_TASKS", "1"}, {"PMIX_RANK", "0"}}), 1);
  // Without any MPI.
  EXPECT_EQ(ranks_of({{"SLURM_STEP_NUM_TASKS", "16"}}), 16);
}

TEST(Launcher, what_is_no_number_says_nothing) {
  EXPECT_EQ(ranks_of({{"OMPI_COMM_WORLD_SIZE", "four"}}), 0);
  EXPECT_EQ(ranks_of({{"OMPI_COMM_WORLD_SIZE", ""}, {"PMI_SIZE", "3"}}), 3);
  EXPECT_EQ(ranks_of({{"PMI_SIZE", "-2"}}), 0);
  EXPECT_EQ(ranks_of({{"PMI_SIZE", "99999999999999"}}), 0);
}

TEST(Launcher, tells_which_one) {
  EXPECT_EQ(rank_of({}), 0);
  EXPECT_EQ(rank_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}}), 3);
  EXPECT_EQ(rank_of({{"PMI_SIZE", "8"}, {"PMI_RANK", "5"}}), 5);
  EXPECT_EQ(rank_of({{"PMI_RANK", "5"}}), 5);
  EXPECT_EQ(rank_of({{"MV2_COMM_WORLD_SIZE", "6"}, {"MV2_COMM_WORLD_RANK", "1"}}), 1);
  EXPECT_EQ(rank_of({{"SLURM_STEP_NUM_TASKS", "16"}, {"SLURM_PROCID", "9"}}), 9);
  // One process of a batch script's own; a launcher that does not say; nonsense.
  EXPECT_EQ(rank_of({{"SLURM_NTASKS", "64"}, {"SLURM_PROCID", "3"}}), 0);
  EXPECT_EQ(rank_of({{"OMPI_COMM_WORLD_SIZE", "4"}}), 0);
  EXPECT_EQ(rank_of({{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "4"}}), 0);
}

}  // namespace
