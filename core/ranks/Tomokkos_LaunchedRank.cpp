// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_LaunchedRank.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace Tomokkos {
namespace {

/// Value of the environment variable `name` if it is a nonnegative number; otherwise empty.
std::optional<int> number(const char* name) {
  const char* const text = std::getenv(name);
  if (text == nullptr) return std::nullopt;
  const std::string_view digits(text);
  int value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value < 0)
    return std::nullopt;
  return value;
}

}  // namespace

int launched_ranks() {
  // Open MPI, MPICH and Intel MPI, MVAPICH.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"})
    if (const auto size = number(name)) return std::max(*size, 1);

  // These launchers provide only the rank in the whole launch, or the number of ranks on this node.
  int ranks = 0;
  for (const char* name : {"PMI_RANK", "PMIX_RANK"})
    if (const auto rank = number(name)) ranks = std::max(ranks, *rank + 1);
  if (const auto local = number("MPI_LOCALNRANKS")) ranks = std::max({ranks, *local, 1});

  // A shell within an allocation is a Slurm step with one task, but not a launch of MPI.
  const int tasks = number("SLURM_STEP_NUM_TASKS").value_or(0);
  if (ranks > 0 || tasks > 1) ranks = std::max(ranks, tasks);
  return ranks;
}

int launched_rank() {
  const int ranks = launched_ranks();
  if (ranks <= 1) return 0;
  for (const char* name :
       {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK", "PMIX_RANK", "SLURM_PROCID"})
    if (const auto rank = number(name); rank && *rank < ranks) return *rank;
  return 0;
}

}  // namespace Tomokkos
