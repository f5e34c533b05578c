// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_RunRanks.hpp>

namespace Tomokkos {

/// \brief Replaces `run.backend` in \p root by the entry of `run.ranks.backend` for this rank. No
/// effect if that key is no list.
///
/// \throws ConfigError with the position if the list does not have one entry for each rank
void set_backend_of_rank(ConfigNode& root, const RunRanks& ranks);

}  // namespace Tomokkos
