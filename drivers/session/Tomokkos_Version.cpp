// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_GitVersion.hpp>
#include <Tomokkos_Version.hpp>

namespace Tomokkos {

std::string version() { return TOMOKKOS_VERSION_TEXT; }

std::string git_commit() { return TOMOKKOS_GIT_TEXT; }

std::string kokkos_version() {
  return std::to_string(KOKKOS_VERSION / 10000) + "." + std::to_string(KOKKOS_VERSION / 100 % 100) +
         "." + std::to_string(KOKKOS_VERSION % 100);
}

std::string version_text() {
  return "tomokkos " + version() + " (" + git_commit() + "), Kokkos " + kokkos_version() +
         ", backends: " + join_names(backend_names());
}

}  // namespace Tomokkos
