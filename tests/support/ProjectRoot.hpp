// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdlib>
#include <filesystem>

namespace Tomokkos::Testing {

/// \brief Folder of the sources of the project.
inline std::filesystem::path project_root() {
  if (const char* source = std::getenv("TOMOKKOS_SOURCE_DIR")) return source;
  return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path();
}

}  // namespace Tomokkos::Testing
