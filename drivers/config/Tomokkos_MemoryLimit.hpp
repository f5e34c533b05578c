// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The key `run.memory_limit`: reading, writing, applying, and naming it in messages.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>

namespace Tomokkos {

/// \brief Reads `run.memory_limit`. Accepts `none`, a host size such as `8 GB`, or
/// `{host, device}`. A plain number is in bytes.
///
/// \throws ConfigError
MemoryLimit read_memory_limit(const ConfigNode& node, const std::string& path);

/// \brief Writes \p limit as in a configuration.
ConfigNode memory_limit_node(const MemoryLimit& limit);

/// \brief Limits the memory that this process allocates from now on. Kokkos must be initialised.
void impose(const MemoryLimit& limit);

/// \brief Text for messages about lack of memory: ` (run.memory_limit: 8 GB)`. Empty if the
/// configuration \p root sets no limit.
std::string memory_limit_note(const ConfigNode& root);

}  // namespace Tomokkos
