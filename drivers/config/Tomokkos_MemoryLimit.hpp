// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `run.memory_limit`: read, written, imposed, and named where memory is short.
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>

namespace Tomokkos {

/// \brief Reads `memory_limit` of the section `run`: `none`, a size such as `8 GB` of the host, or
/// `{host, device}`. A number alone is a number of bytes. Throws `ConfigError`.
MemoryLimit read_memory_limit(const ConfigReader& run);

/// \brief The same as it is written in a configuration.
ConfigNode to_node(const MemoryLimit& limit);

/// \brief Imposes \p limit on what this process takes from now on. Kokkos must have begun.
void impose(const MemoryLimit& limit);

/// \brief What a message about lack of memory adds where the configuration \p root has a limit:
/// ` (run.memory_limit: 8 GB)`. Empty without one.
std::string memory_limit_note(const ConfigNode& root);

}  // namespace Tomokkos
