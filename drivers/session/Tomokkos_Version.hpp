// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace Tomokkos {

/// \brief `0.2.0`
std::string version();
/// \brief Commit that the program was built from, `-dirty` when there were changes, or `unknown`.
std::string git_commit();
/// \brief `3.4.1`: of the Kokkos that the program was built with.
std::string kokkos_version();
/// \brief All of these on one line, for `--version`.
std::string version_text();

}  // namespace Tomokkos
