// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MpiRanks.hpp>
#include <string>

namespace Tomokkos {

/// \brief Returns the number of \p ranks, including this one, that compute on the same device as \p
/// exec: the same GPU, whatever its number in each rank, or the same machine if \p exec is a host
/// space. All ranks call it together, with GPUs or hosts. Throws `Error` if the bus address of the
/// GPU cannot be read.
template <class ExecutionSpace>
int ranks_on_device(const ExecutionSpace& exec, const MpiRanks& ranks);

namespace Impl {

/// Describes two ranks with the same GPU, for a message; empty if no two ranks share a GPU. Equal
/// on all ranks.
template <class ExecutionSpace>
std::string shared_device(const ExecutionSpace& exec, const MpiRanks& ranks);

/// Names a rank that computes on its host, for a message; empty if all have GPUs. Equal on all
/// ranks.
template <class ExecutionSpace>
std::string host_rank(const ExecutionSpace& exec, const MpiRanks& ranks);

}  // namespace Impl

#define TOMOKKOS_DECLARE(SPACE)                                                          \
  extern template int ranks_on_device<SPACE>(const SPACE&, const MpiRanks&);             \
  extern template std::string Impl::shared_device<SPACE>(const SPACE&, const MpiRanks&); \
  extern template std::string Impl::host_rank<SPACE>(const SPACE&, const MpiRanks&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_DECLARE)
#undef TOMOKKOS_DECLARE

}  // namespace Tomokkos
