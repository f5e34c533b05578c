// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MpiRanks.hpp>
#include <string>

namespace Tomokkos {

/// \brief How many of \p ranks, this one among them, compute where \p exec does: with the same GPU,
/// whatever number it has in each of them, or on the same machine where \p exec is a host's. Called
/// by all ranks together. Throws `Error` where the GPU does not tell its place.
template <class ExecutionSpace>
int ranks_on_device(const ExecutionSpace& exec, const MpiRanks& ranks);

namespace Impl {

/// Two ranks with the same GPU, for people, or nothing; of hosts nothing. The same on all ranks.
template <class ExecutionSpace>
std::string shared_device(const ExecutionSpace& exec, const MpiRanks& ranks);

}  // namespace Impl

#define TOMOKKOS_DECLARE(SPACE)                                              \
  extern template int ranks_on_device<SPACE>(const SPACE&, const MpiRanks&); \
  extern template std::string Impl::shared_device<SPACE>(const SPACE&, const MpiRanks&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_DECLARE)
#undef TOMOKKOS_DECLARE

}  // namespace Tomokkos
