// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace Tomokkos {

/// \brief Version of the program, such as `0.2.0`.
std::string version();
/// \brief Commit that the program was built from, with `-dirty` if there were changes, or
/// `unknown`.
std::string git_commit();
/// \brief Version of Kokkos that the program was built with, such as `3.4.1`.
std::string kokkos_version();
/// \brief All versions and the backends on one line, for `--version`.
std::string version_text();

}  // namespace Tomokkos
